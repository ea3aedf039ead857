import PodcastKit

/// A published episode, with its status in the library.
struct PublishedEpisode: Sendable, Hashable {
  /// Its podcast.
  var podcast: Podcast
  /// The episode.
  var episode: Episode
  /// The library's own; nil when the library does not know it.
  var local: LocalEpisode?
  /// What its feed says about it besides; nil when no feed was read.
  var details: EpisodeDetails?

  /// The files that are stored beside it.
  var stored: [BelongingFile] = []

  /// What is on the disk, in the words of the contract; `remote` if nothing ever was.
  var status: String { local?.status.rawValue ?? "remote" }

  /// The size in bytes: the real size if known, otherwise the announced one.
  var size: Int64? {
    guard let local else { return episode.enclosure.length }
    return local.total ?? (local.status == .complete ? local.bytes : episode.enclosure.length)
  }
}
