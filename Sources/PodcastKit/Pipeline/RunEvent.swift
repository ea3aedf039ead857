import PodcastLibrary
public import PodcastModel

/// Something that happened in a run of downloads.
///
/// A failure is an element like any other and ends nothing: other sources and episodes go on.
public enum RunEvent: Sendable {
  /// A source was read: this podcast, of which so many episodes are chosen.
  case listing(Podcast, episodes: Int)
  /// A source could not be read, or not all of what it names is there; also the library itself, by
  /// its path.
  case sourceFailed(String, PodgetError)
  /// A sentence for the user, such as "2 episodes of Show are for subscribers only."
  case note(String)
  /// Something happened to one planned episode.
  case episode(DownloadEvent)
}
