import PodcastKit

/// An episode as its publisher announces it, with what the library has of it.
struct PublishedEpisode: Sendable, Hashable {
  /// Its podcast.
  var podcast: Podcast
  /// The episode.
  var episode: Episode
  /// The library's own; nil when it knows nothing of it.
  var local: LocalEpisode?

  /// What lies on the disk, in the words of the contract; `remote` where nothing ever did.
  var status: String { local?.status.rawValue ?? "remote" }

  /// The size in bytes: that of the whole as far as it is known, else as announced.
  var size: Int64? {
    guard let local else { return episode.enclosure.length }
    return local.total ?? (local.status == .complete ? local.bytes : episode.enclosure.length)
  }

  /// Finds out what an index of the library has of an episode.
  init(_ episode: Episode, of podcast: Podcast, in index: LibraryIndex) {
    self.podcast = podcast
    self.episode = episode
    // Only the identity is looked at; where the file would go does not matter.
    local = index.local(
      for: DownloadPlan(
        key: EpisodeIdentity.key(podcast: podcast, episode: episode), podcast: podcast,
        episode: episode, folder: "", stem: "", announcedExtension: ""))
  }
}
