import FoundationEssentials
import PodcastLibrary
import PodcastModel

/// Feeds whose hosts could not be reached, until it is known whether that is their fault: if no host
/// answers, it is the network, and counts against no feed.
struct NetworkFailures {
  /// A feed that failed.
  struct Failure {
    var feed: FollowedFeed
    var error: PodgetError
    /// What is remembered of it, if it counts.
    var state: FeedState
    /// Whether people are to read about it.
    var isNews = true
    /// Whether the check before did not fail.
    var isFirst = false

    /// The event that reports it.
    var event: RunEvent {
      isNews
        ? .feedFailed(feed.subscription.name, feed.subscription.podcast, error)
        : .feedStillFails(feed.subscription.name)
    }
  }

  private var memory: NetworkMemory
  /// How many hosts the feeds are at, asked in this round or not.
  var hosts = 0
  private var round = NetworkRound()
  private(set) var failures: [Failure] = []

  /// Starts a round.
  ///
  /// - Parameter memory: what is known of earlier ones.
  init(_ memory: NetworkMemory) { self.memory = memory }

  /// Whether any host answered.
  var hasAnswer: Bool { round.hasAnswer }

  /// Notes the end of a request.
  ///
  /// - Parameters:
  ///   - error: the error of a request without an answer; nil if any answer arrived.
  ///   - failedBefore: whether the check of the feed before failed too.
  mutating func add(_ address: FeedURL, error: PodgetError.Code?, failedBefore: Bool) {
    round.add(address, error: error, failedBefore: failedBefore)
  }

  /// Adds a failure, if it is one of the network.
  ///
  /// - Returns: false if it is not.
  mutating func take(_ failure: Failure) -> Bool {
    guard failure.error.code == .network || failure.error.code == .timeout else { return false }
    failures.append(failure)
    return true
  }

  /// Whether every host failed, and none answered lately. One host of several says nothing about the
  /// network.
  func isNetworkDown(at now: Date) -> Bool {
    round.isNetworkDown && !hadAnswer(at: now)
      && remembered(at: now).failedHosts(at: now) >= min(2, hosts)
  }

  /// Whether a host has answered lately, in an earlier round.
  func hadAnswer(at now: Date) -> Bool { memory.hasAnswer(at: now) }

  /// What later rounds need to know of this one and those before it.
  func remembered(at now: Date) -> NetworkMemory {
    var memory = memory
    memory.add(round, at: now)
    return memory
  }

  /// The one event about a network that is down; nil if nothing failed.
  var event: RunEvent? {
    guard let first = failures.first else { return nil }
    // With one feed its own sentence says more.
    guard failures.count > 1 else { return first.event }
    let hosts =
      round.failedHosts == 1
      ? "The only host could not be reached"
      : "None of the \(round.failedHosts) hosts could be reached"
    return .sourceFailed(
      "network", PodgetError(first.error.code, "\(hosts); the network seems to be down."))
  }
}
