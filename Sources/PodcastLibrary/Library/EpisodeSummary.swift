package import FoundationEssentials
package import PodcastModel

/// A local episode without its enclosure and its checksum: a listing of a large library does not
/// need them, and reading them takes as long as everything else.
///
/// What listings read again and again of each episode is stored in place: in their order, the
/// episodes' own content is all over the memory.
package struct EpisodeSummary: Sendable {
  /// When the episode was published (UTC), if known.
  package let date: Date?
  /// The published duration, if known.
  package let duration: Duration?
  /// How many bytes are on the disk.
  package let bytes: Int64
  /// What is on the disk.
  package let status: LocalEpisode.Status
  /// Whether it is a favourite.
  package let isStarred: Bool
  // What is missing in it stays in here.
  private let local: LocalEpisode

  init(_ local: LocalEpisode) {
    self.local = local
    (date, duration, bytes) = (local.date, local.duration, local.bytes)
    (status, isStarred) = (local.status, local.isStarred)
  }

  /// The podcast.
  package var podcast: Podcast { local.podcast }
  /// The episode's title.
  package var title: String { local.title }
  /// The size of the complete file, if known.
  package var total: Int64? { local.total }
  /// When it was finished (UTC).
  package var downloadedAt: Date? { local.downloadedAt }
  /// The file's path relative to the library; for a partial one the planned path.
  package var path: String { local.path }
  /// What names it for commands: its track id, else its guid.
  package var name: String? { local.name }
}

extension LocalEpisode {
  /// What names it for commands: its track id, else its guid.
  package var name: String? { names.id.map { String($0) } ?? names.guid }
}

extension Library {
  /// Every local episode as a listing shows it, like ``locatedReading(of:recording:isEnough:)``.
  ///
  /// - Returns: the episodes, and the rest of the reading, whose own list is empty.
  package func listing() -> (episodes: [EpisodeSummary], reading: LibraryReading) {
    // Missing files are searched by their checksums.
    var reading = reading(hasDetails: false) { episodes in
      !episodes.contains { $0.status == .missing }
    }
    reading = located(reading, recording: true)
    let episodes = reading.episodes.map { EpisodeSummary($0) }
    reading.episodes = []
    return (episodes, reading)
  }
}
