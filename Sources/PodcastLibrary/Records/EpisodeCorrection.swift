public import FoundationEssentials
import PodcastModel

/// What a user says of an episode in place of its feed.
///
/// Lists, names and filters have the corrected words. Whether an episode is new, and which one it is,
/// is decided by the words of its feed.
public struct EpisodeCorrection: Sendable, Hashable {
  /// The title; nil leaves it.
  public var title: String?
  /// When it was published (UTC); nil leaves it.
  public var date: Date?

  /// The longest title in bytes.
  public static let longestTitle = PodcastCorrection.longestTitle

  /// Creates a correction.
  public init(title: String? = nil, date: Date? = nil) { (self.title, self.date) = (title, date) }

  /// An episode as its feed describes it, with what is corrected.
  func applied(to listed: Episode) -> Episode {
    var episode = listed
    if let title { episode.title = title }
    if let date { episode.date = date }
    return episode
  }
}
