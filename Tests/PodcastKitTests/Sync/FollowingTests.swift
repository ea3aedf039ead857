import Foundation
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastModel

/// How a Swift program follows podcasts, and what settings of subscriptions do to its rules.
@Suite("Following podcasts") struct FollowingTests {
  private static let now = SyncPieces.day(0)

  private func feed(
    _ settings: [SubscriptionSettings.Name: String], _ options: SyncOptions = SyncOptions()
  ) throws -> FollowedFeed {
    var subscription = Subscription(name: "a", title: "A", feedURL: "https://a.example/feed")
    for (name, text) in settings { subscription.settings[name] = text }
    return try options.feed(of: subscription, at: Self.now)
  }

  @Test func `the run comes before the subscription, and that before what is usual`() throws {
    var options = SyncOptions()
    options.rules.episodes.kind = .full
    options.rules.episodes.since = "30d"
    #expect(try feed([:], options).filter.limit == 5)
    #expect(try feed([.latest: "3", .type: "bonus"], options).filter.limit == 3)
    #expect(try feed([.latest: "3", .type: "bonus"], options).filter.kind == .bonus)
    #expect(try feed([:], options).filter.since == CivilDay(Self.now).adding(days: -30))
    #expect(try feed([.all: "true"], options).filter.limit == nil)
    options.overrides.episodes = EpisodeChoice(.newest(1))
    let feed = try feed([.all: "true", .season: "2", .maxNew: "none"], options)
    #expect(feed.filter.limit == 1 && feed.filter.season == 2 && feed.filter.kind == .full)
    #expect(feed.isOverridden && feed.mostNew == .max)
    options.overrides.mostNew = .some(7)
    #expect(try self.feed([.maxNew: "none"], options).mostNew == 7)
  }

  @Test func `the folder of a subscription is that of every template`() throws {
    var options = SyncOptions()
    let own = try feed([.folder: "Mine", .template: "{podcast}/{title}.{ext}"], options).template
    #expect(
      own
        == (try FilenameTemplate(parsing: "{podcast}/{title}.{ext}")).replacingPodcast(
          with: "Mine"))
    options.overrides.template = .standard
    let given = try feed([.folder: "Mine", .template: "{title}.{ext}"], options).template
    #expect(given == FilenameTemplate.standard.replacingPodcast(with: "Mine"))
  }

  /// The digest is stored with the state of a feed: after another one, the newest episodes are wanted
  /// again that a person may have left out.
  @Test(
    arguments: [
      ([:], "latest=5"), ([.all: "true", .latest: "2"], "all"),
      (
        [
          .latest: "2", .since: "30d", .until: "2024-06-01", .match: "a.c", .exclude: "d",
          .minDuration: "20m", .maxDuration: "1:30:00", .type: "bonus", .season: "2",
        ],
        """
        latest=2
        since=30d
        until=2024-06-01
        match=a.c
        exclude=d
        min=1200.0 seconds
        max=5400.0 seconds
        type=bonus
        season=2
        """
      ),
    ] as [([SubscriptionSettings.Name: String], String)])
  func `settings keep their digest`(
    settings: [SubscriptionSettings.Name: String], digest: String
  ) throws {
    #expect(try feed(settings).settingsDigest == digest)
  }

  @Test func `what waits is accepted whole, or the newest of it`() throws {
    var options = SyncOptions()
    options.overrides.accepts = true
    #expect(try feed([:], options).mostNew == nil)
    #expect(try feed([.latest: "3"], options).mostAccepted == nil)
    options.overrides.episodes.amount = .newest(2)
    #expect(try feed([:], options).mostAccepted == 2)
    #expect(try feed([:], options).mostNew == NewEpisodes.usualMost)
  }

  @Test func `settings that contradict each other are an error of the feed`() throws {
    var options = SyncOptions()
    options.rules.episodes.minimumDuration = .seconds(60)
    let error = #expect(throws: PodgetError.self) { try feed([.maxDuration: "30"], options) }
    #expect(error?.code == .decoding)
    #expect(error?.message.hasPrefix("min-duration is longer than max-duration; ") == true)
    let wrong = #expect(throws: PodgetError.self) { try feed([.keep: "many"]) }
    #expect(wrong?.message.contains("The subscription's keep is wrong.") == true)
  }

  @Test func `a subscription's rules of retention come before those of all`() throws {
    var rules = FollowingRules()
    rules.keep = 10
    rules.olderThan = "1y"
    var settings = SubscriptionSettings()
    #expect(try rules.policy(at: Self.now).maximumBytes == nil)
    settings[.keep] = "none"
    settings[.maxSize] = "1K"
    settings[.played] = "true"
    try rules.apply(settings)
    let policy = try rules.policy(at: Self.now)
    #expect(policy.newest == nil && policy.maximumBytes == 1024 && policy.removesPlayed)
    #expect(policy.firstDay == CivilDay(Self.now).adding(months: -12))
    // What no command accepts removes nothing.
    rules.keep = 0
    #expect(try rules.policy(at: Self.now).newest == nil)
    settings[.maxSize] = "none"
    try rules.apply(settings)
    #expect(try rules.policy(at: Self.now).maximumBytes == .max)
  }

  @Test func `a watch asks a feed when it is due, until its task is cancelled`() async throws {
    let harness = try SyncHarness.followingOne()
    let clock = SteppedClock()
    var options = SyncOptions()
    options.interval = .seconds(60)
    options.rules.episodes.amount = .newest(1)
    let watch = Task { [options] in try await harness.watch(options, clock: clock) }
    try await waitUntil("the first round", seen: { "\(clock.deadlines)" }) {
      clock.deadlines.contains(.seconds(60))
    }
    harness.host["/a"].items.insert(FeedHost.Item(4), at: 0)
    harness.pass(.seconds(60))
    clock.advance(by: .seconds(60))
    try await waitUntil("the new episode") {
      harness.library.episodes().count { $0.status == .complete } == 2
    }
    watch.cancel()
    let report = try await watch.value
    // Its event may come after the end of the watch.
    #expect(report.finished.first == "Number 3")
    #expect(report.checks.map(\.result) == [.read, .read])
  }

  @Test func `a program follows podcasts by the addresses of their feeds`() async throws {
    let harness = try SyncHarness(["/a": FeedHost.Feed(title: "The Feed", [FeedHost.Item(1)])])
    let configuration = CurlSession.Configuration(userAgent: "podget-test", proxy: "")
    let (feed, missing) = (harness.address("/a"), harness.address("/missing"))
    try await CurlSession.with(configuration) { session in
      let results = try await harness.library.follow([feed, missing], transport: session)
      #expect(results.map(\.source) == [feed, missing])
      #expect(try results[0].result.get().title == "The Feed")
      #expect(throws: PodgetError.self) { try results[1].result.get() }
      #expect(try harness.library.followedPodcasts().map(\.feedURL?.text) == [feed])
      let run = try DownloadRun(library: harness.library, transport: session)
      async let outcome = run.sync()
      for await _ in run.events {}
      #expect(await !outcome.isNetworkDown)
      #expect(harness.library.episodes().map(\.status) == [.complete])
    }
    let removed = try harness.library.unfollow(["The Feed", "nothing"])
    #expect(try removed[0].result.get().feedURL?.text == feed)
    #expect(throws: PodgetError.self) { try removed[1].result.get() }
    #expect(try harness.library.followedPodcasts().isEmpty)
  }
}
