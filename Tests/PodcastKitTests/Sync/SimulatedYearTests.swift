import Foundation
import PodcastLibrary
import PodcastModel
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// A library that nobody looks at for a long time, by a clock that only the test moves: podcasts of many
/// kinds, with all that goes wrong with feeds, a clock that is wrong for an hour, and power cuts.
@Suite("A simulated year") struct SimulatedYearTests {
  private static let latest = 5

  @Test func `every wanted episode comes once, and no other`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let isLong = variables["PODGET_SOAK"] != nil
    let kinds = YearPodcast.Kind.allCases.count
    // Everything that goes wrong does so within the first months.
    let usual = (count: isLong ? 3 * kinds : kinds, days: 90.0)
    // Other figures, such as those of Benchmarks.
    let count = variables["PODGET_YEAR_FEEDS"].flatMap { Int($0) } ?? usual.count
    let days = variables["PODGET_YEAR_DAYS"].flatMap { Double($0) } ?? usual.days
    try #require(days >= usual.days, "a move of the last weeks would not be settled yet")
    // Many feeds are those of several libraries, followed at the same time by processes of their own: a
    // processor has 500 or more.
    let parts = max(1, min(ProcessInfo.processInfo.activeProcessorCount, count / 500))
    let done = try await withThrowingTaskGroup(of: Done.self) { group in
      for part in 0..<parts {
        let numbers = count * part / parts..<count * (part + 1) / parts
        group.addTask { try await simulate(numbers, days: days) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let requests = done.reduce(into: [:]) { all, part in all.merge(part.requests) { $1 } }
    print(
      Self.table(
        done.flatMap(\.podcasts), requests, weeks: days / 7,
        rounds: done.reduce(0) { $0 + $1.rounds }))
  }

  /// What became of a library.
  private struct Done: Sendable {
    var podcasts: [YearPodcast]
    var requests: [Int: YearTransport.Requests]
    var rounds: Int
  }

  /// Follows the podcasts with these numbers.
  private func simulate(_ numbers: Range<Int>, days: Double) async throws -> Done {
    let harness = try SyncHarness()
    let start = harness.now
    let podcasts = numbers.map { YearPodcast(number: $0, start: start, days: days) }
    let skew = Mutex(0.0)
    let truth: @Sendable () -> Date = {
      harness.now.addingTimeInterval(-skew.withLock { $0 })
    }
    let servers = YearTransport(podcasts, now: truth)
    let followed = try podcasts.map { podcast in
      Subscription(
        name: "p\(podcast.number)", title: podcast.title,
        feedURL: try #require(FeedURL(podcast.address)))
    }
    try harness.file.update { list in for subscription in followed { list.add(subscription) } }

    var got: [Int: [Int: Int]] = [:]
    var rounds = 0
    let wasWrong = Mutex(0)
    // Then the process ends, and another one begins.
    let ends = Array(stride(from: 30.0, to: days, by: 30)) + [days]
    for end in ends {
      let asked = Mutex(0)
      let report = try await harness.watch(
        latest: Self.latest, step: .seconds(days > 90 ? 10_800 : 3600), over: servers
      ) {
        asked.withLock { $0 += 1 }
        let day = truth().timeIntervalSince(start) / 86_400
        // For one round the clock is nine days ahead.
        let change = wasWrong.withLock { rounds -> Double in
          guard rounds > 0 || day > 76 else { return 0 }
          rounds += 1
          return rounds == 1 ? 9 : rounds == 2 ? -9 : 0
        }
        if change != 0 {
          skew.withLock { $0 += change * 86_400 }
          harness.pass(.seconds(change * 86_400))
        }
        return day < end
      }
      rounds += asked.withLock { $0 }
      for event in report.events {
        guard case .finished = event.kind,
          let address = YearPodcast.Address(event.plan.episode.enclosure.url),
          let episode = address.episode
        else { continue }
        let place = episode > YearPodcast.elsewhere ? episode - YearPodcast.elsewhere : episode
        got[address.podcast, default: [:]][place, default: 0] += 1
      }
      try Self.cutPower(harness)
    }

    let end = truth()
    let addresses = Dictionary(
      uniqueKeysWithValues: try harness.subscriptions.map { ($0.name, $0.feedURL.text) })
    for podcast in podcasts {
      let found = got[podcast.number] ?? [:]
      let about = "podcast \(podcast.number), \(podcast.kind)"
      #expect(found.filter { $0.value > 1 }.isEmpty, "\(about): more than once")
      let known = Set(found.keys)
      let all = podcast.wanted(latest: Self.latest, until: end)
      // What came in the last days may be on its way.
      let sure = podcast.wanted(latest: Self.latest, until: end, before: 3)
      #expect(known.isSubset(of: all), "\(about): \(known.subtracting(all).sorted()) not wanted")
      #expect(sure.isSubset(of: known), "\(about): \(sure.subtracting(known).sorted()) missing")
      #expect(addresses["p\(podcast.number)"] == podcast.lastAddress, "\(about)")
    }
    #expect(servers.leaks.isEmpty)
    return Done(podcasts: podcasts, requests: servers.requests, rounds: rounds)
  }

  /// The machine loses what was written last and not synced: a state that is lost is seen again.
  private static func cutPower(_ harness: SyncHarness) throws {
    let path = "library/.podget/\(FeedStateLog.name)"
    let text = try harness.folder.read(path)
    try harness.folder.write(path, Array(text.dropLast(min(text.count / 2, 5000))))
  }

  /// How often feeds of each kind were asked, for people and for Benchmarks.
  private static func table(
    _ podcasts: [YearPodcast], _ requests: [Int: YearTransport.Requests], weeks: Double,
    rounds: Int
  ) -> String {
    var lines = ["| kind | requests a week | of them 304 |", "|---|---|---|"]
    func line(_ name: String, _ numbers: [Int]) {
      let own = numbers.compactMap { requests[$0] }
      let all = Double(own.reduce(0) { $0 + $1.all }) / weeks / Double(max(numbers.count, 1))
      let unchanged =
        Double(own.reduce(0) { $0 + $1.unchanged }) / weeks / Double(max(numbers.count, 1))
      lines.append("| \(name) | \(rounded(all)) | \(rounded(unchanged)) |")
    }
    for kind in YearPodcast.Kind.allCases {
      line("\(kind)", podcasts.filter { $0.kind == kind }.map(\.number))
    }
    line("all", podcasts.map(\.number))
    let sum = requests.values.reduce(0) { $0 + $1.all }
    return "\(rounds) rounds, \(sum) requests for \(podcasts.count) feeds in \(Int(weeks)) weeks\n"
      + lines.joined(separator: "\n")
  }

  private static func rounded(_ number: Double) -> String {
    String((number * 10).rounded() / 10)
  }
}
