import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A file system of a few megabytes, mounted for one test.
private final class SmallDisk: Sendable {
  /// What mount said.
  struct NotMounted: Error { var description: String }

  /// Where it is mounted.
  let path: String
  /// Kept, so that the folder below is removed after the disk.
  private let folder: TemporaryFolder

  /// Whether this machine allows mounts; rarely without root.
  static func canMount() async -> Bool {
    guard let folder = try? TemporaryFolder(), let disk = try? await SmallDisk(folder) else {
      return false
    }
    return disk.path == folder.path("disk")
  }

  init(_ folder: TemporaryFolder) async throws {
    let path = folder.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let mount = try await RunningProcess(
      "/bin/mount", ["-t", "tmpfs", "-o", "size=8m", "podget-test", path]
    ).waitForExit()
    guard mount.status == .exited(0) else { throw NotMounted(description: mount.error) }
    self.path = path
    self.folder = folder
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }

  func remount(_ options: String) async throws {
    let result = try await RunningProcess(
      "/bin/mount", ["-o", "remount,\(options)", path]
    ).waitForExit()
    #expect(result.status == .exited(0))
  }
}

/// Disks that are full or cannot be written.
@Suite(.serialized, .enabled("mounting is not allowed") { await SmallDisk.canMount() })
struct DiskTests {
  @Test(arguments: [true, false])
  func `row 55: a full disk fails the episode and keeps what fits`(tellsLength: Bool) async throws {
    let small = PodcastServer.Episode(2, "Small", size: 1 << 20)
    let large = PodcastServer.Episode(1, "Large", size: 12 << 20) { _ in
      Behaviour {
        $0.framing = tellsLength ? .contentLength : .chunked
        $0.rate = 16 << 20
      }
    }
    var listener = try Listener(PodcastServer([small, large]))
    let disk = try await SmallDisk(listener.folder)
    listener.environment["PODGET_LIBRARY"] = disk.path
    // One after the other: the small one must be complete before the large one fills the disk.
    let result = try await listener.run("download", listener.podcast, "--json", "--jobs", "1")
    let events = try result.events()
    #expect(events.outcomes == ["Small": "finished", "Large": "failed"])
    let failed = try #require(events.first("failed"))
    #expect(failed.code == "diskFull")
    #expect(result.status == .exited(1) && events.last?["failed"] == 1)
    #expect(listener.server.downloads(of: large).count == 1)
    #expect(try listener.folder.read("disk/\(listener.path(of: small))") == small.bytes)

    let kept = listener.folder.files.first { $0.hasSuffix(".part") }
    let size = try kept.map { try listener.folder.read($0).count } ?? 0
    if !tellsLength { #expect(size > 4 << 20) }
    try await disk.remount("size=64m")
    let resume = try await listener.run("resume", "--json")
    #expect(resume.status == .exited(0))
    #expect(try listener.folder.read("disk/\(listener.path(of: large))") == large.bytes)
    let start = listener.server.downloads(of: large).last?.request.rangeStart
    #expect(start == (size == 0 ? nil : Int64(size - (64 << 10))))
  }

  @Test func `row 55: bytes that nothing can continue do not fill the disk after the run`()
    async throws
  {
    let endless = PodcastServer.Episode(1, "Endless", size: 12 << 20) { _ in
      Behaviour {
        $0.framing = .chunked
        $0.validators = .none
      }
    }
    var listener = try Listener(PodcastServer([endless]))
    let disk = try await SmallDisk(listener.folder)
    listener.environment["PODGET_LIBRARY"] = disk.path
    let result = try await listener.run("download", listener.podcast, "--json")
    #expect(try result.events().first("failed")?.code == "diskFull")
    #expect(!listener.folder.files.contains { $0.hasSuffix(".part") })
    // It is not for good.
    try await disk.remount("size=64m")
    #expect(try await listener.run("resume", "--json").status == .exited(0))
    #expect(try listener.folder.read("disk/\(listener.path(of: endless))") == endless.bytes)
  }

  @Test func `every command that writes says in one line that the library cannot be written`()
    async throws
  {
    let (one, two) = (PodcastServer.Episode(1, "One"), PodcastServer.Episode(2, "Two"))
    var listener = try Listener(PodcastServer([one, two]))
    let disk = try await SmallDisk(listener.folder)
    listener.environment["PODGET_LIBRARY"] = disk.path
    try listener.folder.write("foreign/Two.mp3", two.bytes)
    let foreign = listener.folder.path("foreign")
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    #expect(try await listener.run("remove", "Two").status == .exited(0))
    try await disk.remount("ro")
    let lookups = listener.server.lookups.count
    let writing = [
      ["download", listener.podcast], ["download", listener.podcast, "--force"], ["resume"],
      ["star", "One"], ["unstar", "One"], ["mark", "--played", "One"], ["remove", "One"],
      ["prune", "--keep", "0"],
      ["restore", "Two"], ["rename", "--template", "{podcast}/{title}.{ext}"],
      ["adopt", foreign, listener.podcast], ["adopt", "--move", foreign, listener.podcast],
      ["verify", "--repair"], ["verify", "--record-checksums"],
    ]
    for arguments in writing {
      let result = try await listener.run(arguments)
      let lines = result.error.split(separator: "\n").filter { $0.contains(disk.path) }
      #expect(result.status == .exited(1), "\(arguments): \(result.error)")
      #expect(lines.count == 1, "\(arguments): \(result.error)")
      #expect(lines.first?.contains("cannot be written") == true, "\(arguments): \(result.error)")
      #expect(!result.error.contains(".tmp") && !result.error.contains(".json"))
      #expect(result.output == "", "\(arguments): \(result.output)")
    }
    #expect(listener.server.lookups.count == lookups, "nothing is asked for that cannot be kept")
    let reading = [
      ["list"], ["show", listener.podcast], ["verify"],
      ["download", listener.podcast, "--force", "--dry-run"], ["resume", "--dry-run"],
      ["remove", "One", "--dry-run"], ["prune", "--keep", "0", "--dry-run"],
      ["rename", "--template", "{podcast}/{title}.{ext}", "--dry-run"],
      ["adopt", foreign, listener.podcast, "--force", "--dry-run"],
    ]
    for arguments in reading {
      let result = try await listener.run(arguments)
      #expect(result.status == .exited(0), "\(arguments): \(result.error)")
    }
  }

  @Test func `a library that cannot be written is a failure of the disk`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    var listener = try Listener(server)
    let disk = try await SmallDisk(listener.folder)
    listener.environment["PODGET_LIBRARY"] = disk.path
    try await disk.remount("ro")
    let result = try await listener.run("download", listener.podcast, "--json")
    let events = try result.events()
    #expect(events.count { $0.name == "failed" } == 1)
    #expect(events.first("failed")?.code == "disk")
    #expect(server.lookups.isEmpty)
    #expect(events.last?.name == "summary" && result.status == .exited(1))
    #expect(server.downloads.isEmpty)
  }
}
