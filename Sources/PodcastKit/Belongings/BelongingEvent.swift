public import PodcastModel

/// What became of a file that is stored beside an episode.
public struct BelongingEvent: Sendable, Hashable {
  /// The podcast of the episode.
  public var podcast: Podcast
  /// The episode.
  public var episode: Episode
  /// The kind of the file.
  public var kind: Belonging
  /// Its path relative to the library, or why it is not there. That is no failure of the episode.
  public var result: Result<String, PodgetError>

  /// Whether two say the same.
  public static func == (first: Self, second: Self) -> Bool {
    first.episode == second.episode && first.podcast == second.podcast && first.kind == second.kind
      && (try? first.result.get()) == (try? second.result.get())
  }

  /// Equal events have one episode.
  public func hash(into hasher: inout Hasher) { hasher.combine(episode) }
}
