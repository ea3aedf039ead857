import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Libraries that are copied with `cp -r` while something is unfinished in them.
@Suite struct CopiedLibraryTests {
  private static let overlap: Int64 = 64 << 10

  /// What the record in a library's folder of partial files says last to be durable, in bytes.
  private func durableLength(_ listener: Listener, _ library: String) -> Int64 {
    var length: Int64 = 0
    for name in listener.folder.files
    where name.hasPrefix("\(library)/.podget/partial/") && name.hasSuffix(".json") {
      for line in ((try? listener.folder.read(name)) ?? []).split(separator: 0x0A) {
        let fact = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        let said = (fact?["checkpoint"] ?? fact?["state"]) as? [String: Any]
        length = (said?["durableLength"] as? NSNumber)?.int64Value ?? length
      }
    }
    return length
  }

  private func copyLibrary(_ listener: Listener) async throws {
    let result = try await RunningProcess(
      "/bin/cp", ["-r", listener.library, listener.folder.path("copy")]
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
  }

  @Test(arguments: [SIGKILL, SIGINT])
  func `a library copied in the middle of a download resumes`(signal: Int32) async throws {
    // More than the distance between two checkpoints, and slower than the time between them.
    let episode = PodcastServer.Episode(1, "Long", size: 40 << 20)
    let listener = try Listener(PodcastServer([episode]))
    listener.server.rate = 12 << 20
    listener.server.hold = 36 << 20
    let process = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("a checkpoint is on record", seen: { process.output }) {
      durableLength(listener, "library") > 0
    }
    if signal == SIGKILL { try await copyLibrary(listener) }
    process.signal(signal)
    _ = try await process.waitForExit()
    if signal == SIGINT { try await copyLibrary(listener) }
    let durable = durableLength(listener, "copy")
    #expect(durable >= 16 << 20)

    listener.server.hold = nil
    listener.server.rate = 0
    try await listener.server.settle()
    let result = try await listener.run("resume", "--json", "-d", listener.folder.path("copy"))
    #expect(result.status == .exited(0), "\(result.output)")
    let events = try result.events()
    let start = try #require(listener.server.downloads.last?.request.rangeStart)
    #expect(start >= durable - Self.overlap)
    #expect(events.first("started")?["resumedFrom"] ?? 0 >= durable)
    #expect(!events.contains { $0.name == "restarted" })
    #expect(try listener.folder.read("copy/\(listener.path(of: episode))") == episode.bytes)
  }
}
