import Foundation
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// A library that follows feeds of a host, with a time of day that only tests move.
final class SyncHarness: Sendable {
  /// What one sync reported.
  struct Report {
    var checks: [FeedCheck] = []
    var failures: [(name: String, error: PodgetError)] = []
    var sources: [(source: String, error: PodgetError)] = []
    var changes: [FeedChange] = []
    /// The subscriptions that still fail.
    var stillFailing: [String] = []
    var notes: [String] = []
    var belongings: [BelongingEvent] = []
    var events: [DownloadEvent] = []
    var outcome = SyncOutcome()

    /// The titles of the episodes that were planned, sorted.
    var planned: [String] {
      events.filter { if case .planned = $0.kind { true } else { false } }
        .map(\.plan.episode.title).sorted()
    }

    /// The titles of the episodes that were downloaded, sorted.
    var finished: [String] {
      events.filter { if case .finished = $0.kind { true } else { false } }
        .map(\.plan.episode.title).sorted()
    }

    /// The results of the checks by the names of the subscriptions.
    var results: [String: FeedCheck.Result] {
      Dictionary(uniqueKeysWithValues: checks.map { ($0.name, $0.result) })
    }
  }

  let folder: TemporaryFolder
  let library: Library
  let host: FeedHost
  private let time = Mutex(Date(timeIntervalSince1970: 1_706_700_000))

  init(_ feeds: [String: FeedHost.Feed] = [:]) throws {
    folder = try TemporaryFolder()
    guard let library = try Library.open(folder.path("library"), creating: true) else {
      throw POSIXError(.ENOENT)
    }
    self.library = library
    host = try FeedHost(feeds)
  }

  /// A library that follows one feed with three episodes, at `/a`.
  static func followingOne() throws -> SyncHarness {
    let harness = try SyncHarness([
      "/a": FeedHost.Feed([FeedHost.Item(3), FeedHost.Item(2), FeedHost.Item(1)])
    ])
    try harness.follow("a", "/a", title: "The Feed")
    return harness
  }

  /// The address of a path of the host.
  func address(_ path: String) -> String { host.origin + path }

  /// Lets a feed announce that it is at another path.
  func announce(_ path: String, at other: String) {
    host[path].head = "<itunes:new-feed-url>\(address(other))</itunes:new-feed-url>"
  }

  var file: SubscriptionFile { SubscriptionFile(library) }

  /// The time of day.
  var now: Date { time.withLock { $0 } }

  /// Moves the time of day.
  func pass(_ duration: Duration) {
    time.withLock { $0.addTimeInterval(duration / .seconds(1)) }
  }

  /// The subscriptions, as they are on the disk.
  var subscriptions: [Subscription] { get throws { try file.read().subscriptions } }

  /// The stored state of the feed of a subscription.
  func state(_ name: String) throws -> FeedState? {
    var list = try file.read()
    guard let subscription = list.named(name) else { return nil }
    return try FeedStateLog.states(of: library)[subscription.firstURL]
  }

  /// Deletes a file, by its path in the harness's folder.
  func delete(_ path: String) throws {
    try FileManager.default.removeItem(atPath: folder.path(path))
  }

  /// Follows the feed at a path of the host.
  func follow(_ name: String, _ path: String, title: String? = nil) throws {
    let url: FeedURL = "\(host.origin)\(path)"
    try file.update { list in
      list.add(Subscription(name: name, title: title ?? name, feedURL: url))
    }
  }

  /// Syncs all subscriptions, or those that are named.
  func sync(
    names: [String]? = nil, latest: Int? = 5, accepts: Bool = false, isDryRun: Bool = false,
    options: SyncOptions = SyncOptions(),
    retries: Int = 0, clock: any Clock<Duration> = RunClock(),
    onEvent: (RunEvent, DownloadRun) async -> Void = { _, _ in }
  ) async throws -> Report {
    try await report(isDryRun: isDryRun, retries: retries, clock: clock, onEvent) { run in
      var round = Self.round(latest: latest, accepts: accepts, options)
      round.logins = SubscriptionLogins(clock: clock)
      return await run.sync(names, round)
    }
  }

  /// Syncs all subscriptions in rounds of one run.
  ///
  /// - Parameters:
  ///   - jobs: how many episodes are downloaded at the same time.
  ///   - keepsChecks: whether the report has what was found in feeds.
  ///   - next: waits for the next round, whose number it gets, from 1; false ends the run.
  func syncRounds(
    latest: Int? = 5, jobs: Int = 4, keepsChecks: Bool = true,
    clock: any Clock<Duration> = RunClock(),
    next: @escaping @Sendable (Int) async -> Bool,
    onEvent: (RunEvent, DownloadRun) async -> Void = { _, _ in }
  ) async throws -> Report {
    try await report(jobs: jobs, keepsChecks: keepsChecks, clock: clock, onEvent) { run in
      let rounds = Mutex(0)
      await run.sync { _ in
        let number = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        var options = SyncOptions()
        options.isLaterRound = number > 1
        guard await next(number) else { return nil }
        return Self.round(latest: latest, options)
      }
      return SyncOutcome()
    }
  }

  /// Syncs as `sync --watch` does: each round is at the time at which the next feed is due.
  ///
  /// - Parameters:
  ///   - step: how far apart rounds are at least.
  ///   - transport: performs the requests, in place of the real one.
  ///   - next: called before each round; false ends the run.
  func watch(
    latest: Int?, step: Duration, over transport: (any Transport)? = nil,
    next: @escaping @Sendable () -> Bool
  ) async throws -> Report {
    let open = Mutex(0)
    return try await report(over: transport, keepsChecks: false) { event, _ in
      guard case .episode(let event) = event else { return }
      if case .planned = event.kind { open.withLock { $0 += 1 } }
      if event.kind.isTerminal { open.withLock { $0 -= 1 } }
    } _: { [self] run in
      await run.sync { [self] outcome in
        do {
          // A download does not take days.
          try await waitUntil("the downloads") { open.withLock { $0 } == 0 }
        } catch {
          Issue.record(error)
          return nil
        }
        var options = SyncOptions()
        options.asksDueOnly = true
        options.isLaterRound = outcome != nil
        if let outcome {
          options.network = outcome.network
          let least = now.addingTimeInterval(step / .seconds(1))
          let due = outcome.nextCheck ?? now.addingTimeInterval(86_400)
          pass(.seconds(max(due, least).timeIntervalSince(now)))
        }
        return next() ? Self.round(latest: latest, options) : nil
      }
      return SyncOutcome()
    }
  }

  /// Follows the podcasts as a Swift program does, until the task is cancelled.
  func watch(_ options: SyncOptions, clock: any Clock<Duration>) async throws -> Report {
    try await report(clock: clock, { _, _ in }) { run in
      await run.watch(nil, options)
      return SyncOutcome()
    }
  }

  private static func round(
    latest: Int?, accepts: Bool = false, _ options: SyncOptions
  ) -> SyncRound {
    var options = options
    options.rules.episodes = EpisodeChoice(latest.map { .newest($0) } ?? .all)
    options.overrides.accepts = accepts
    return SyncRound(options)
  }

  private func report(
    over transport: (any Transport)? = nil, jobs: Int = 4, isDryRun: Bool = false,
    keepsChecks: Bool = true, retries: Int = 0,
    clock: any Clock<Duration> = RunClock(),
    _ onEvent: (RunEvent, DownloadRun) async -> Void,
    _ work: @escaping @Sendable (DownloadRun) async -> SyncOutcome
  ) async throws -> Report {
    let configuration = CurlSession.Configuration(
      userAgent: "podget-test", stallTimeout: .seconds(600), proxy: "")
    var downloads = DownloadOptions()
    downloads.retries = RetryPolicy(retries: retries, baseDelay: .zero)
    downloads.jobs = jobs
    return try await CurlSession.with(configuration) { session in
      let run = try DownloadRun(
        library: library, transport: transport ?? session,
        options: downloads, isDryRun: isDryRun, clock: clock, now: { [self] in now })
      async let outcome = work(run)
      var report = Report()
      for await event in run.events {
        switch event {
        case .checked(let check): if keepsChecks { report.checks.append(check) }
        case .feedFailed(let name, _, let error): report.failures.append((name, error))
        case .feedChanged(let change): report.changes.append(change)
        case .feedStillFails(let name): report.stillFailing.append(name)
        case .sourceFailed(let source, let error): report.sources.append((source, error))
        case .note(let note): report.notes.append(note)
        case .episode(let event): report.events.append(event)
        case .belonging(let event): report.belongings.append(event)
        case .listing, .checking, .roundChecked, .removed: break
        }
        await onEvent(event, run)
      }
      report.outcome = await outcome
      return report
    }
  }
}
