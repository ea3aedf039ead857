import Foundation
import PodcastModel
import Synchronization
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

  private let harness: SyncHarness

  init() throws {
    harness = try SyncHarness([
      "/a": FeedHost.Feed([FeedHost.Item(1)]), "/b": FeedHost.Feed(title: "B", [FeedHost.Item(2)]),
    ])
    try harness.follow("a", "/a", title: "The Feed")
    try harness.follow("b", "/b", title: "B")
  }

  @Test func `a download delays no check of later rounds`() async throws {
    harness.host.heldMedia = [1]
    let harness = harness
    let report = try await harness.syncRounds { number in
      switch number {
      case 2: harness.host["/b"].items.insert(FeedHost.Item(3), at: 0)
      case 3:
        // What the second round planned arrives while an episode of the first one is held.
        await Self.patiently {
          harness.library.episodes().contains {
            $0.plan.episode.title == "Number 3" && $0.status == .complete
          }
        }
        harness.host["/a"].items.insert(FeedHost.Item(4), at: 0)
      case 5:
        harness.host.heldMedia = []
        await Self.patiently { harness.library.episodes().allSatisfy { $0.status == .complete } }
      case 7: return false
      default: break
      }
      return true
    }
    #expect(report.checks.count == 12)
    #expect(report.planned == ["Number 1", "Number 2", "Number 3", "Number 4"])
    #expect(report.finished == report.planned)
    #expect(harness.host.mediaRequests.sorted() == [1, 2, 3, 4])
    #expect(report.failures.isEmpty && report.sources.isEmpty)
  }

  @Test func `limits hold over rounds`() async throws {
    harness.host.heldMedia = [1, 2]
    let harness = harness
    let report = try await harness.syncRounds(jobs: 2) { number in
      switch number {
      case 2:
        await Self.patiently { harness.host.mediaRequests.count == 2 }
        harness.host["/b"].items.insert(FeedHost.Item(3), at: 0)
      case 4:
        #expect(harness.host.mediaRequests.sorted() == [1, 2])
        harness.host.heldMedia = []
      case 5: return false
      default: break
      }
      return true
    }
    #expect(report.finished == ["Number 1", "Number 2", "Number 3"])
    #expect(harness.host.mediaRequests.last == 3)
  }

  @Test func `what failed in one round is tried again in the next one`() async throws {
    harness.host.missingMedia = [1]
    let harness = harness
    let report = try await harness.syncRounds { number in
      await Self.patiently { harness.library.unfinished().allSatisfy { $0.failure != nil } }
      harness.pass(.seconds(3600))
      if number == 2 { harness.host.missingMedia = [] }
      return number < 3 || !harness.library.unfinished().isEmpty
    }
    #expect(report.planned == ["Number 1", "Number 1", "Number 2"])
    #expect(report.finished == ["Number 1", "Number 2"])
  }

  @Test func `a folder of partial files that somebody removed is created again`() async throws {
    let harness = harness
    let report = try await harness.syncRounds { number in
      if number == 2 {
        await Self.patiently {
          let episodes = harness.library.episodes()
          return episodes.count == 2 && episodes.allSatisfy { $0.status == .complete }
        }
        do {
          try harness.delete("library/.podget/partial")
        } catch {
          Issue.record(error)
        }
        harness.host["/b"].items.insert(FeedHost.Item(3), at: 0)
      }
      return number < 4
    }
    #expect(report.planned == ["Number 1", "Number 2", "Number 3"])
    #expect(report.finished == report.planned)
    #expect(harness.library.unfinished().isEmpty)
  }

  private static func patiently(_ condition: @Sendable () -> Bool) async {
    do {
      try await waitUntil("the download", condition)
    } catch {
      Issue.record(error)
    }
  }

  @Test func `ten thousand rounds take no more than a thousand`() async throws {
    // Other tests would count too: it has to run alone.
    if ProcessInfo.processInfo.environment["PODGET_SOAK"] == nil {
      try Test.cancel("Only the long tests make so many rounds.")
    }
    let harness = harness
    let uses = Mutex<[Int: Use]>([:])
    let report = try await harness.syncRounds(keepsChecks: false) { number in
      harness.host.forgetLog()
      harness.pass(.seconds(900))
      if [1001, 10_001].contains(number), let use = try? Use() {
        uses.withLock { $0[number] = use }
      }
      return number <= 10_000
    }
    #expect(report.failures.isEmpty)
    let first = try #require(uses.withLock { $0[1001] })
    let last = try #require(uses.withLock { $0[10_001] })
    #expect(last.descriptors <= first.descriptors + 4, "\(first), \(last)")
    #expect(last.threads <= first.threads + 4, "\(first), \(last)")
    // What the allocator keeps differs by up to 4.2 MiB from run to run; sleeps that were kept until
    // their deadline took 11.8 MiB.
    #expect(last.memory <= first.memory + 8192, "\(first), \(last)")
    print("10,000 rounds: after 1,000 \(first), at the end \(last)")
  }
}
