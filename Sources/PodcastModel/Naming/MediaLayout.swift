/// How a library is arranged for a media server: a preset of the template and of the files that podget
/// writes beside the episodes of a podcast.
public enum MediaLayout: String, Sendable, Hashable, CaseIterable {
  /// audiobookshelf: one flat folder for each podcast, with `metadata.json`.
  case audiobookshelf
  /// Jellyfin: each podcast is an album, with `album.nfo` and a playlist.
  case jellyfin
  /// Players without a database: a playlist.
  case plain

  /// The template; all of these programs take a folder for one podcast, and none wants more folders in it.
  package var template: String { "{podcast}/{date} - {title}.{ext}" }

  /// The files that podget writes into a podcast's folder.
  package var sidecars: [PodcastSidecar] {
    switch self {
    case .audiobookshelf: [.metadata]
    case .jellyfin: [.album, .playlist]
    case .plain: [.playlist]
    }
  }
}

/// A file about a podcast in its folder. podget replaces only those that it has written: each says so.
package enum PodcastSidecar: String, Sendable, Hashable, CaseIterable {
  /// `metadata.json`, which audiobookshelf reads.
  case metadata
  /// `album.nfo`, which Jellyfin and Kodi read.
  case album
  /// A playlist of the complete episodes, the oldest first (M3U in UTF-8).
  case playlist

  /// The most bytes of one that podget has written.
  package static let maximumBytes: Int64 = 64 << 20

  /// Its name in a folder with this name.
  package func name(in folder: String) -> String {
    switch self {
    case .metadata: "metadata.json"
    case .album: "album.nfo"
    case .playlist: "\(folder).m3u8"
    }
  }

  /// What its first bytes have if podget wrote it.
  package var mark: String {
    switch self {
    case .metadata: "{\n  \"writer\": \"podget\","
    case .album: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Written by podget -->"
    case .playlist: "#EXTM3U\n#PODGET"
    }
  }
}
