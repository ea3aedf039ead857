import PodcastLibrary
public import PodcastModel

/// Something that happened in a run of downloads.
///
/// A failure is an element like any other and ends nothing: other sources and episodes continue.
public enum RunEvent: Sendable {
  /// A source was read: the podcast, and the number of chosen episodes.
  case listing(Podcast, episodes: Int)
  /// A source could not be read, or not everything that it names exists; also the library itself,
  /// by its path.
  case sourceFailed(String, PodgetError)
  /// How many feeds of followed podcasts are checked, and how many there are.
  case checking(Int, of: Int)
  /// The feed of a followed podcast was checked.
  case checked(FeedCheck)
  /// The feed of a followed podcast could not be read: the subscription's name, the podcast, and why.
  case feedFailed(String, Podcast, PodgetError)
  /// The feed of a followed podcast began to fail, is gone, or the subscription has moved.
  case feedChanged(FeedChange)
  /// The feed of a followed podcast, by the name of its subscription, could not be read for the same
  /// reason as before, which was reported within the last week.
  case feedStillFails(String)
  /// All feeds of a round were checked, and what they have to download is planned. What is planned
  /// after it belongs to the next round; downloads of this one may go on.
  case roundChecked
  /// A rule of a followed podcast removed an episode, or would.
  case removed(RetiredEpisode)
  /// A file was stored beside an episode, or could not be.
  case belonging(BelongingEvent)
  /// A sentence for the user, such as "2 episodes of Show are for subscribers only."
  case note(String)
  /// Something happened to one planned episode.
  case episode(DownloadEvent)
}
