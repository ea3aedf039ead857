import Foundation
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

/// Many rounds of one process, as `sync --watch` makes them: what they take stays the same.
@Suite("Rounds of sync") struct SyncRoundsTests {
  private struct Use {
    var descriptors: Int
    var threads: Int
    /// Anonymous memory in KiB.
    var memory: Int

    init() throws {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      func field(_ name: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
      }
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      threads = field("Threads")
      memory = field("RssAnon")
    }
  }

  @Test func `ten thousand rounds take no more than a thousand`() async throws {
    // Other tests would count too: it has to run alone.
    if ProcessInfo.processInfo.environment["PODGET_SOAK"] == nil {
      try Test.cancel("Only the long tests make so many rounds.")
    }
    let harness = try SyncHarness([
      "/a": FeedHost.Feed([FeedHost.Item(1)]), "/b": FeedHost.Feed(title: "B", [FeedHost.Item(2)]),
    ])
    try harness.follow("a", "/a", title: "The Feed")
    try harness.follow("b", "/b", title: "B")
    var early: Use?
    for round in 1...10_000 {
      let report = try await harness.sync()
      #expect(report.failures.isEmpty)
      harness.host.forgetLog()
      harness.pass(.seconds(900))
      if round == 1000 { early = try Use() }
    }
    let (first, last) = (try #require(early), try Use())
    #expect(last.descriptors <= first.descriptors + 4, "\(first), \(last)")
    #expect(last.threads <= first.threads + 4, "\(first), \(last)")
    #expect(last.memory <= first.memory + 4096, "\(first), \(last)")
    print("10,000 rounds: after 1,000 \(first), at the end \(last)")
  }
}
