import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Signals in the middle of downloads, and what `resume` does afterwards.
@Suite(.serialized) struct InterruptionTests {
  /// The two episodes that are requested after the first lookup stop in the middle.
  private let episodes = [3, 2, 1].map { id in
    PodcastServer.Episode(id, "Number \(id)", size: 2 << 20) {
      $0.number <= 3 ? .cut(.stall, .afterBody(1_000_000), rate: 4 << 20) : Behaviour()
    }
  }

  private func startAndReachMiddle(_ listener: Listener) async throws -> RunningProcess {
    let process = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("two episodes are in their middle", seen: { process.output }) {
      listener.partSizes.count { $0 > 500_000 } == 2
    }
    return process
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal keeps the received bytes, and resume requests the rest`(
    signal: Int32, status: Int32
  ) async throws {
    let listener = try Listener(PodcastServer(episodes))
    let process = try await startAndReachMiddle(listener)
    process.signal(signal)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(status))
    let events = try result.events()
    #expect(Set(events.outcomes.values) == ["cancelled"] && events.outcomes.count == 3)
    #expect(
      result.lines.last
        == #"{"event":"summary","finished":0,"skipped":0,"failed":0,"cancelled":3,"bytes":0}"#)
    let cancelled = events.filter { $0.name == "cancelled" }
    #expect(cancelled.allSatisfy { $0.memberNames == ["event", "podcast", "episode", "received"] })
    let received = Dictionary(
      cancelled.map { ($0.title ?? "", $0["received"] as Int64? ?? -1) }, uniquingKeysWith: max)
    for episode in episodes {
      let seen =
        events.of(episode).filter { $0.name == "progress" }
        .compactMap { $0["received"] as Int64? }.max() ?? 0
      let kept = received[episode.title] ?? -1
      #expect(seen <= kept && kept <= 1_000_000)
    }
    #expect(listener.partSizes.sorted() == received.values.filter { $0 > 0 }.sorted())

    let asked = listener.server.downloads.count
    let resume = try await listener.run("resume", "--json")
    #expect(resume.status == .exited(0))
    for episode in episodes {
      #expect(listener.holds(episode))
      let kept = received[episode.title] ?? 0
      #expect(try resume.events().of(episode).first("started")?["resumedFrom"] == kept)
      let request = listener.server.downloads(of: episode).last?.request
      #expect(request?.rangeStart == (kept == 0 ? nil : kept - (64 << 10)))
    }
    #expect(listener.server.downloads.count == asked + 3)
    #expect(listener.server.lookups.count == 1)
    #expect(listener.partials.isEmpty)
  }

  @Test func `what nohup ignores is ignored`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One", size: 1 << 20)]))
    listener.server.hold = 512 << 10
    let process = try RunningProcess(
      "/bin/sh",
      [
        "-c", #"trap '' HUP; exec "$0" download "$1" --json"#, BuiltBinary.podget.path,
        listener.podcast,
      ], environment: listener.variables)
    try await waitUntil("it downloads") { listener.partSizes.contains { $0 > 0 } }
    process.signal(SIGHUP)
    listener.server.hold = nil
    let result = try await process.waitForExit()
    #expect(result.status == .exited(0) && listener.holds(listener.server.episodes[0]))
  }

  @Test func `a signal during the lookup ends the run immediately`() async throws {
    let silent = try LoopbackServer { _, connection in connection.stall() }
    var listener = try Listener(PodcastServer([]))
    listener.environment["PODGET_ITUNES_URL"] = silent.origin
    let process = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("the directory is asked") { silent.log.count == 1 }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    #expect(try result.events().last?.name == "summary")
  }

  @Test func `the second signal ends podget whatever it waits for`() async throws {
    let pipe = try await UnreadPipe()
    let process = pipe.process
    process.signal(SIGINT)
    // Two that are not taken yet would be one.
    try await waitUntil("the first signal is taken") {
      let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
      return status.contains("ShdPnd:\t0000000000000000")
    }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
  }

  @Test func `an address that is refused is looked up again`() async throws {
    let listener = try Listener(PodcastServer([episodes[0]]))
    let process = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("it is in its middle") { listener.partSizes.contains { $0 > 500_000 } }
    process.signal(SIGINT)
    _ = try await process.waitForExit()
    let kept = try #require(listener.partSizes.first)
    var moved = episodes[0]
    moved.path = "/elsewhere/3.mp3"
    moved.behaviour = { _ in Behaviour() }
    listener.server.episodes = [moved]
    let resume = try await listener.run("resume", "--json")
    #expect(try resume.events().outcomes == ["Number 3": "finished"])
    #expect(resume.status == .exited(0) && listener.holds(moved))
    #expect(listener.server.lookups.count == 2)
    #expect(listener.server.downloads(of: moved).map(\.request.rangeStart) == [kept - (64 << 10)])
  }

  @Test func `resume takes only the podcasts that are named`() async throws {
    let listener = try Listener(PodcastServer([episodes[0]]))
    let process = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("it is in its middle") { listener.partSizes.contains { $0 > 500_000 } }
    process.signal(SIGTERM)
    _ = try await process.waitForExit()
    let other = try await listener.run("resume", "42", "--json")
    let otherNames = try other.events().names
    #expect(otherNames == ["failed", "summary"] && other.status == .exited(1))
    #expect(listener.server.downloads.count == 1)
    listener.server.episodes[0].behaviour = { _ in Behaviour() }
    let named = try await listener.run("resume", "The Symbolic World", "--json")
    #expect(try named.events().outcomes == ["Number 3": "finished"])
    #expect(listener.holds(episodes[0]) && named.status == .exited(0))
  }
}
