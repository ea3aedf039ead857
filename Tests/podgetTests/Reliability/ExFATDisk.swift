import Foundation
import TestSupport

/// A file system without links, without flags of rename and without inode numbers that last, as
/// memory cards have it: exFAT through exfat-fuse, mounted for one test.
final class ExFATDisk: Sendable {
  /// Where it is mounted.
  let path: String
  private let device: String
  /// Kept, so that the folder is removed after the disk.
  private let folder: TemporaryFolder

  /// Makes and mounts an empty one of 1 GiB, which takes no room until it is filled.
  /// - Throws: ``ImageDisk/Unavailable``.
  init() async throws {
    folder = try TemporaryFolder()
    let image = try folder.write("image", [])
    guard access("/dev/fuse", R_OK | W_OK) == 0, truncate(image, 1 << 30) == 0 else {
      throw ImageDisk.Unavailable(description: "/dev/fuse may not be used")
    }
    try await ImageDisk.run("/usr/sbin/mkfs.exfat", [image])
    device = try await ImageDisk.run("/usr/sbin/losetup", ["--find", "--show", image])
      .trimmingCharacters(in: .whitespacesAndNewlines)
    path = folder.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    do {
      try await ImageDisk.run("/usr/sbin/mount.exfat-fuse", [device, path])
    } catch {
      Self.detach(device)
      throw error
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    Self.detach(device)
  }

  private static func detach(_ device: String) {
    let file = open(device, O_RDONLY | O_CLOEXEC)
    let clear: UInt = 0x4C01
    _ = ioctl(file, clear, 0)
    close(file)
  }
}
