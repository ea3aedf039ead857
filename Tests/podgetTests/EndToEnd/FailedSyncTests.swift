import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Syncs that fail once: the system may have dropped bytes, and says so only then.
@Suite struct FailedSyncTests {
  @Test func `a failed sync while a file is cut for a new version is not forgotten`() async throws {
    var wasCut = false
    for point in 1...6 where !wasCut {
      let before = PodcastServer.Episode(1, "One", size: 600_000) { _ in
        .cut(.close, .afterBody(400_000))
      }
      var listener = try Listener(PodcastServer([before]))
      let first = try await listener.run("download", listener.podcast, "--json", "--retries", "0")
      #expect(first.status == .exited(1))
      var after = PodcastServer.Episode(1, "One", size: 600_000)
      after.bytes = Array(before.bytes[..<200_000]) + MP3Maker.bytes(seed: 9, length: 400_000)
      after.etag = "\"another\""
      listener.server.episodes = [after]
      listener.environment = [
        "LD_PRELOAD": try FaultLibrary.path(), "PODGET_FAULTS": "fsync:\(point):\(EIO)",
      ]
      let second = try await listener.run("resume", "--json")
      guard second.output.contains("sync"), second.output.contains(".part") else { continue }
      wasCut = true
      #expect(second.status == .exited(1))
      let name = try #require(listener.partials.first { $0.hasSuffix(".json") })
      let data = Data(try listener.read(".podget/partial/\(name)"))
      let record = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let state = try #require(record["state"] as? [String: Any])
      #expect(state["bootID"] == nil, "the next run must not trust what this one wrote")
      #expect(listener.partSizes == [200_000], "\(listener.partSizes)")
      listener.environment = [:]
      #expect(try await listener.run("resume").status == .exited(0))
      #expect(listener.holds(after))
    }
    #expect(wasCut)
  }

  @Test func `a download syncs the part file, then its new name, then the line about it`()
    async throws
  {
    // A sync that fails is named, and nothing after it happens.
    var synced: [String] = []
    for point in 1...20 {
      var listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One")]))
      listener.environment = [
        "LD_PRELOAD": try FaultLibrary.path(), "PODGET_FAULTS": "fsync:\(point):\(EIO)",
      ]
      let result = try await listener.run("download", listener.podcast, "--json", "--retries", "0")
      let words = try result.events().first("failed")?.message?.split(separator: " ") ?? []
      guard words.starts(with: ["Cannot", "sync"]) else { continue }
      #expect(result.status == .exited(1))
      let name = words.dropFirst(2).joined(separator: " ").prefix { $0 != ":" }
      synced.append(name.count > 30 ? "KEY\(name.suffix(5))" : String(name))
    }
    let podcast = "The Symbolic World"
    #expect(
      synced == [
        ".podget", ".podget/partial", "KEY.json", "KEY.part",
        // The podcast's folder is new, and its records are.
        podcast, podcast, "partial",
        // The file has its name.
        podcast, ".podget.ndjson", ".podget.ndjson",
      ])
  }
}
