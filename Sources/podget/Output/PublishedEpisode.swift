import PodcastKit

/// An episode as its publisher announces it, with what the library has of it.
struct PublishedEpisode: Sendable, Hashable {
  /// Its podcast.
  var podcast: Podcast
  /// The episode.
  var episode: Episode
  /// The library's own; nil when it knows nothing of it.
  var local: LocalEpisode?
  /// What its feed says about it besides; nil when no feed was read.
  var details: EpisodeDetails?

  /// What lies on the disk, in the words of the contract; `remote` where nothing ever did.
  var status: String {
    switch local?.status {
    case nil, .removed: "remote"
    case let status?: status.rawValue
    }
  }

  /// The size in bytes: that of the whole as far as it is known, else as announced.
  var size: Int64? {
    guard let local else { return episode.enclosure.length }
    return local.total ?? (local.status == .complete ? local.bytes : episode.enclosure.length)
  }
}
