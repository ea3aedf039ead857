import PodcastKit

/// The sums of rounds that overlap: an episode counts for the round that planned it, however late its
/// download ends.
struct RoundSummaries: Sendable {
  /// Where an event belongs.
  struct Place: Sendable, Hashable {
    /// The number of the round.
    var round: Int
    /// How many episodes the round has downloaded so far.
    var finished: Int
    /// Whether the round has come to its end with this event.
    var hasEnded: Bool
  }

  private struct Round {
    var summary = Summary()
    /// Whether all of its episodes are planned.
    var isChecked = false
    /// Whether a download was stopped: another run continues it, and its sums are those of the end.
    var isStopped = false
  }

  private let checksFeeds: Bool
  private var rounds: [Int: Round] = [:]
  /// The rounds of the episodes that have not ended, by their keys.
  private var places: [String: Int] = [:]
  private var current = 0

  /// No round has begun.
  ///
  /// - Parameter checksFeeds: whether feeds are counted.
  init(checksFeeds: Bool) { self.checksFeeds = checksFeeds }

  /// How many episodes and sources have failed in the rounds that are here.
  var failed: Int { rounds.values.reduce(0) { $0 + $1.summary.failed } }

  /// Counts a checked feed.
  mutating func count(_ check: FeedCheck) { change(current) { $0.summary.count(check) } }

  /// Counts a feed that fails as it did before.
  mutating func countStillFailing() { change(current) { $0.summary.countStillFailing() } }

  /// Counts a source that could not be read, or a command that failed.
  ///
  /// - Parameter round: the round that it belongs to; nil for the current one.
  mutating func countFailedSource(in round: Int? = nil) {
    change(round ?? current) { $0.summary.countFailedSource() }
  }

  /// Counts an event of an episode.
  ///
  /// - Returns: its place; nil unless the event ends the episode.
  mutating func count(_ event: DownloadEvent) -> Place? {
    let key = event.plan.key
    if case .planned = event.kind { places[key] = current }
    // What needs no download, or cannot be recorded, was not planned.
    let wasPlanned = places[key] != nil
    let number = places[key] ?? current
    change(number) { round in
      round.summary.count(event, wasPlanned: wasPlanned)
      if case .cancelled = event.kind { round.isStopped = true }
    }
    guard event.kind.isTerminal else { return nil }
    places[key] = nil
    return place(number)
  }

  /// Notes that the current round plans no more; the next one begins.
  mutating func endChecks() -> Place {
    change(current) { $0.isChecked = true }
    defer { current += 1 }
    return place(current)
  }

  /// Takes the sums of a round that has ended.
  mutating func take(_ round: Int) -> Summary {
    rounds.removeValue(forKey: round)?.summary ?? empty
  }

  /// Takes the sums of all rounds that are left.
  mutating func takeAll() -> Summary {
    var sum = empty
    for (_, round) in rounds.sorted(by: { $0.key < $1.key }) { sum.add(round.summary) }
    rounds = [:]
    current += 1
    return sum
  }
}

extension RoundSummaries {
  private var empty: Summary {
    var summary = Summary()
    if checksFeeds { summary.feeds = Summary.Feeds() }
    return summary
  }

  private mutating func change(_ number: Int, _ body: (inout Round) -> Void) {
    var round = rounds[number] ?? Round(summary: empty)
    body(&round)
    rounds[number] = round
  }

  private func place(_ number: Int) -> Place {
    let round = rounds[number] ?? Round()
    return Place(
      round: number, finished: round.summary.finished,
      hasEnded: round.isChecked && round.summary.open == 0 && !round.isStopped)
  }
}
