import FoundationEssentials
import PodcastKit

/// The results of a removal.
struct RemovalReport: Sendable {
  private let removals: [(before: LocalEpisode, error: PodgetError?)]
  private let copies: [LocalEpisode]
  private let now: Date
  private let keptUntil: Date?

  /// - Parameters:
  ///   - episodes: the episodes as they were.
  ///   - copies: their copies in other folders of the library.
  ///   - outcomes: what became of each of the episodes.
  ///   - remover: what removed them.
  init(
    of episodes: [LocalEpisode], copies: [LocalEpisode], _ outcomes: [EpisodeRemover.Outcome],
    by remover: EpisodeRemover
  ) {
    (now, keptUntil) = (remover.now, remover.keptUntil)
    self.copies = copies
    removals = zip(episodes, outcomes).map { ($0, Self.error($1)) }
  }

  /// The episodes as they are now.
  var episodes: [LocalEpisode] {
    removals.map { removal in
      guard removal.error == nil else { return removal.before }
      var episode = removal.before
      episode.status = .removed
      episode.bytes = 0
      episode.removedAt = episode.removedAt ?? now
      return episode
    }
  }

  /// The decisions with their results.
  func applied(to decisions: [PruneDecision]) -> [PruneDecision] {
    let errors = Dictionary(
      removals.map { ($0.before.key, $0.error) }, uniquingKeysWith: { first, _ in first })
    return decisions.map { decision in
      var decision = decision
      decision.error = errors[decision.local.key] ?? nil
      return decision
    }
  }

  /// Writes the removed episodes, their sum and the failures, which end the command with status 1.
  ///
  /// - Parameter elements: the results as JSON.
  func write(_ elements: @autoclosure () -> [JSONValue], to output: ListingOutput) throws {
    let before = removals.map(\.before).filter { $0.status == .removed }
    let removed = removals.filter { $0.error == nil && $0.before.status != .removed }.map(\.before)
    let keys = Set(removed.map(\.key))
    let copies = copies.filter { keys.contains($0.key) }
    try output.writeResults {
      try output.write(
        elements(),
        lines: before.map { RemovalText.line("was removed", $0) }
          + removed.map { RemovalText.line("removed", $0) }
          + copies.map { RemovalText.line("removed", copyOf: $0) })
    } then: {
      output.summarize(RemovalText.summary(removed, copies: copies, keptUntil: keptUntil))
      try output.require(
        noneOf: removals.compactMap { episode, error in
          error.map { PodgetError($0.code, "\(episode.title): \($0.sentence)") }
        })
    }
  }

  private static func error(_ outcome: EpisodeRemover.Outcome) -> PodgetError? {
    switch outcome {
    case .removed: nil
    case .starred: PodgetError(.disk, "It was starred in the meantime and stays.")
    case .busy:
      PodgetError(.disk, "Another podget is downloading it; try again when it has ended.")
    case .failed(let error): error
    }
  }
}

/// Removals in words.
enum RemovalText {
  /// A line about one episode: a verb, its title and its size.
  static func line(_ verb: String, _ episode: LocalEpisode) -> ResultLine {
    line(verb, episode.title, episode.bytes)
  }

  /// A line about a file of an episode in a copy of its folder: its path says which.
  static func line(_ verb: String, copyOf episode: LocalEpisode) -> ResultLine {
    line(verb, episode.path, episode.bytes)
  }

  private static func line(_ verb: String, _ name: String, _ bytes: Int64) -> ResultLine {
    let size = bytes > 0 ? "  \(ByteText.size(bytes))" : ""
    return ResultLine(verb: verb, name: name + size)
  }

  /// The totals of the removals, and until when they can be undone.
  static func summary(
    _ removed: [LocalEpisode], copies: [LocalEpisode], keptUntil: Date?
  ) -> String {
    guard !removed.isEmpty else { return "There was nothing to remove." }
    let size = ByteText.size(ByteSum.of((removed + copies).map(\.bytes)))
    let what = "\(EventText.episodes(removed.count)) removed (\(size))"
    guard let keptUntil, removed.contains(where: { $0.status == .complete }) else { return what }
    return "\(what); podget restore brings back what is in the trash until \(CivilDay(keptUntil))"
  }
}
