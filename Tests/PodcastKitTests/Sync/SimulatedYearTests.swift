import Foundation
import LoopbackServer
import PodcastLibrary
import PodcastModel
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// A library that nobody looks at for a long time, by a clock that only the test moves: podcasts of many
/// kinds, with all that goes wrong with feeds, a clock that is wrong for an hour, and a process that ends
/// and starts again.
@Suite("A simulated year") struct SimulatedYearTests {
  private static let latest = 5

  @Test func `every wanted episode comes once, and no other`() async throws {
    let isLong = ProcessInfo.processInfo.environment["PODGET_SOAK"] != nil
    // Everything that goes wrong does so within the first months.
    let (count, days) = isLong ? (2000, 365.0) : (YearPodcast.Kind.allCases.count, 90.0)
    let harness = try SyncHarness()
    let start = harness.now
    let podcasts = (0..<count).map { YearPodcast(number: $0, start: start, days: days) }
    let skew = Mutex(0.0)
    let truth: @Sendable () -> Date = {
      harness.now.addingTimeInterval(-skew.withLock { $0 })
    }
    harness.host.answer { [origin = harness.host.origin] path in
      guard let number = Int(path.dropFirst(2)), podcasts.indices.contains(number) else {
        return nil
      }
      return podcasts[number].feed(path, at: truth(), origin: origin)
    } lacking: { number in
      let (podcast, episode) = number.quotientAndRemainder(dividingBy: YearPodcast.spread)
      return podcasts.indices.contains(podcast)
        && podcasts[podcast].lacks(episode, at: truth())
    }
    try harness.file.update { list in
      for podcast in podcasts {
        list.add(
          Subscription(
            name: "p\(podcast.number)", title: podcast.title,
            feedURL: FeedURL("\(harness.host.origin)\(podcast.path)")))
      }
    }

    var got: [Int: [Int: Int]] = [:]
    var rounds = 0
    let wasWrong = Mutex(0)
    for end in [30.0, 60, days] {
      let asked = Mutex(0)
      let report = try await harness.watch(
        latest: Self.latest, step: .seconds(isLong ? 1800 : 3600)
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
          let number = Int(
            event.plan.episode.enclosure.url.split(separator: "/").last?.prefix { $0 != "." } ?? "")
        else { continue }
        let (podcast, episode) = number.quotientAndRemainder(dividingBy: YearPodcast.spread)
        let place = episode > YearPodcast.elsewhere ? episode - YearPodcast.elsewhere : episode
        got[podcast, default: [:]][place, default: 0] += 1
      }
    }

    let end = truth()
    var requests: [Int: Int] = [:]
    for request in harness.host.feedRequests {
      requests[Int(request.path.dropFirst(2)) ?? -1, default: 0] += 1
    }
    for podcast in podcasts {
      let found = got[podcast.number] ?? [:]
      let about = "podcast \(podcast.number), \(podcast.kind)"
      #expect(found.filter { $0.value > 1 }.isEmpty, "\(about): more than once")
      let known = Set(found.keys)
      let all = podcast.wanted(latest: Self.latest, until: end)
      // What came in the last days may be on its way.
      let sure = podcast.wanted(latest: Self.latest, until: end.addingTimeInterval(-3 * 86_400))
      #expect(known.isSubset(of: all), "\(about): \(known.subtracting(all).sorted()) not wanted")
      #expect(sure.isSubset(of: known), "\(about): \(sure.subtracting(known).sorted()) missing")
      let subscription = try #require(
        try harness.subscriptions.first { $0.name == "p\(podcast.number)" })
      #expect(subscription.feedURL.text == harness.host.origin + podcast.lastPath, "\(about)")
    }
    let weeks = days / 7
    let perWeek = podcasts.filter { $0.kind == .plain }.map {
      Double(requests[$0.number] ?? 0) / weeks
    }
    print(
      "\(rounds) rounds, \(requests.values.reduce(0, +)) requests for feeds in \(Int(days)) days;",
      "plain podcasts: \(perWeek.prefix(4)) a week")
  }
}
