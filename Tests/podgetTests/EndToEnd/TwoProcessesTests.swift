import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Two podgets on one library.
@Suite(.serialized) struct TwoProcessesTests {
  @Test func `two processes fetch each episode once and both succeed`() async throws {
    let episodes = (1...4).map { id in
      PodcastServer.Episode(id, "Number \(id)", size: 1 << 20) { _ in
        Behaviour { $0.rate = 4 << 20 }
      }
    }
    let listener = try Listener(PodcastServer(episodes))
    let processes = try (1...2).map { _ in
      try listener.start("download", listener.podcast, "--json")
    }
    var finished: [String: Int] = [:]
    for process in processes {
      let result = try await process.waitForExit()
      #expect(result.status == .exited(0))
      let events = try result.events()
      #expect(events.last?.name == "summary" && events.outcomes.count == 4)
      for event in events where event.isTerminal {
        #expect(event.name == "finished" || event["reason"] == "alreadyDownloaded")
        finished[event.title ?? "", default: 0] += event.name == "finished" ? 1 : 0
      }
    }
    #expect(finished.count == 4 && finished.values.allSatisfy { $0 == 1 })
    for episode in episodes {
      #expect(listener.holds(episode))
      #expect(listener.server.downloads(of: episode).map(\.status) == [200])
    }
    #expect(listener.partials.isEmpty)
    let record = try listener.read("The Symbolic World/.podget.ndjson")
    let lines = String(decoding: record, as: UTF8.self).split(separator: "\n")
    #expect(lines.count { $0.contains(#""fact":"finished""#) } == 4)
  }

  @Test func `without waiting, an episode of the other process is skipped`() async throws {
    let busy = PodcastServer.Episode(1, "Busy", size: 1 << 20) {
      $0.attempt == 1 ? .cut(.stall, .afterBody(600_000)) : Behaviour()
    }
    let free = PodcastServer.Episode(2, "Free")
    let listener = try Listener(PodcastServer([busy]))
    let first = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("it has begun") { listener.partSizes.contains { $0 > 0 } }
    listener.server.episodes = [busy, free]
    let second = try await listener.run("download", listener.podcast, "--json", "--no-wait")
    let events = try second.events()
    #expect(events.outcomes == ["Busy": "skipped", "Free": "finished"])
    #expect(events.first("skipped")?["reason"] == "inProgressElsewhere")
    #expect(second.status == .exited(1))
    #expect(listener.server.downloads(of: busy).count == 1)

    // The process that waits continues what the other one leaves.
    let third = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("it waits") { third.events.first("planned") != nil }
    first.signal(SIGKILL)
    let result = try await third.waitForExit()
    #expect(result.status == .exited(0) && listener.holds(busy) && listener.holds(free))
    #expect(listener.server.downloads(of: busy).last?.request.rangeStart ?? 0 > 0)
  }
}
