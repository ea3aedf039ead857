import FoundationEssentials
import PodcastKit

/// What listings show of a local episode.
protocol ListableEpisode: Sendable {
  var podcast: Podcast { get }
  var title: String { get }
  var date: Date? { get }
  var duration: Duration? { get }
  var status: LocalEpisode.Status { get }
  var bytes: Int64 { get }
  var total: Int64? { get }
  var isStarred: Bool { get }
  var downloadedAt: Date? { get }
  var path: String { get }
  var name: String? { get }
}

extension LocalEpisode: ListableEpisode {}
extension EpisodeSummary: ListableEpisode {}
