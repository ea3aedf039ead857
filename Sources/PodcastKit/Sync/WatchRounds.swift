package import FoundationEssentials
import Synchronization

/// What the rounds of a watch hand on to each other: which feeds the next one asks, and when it begins.
package struct WatchRounds: Sendable {
  /// The longest wait: a clock may be set, and a subscription may be added meanwhile.
  private static let longestWait = Duration.seconds(300)

  /// What the rounds remember of the network.
  private var network = NetworkMemory()
  /// How many rounds in a row had no network.
  private var roundsWithoutNetwork = 0
  private var isFirst = true

  /// Begins with a first round.
  package init() {}

  /// The options of the next round: the first one asks every feed, as a single sync, and the others ask
  /// those that are due.
  package mutating func next(_ options: SyncOptions) -> SyncOptions {
    var options = options
    options.network = network
    options.asksDueOnly = options.asksDueOnly || !isFirst
    options.isLaterRound = !isFirst
    isFirst = false
    return options
  }

  /// How long to wait after a round: until the next feed is due.
  ///
  /// - Parameters:
  ///   - outcome: that of the round.
  ///   - options: those of the next one.
  ///   - now: the time of day (UTC).
  package mutating func wait(
    after outcome: SyncOutcome, _ options: SyncOptions, at now: Date
  ) -> Duration {
    network = outcome.network
    roundsWithoutNetwork = outcome.isNetworkDown ? roundsWithoutNetwork + 1 : 0
    if outcome.isNetworkDown {
      return options.pace.waitWithoutNetwork(rounds: roundsWithoutNetwork)
    }
    guard let next = outcome.nextCheck else { return Self.longestWait }
    return .seconds(min(max(next.timeIntervalSince(now), 0.2), Self.longestWait / .seconds(1)))
  }
}

extension DownloadRun {
  /// Checks the feeds of followed podcasts once, and downloads what is new in them; afterwards it removes
  /// what rules say.
  ///
  /// The library's file of subscriptions says which podcasts are followed. Failures are events.
  /// Cancelling the task is the same as ``cancel()``.
  ///
  /// - Parameters:
  ///   - names: only these subscriptions, by their names, titles, ids or addresses; all when nil.
  ///   - options: what is wanted, where a subscription does not say.
  /// - Returns: what came of the checks.
  @discardableResult
  public func sync(
    _ names: [String]? = nil, _ options: SyncOptions = SyncOptions()
  ) async -> SyncOutcome {
    await sync(names, SyncRound(options))
  }

  /// Follows podcasts until the task is cancelled: it checks each feed when it is due, and downloads what
  /// is new. Downloads and later checks run at the same time.
  ///
  /// Changes of the library's file of subscriptions count from the next check on. It also ends when the
  /// library follows nothing in the beginning, which is an event.
  ///
  /// - Parameters:
  ///   - names: only these subscriptions; all when nil.
  ///   - options: what is wanted, where a subscription does not say.
  public func watch(
    _ names: [String]? = nil, _ options: SyncOptions = SyncOptions()
  ) async {
    let rounds = Mutex(WatchRounds())
    let (now, clock) = (now, clock)
    await sync(names) { outcome in
      if let outcome {
        if outcome.cannotGoOn { return nil }
        let wait = rounds.withLock { $0.wait(after: outcome, options, at: now()) }
        do { try await clock.sleep(for: wait) } catch { return nil }
      }
      return SyncRound(rounds.withLock { $0.next(options) })
    }
  }
}
