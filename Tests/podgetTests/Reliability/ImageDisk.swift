import Foundation
import TestSupport

/// A file system in a file, mounted for one test. The file contains what would be left on a
/// disk after a power cut now.
final class ImageDisk: Sendable {
  /// The file systems that can be tried.
  enum Kind: String, CaseIterable, Sendable {
    case ext4
    case xfs
    case btrfs

    /// At least the minimum size, in bytes; the file is sparse.
    fileprivate var size: off_t {
      switch self {
      case .ext4: 32 << 20
      case .xfs: 320 << 20
      case .btrfs: 128 << 20
      }
    }
  }

  /// Why there is none.
  struct Unavailable: Error, CustomStringConvertible {
    let description: String
  }

  /// Where it is mounted.
  let path: String
  private let image: String
  private let kind: Kind
  /// Kept, so that the folder is removed after the disk.
  private let folder: TemporaryFolder

  /// Makes and mounts an empty one.
  /// - Throws: ``Unavailable``.
  convenience init(_ kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let image = try folder.write("image", [])
    guard truncate(image, kind.size) == 0 else {
      throw Unavailable(description: "no room for an image of \(kind)")
    }
    let quiet = kind == .ext4 ? ["-q", "-F"] : kind == .xfs ? ["-q", "-f"] : ["-q", "-f"]
    try await Self.run("/usr/sbin/mkfs.\(kind)", quiet + [image])
    try await self.init(mounting: image, kind, in: folder)
  }

  private init(mounting image: String, _ kind: Kind, in folder: TemporaryFolder) async throws {
    let path = folder.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // A copy has its original's identifier, which xfs does not mount twice.
    let options = kind == .xfs ? "loop,nouuid" : "loop"
    try await Self.run("/bin/mount", ["-t", kind.rawValue, "-o", options, image, path])
    self.path = path
    self.image = image
    self.kind = kind
    self.folder = folder
  }

  deinit {
    // The loop device goes with its mount.
    umount2(path, Int32(MNT_DETACH))
  }

  /// What a power cut at this moment would leave, mounted again after its journal was replayed.
  func cut() async throws -> ImageDisk {
    let folder = try TemporaryFolder()
    try await Self.run("/bin/cp", ["--sparse=always", image, folder.path("image")])
    return try await ImageDisk(mounting: folder.path("image"), kind, in: folder)
  }

  /// Syncs an unrelated file: journals then write the changed names of all files to the disk,
  /// but not their bytes.
  func syncSomethingElse() {
    let file = open("\(path)/something else", O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard file >= 0 else { return }
    write(file, "x", 1)
    fsync(file)
    close(file)
  }

  /// Makes every further call fail, as an unplugged disk does; ext4 and xfs support the request.
  /// - Throws: ``Unavailable``.
  func shutDown() throws {
    let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(root) }
    let request: UInt = 0x8004_587D
    var withoutJournal: UInt32 = 2
    guard ioctl(root, request, &withoutJournal) == 0 else {
      throw Unavailable(description: "the disk cannot be shut down: error \(errno)")
    }
  }

  /// Mounts it again, read-only or for writing too.
  /// - Throws: ``Unavailable``.
  func remount(readOnly: Bool) async throws {
    try await Self.run("/bin/mount", ["-o", "remount,\(readOnly ? "ro" : "rw")", path])
  }

  /// Runs a program for file systems and returns what it printed.
  /// - Throws: ``Unavailable``.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) async throws -> String {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Unavailable(description: "\(program) is not installed")
    }
    let result = try await RunningProcess(program, arguments).waitForExit()
    guard result.status == .exited(0) else {
      throw Unavailable(description: "\(program) says \(result.error.prefix(200))")
    }
    return result.output
  }
}
