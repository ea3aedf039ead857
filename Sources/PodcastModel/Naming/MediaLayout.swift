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

/// A file about a podcast in its folder. podget replaces only those that are as it wrote them: each says so
/// at its beginning, with a hash of all that follows.
package enum PodcastSidecar: String, Sendable, Hashable, CaseIterable {
  /// `metadata.json`, which audiobookshelf reads.
  case metadata
  /// `album.nfo`, which Jellyfin and Kodi read.
  case album
  /// A playlist of the complete episodes, the oldest first (M3U in UTF-8).
  case playlist

  /// The most bytes of one that podget has written.
  package static let maximumBytes: Int64 = 64 << 20
  private static let hashDigits = 16

  /// Which one has such a name, in some folder; nil for any other name.
  package init?(name: String) {
    switch name {
    case "metadata.json": self = .metadata
    case "album.nfo": self = .album
    case _ where name.hasSuffix(".m3u8"): self = .playlist
    default: return nil
    }
  }

  /// Its name in a folder with this name.
  package func name(in folder: String) -> String {
    switch self {
    case .metadata: "metadata.json"
    case .album: "album.nfo"
    case .playlist: "\(folder).m3u8"
    }
  }

  /// The content of a file that podget writes.
  ///
  /// - Parameters:
  ///   - rest: what follows the line that says who wrote it.
  ///   - name: the file's name: a copy with another name is somebody's own.
  package func marked(_ rest: String, as name: String) -> String {
    let rest = mark.end + rest
    return mark.start + Self.hash(of: rest, as: name) + rest
  }

  /// Whether a file with this name has the bytes that podget wrote. One that an editor or another program
  /// has changed anywhere has not.
  package func isMarked(_ bytes: some Collection<UInt8>, as name: String) -> Bool {
    let start = mark.start.utf8
    guard bytes.starts(with: start), let text = String(validating: bytes, as: UTF8.self)
    else { return false }
    let hash = text.utf8.dropFirst(start.count).prefix(Self.hashDigits)
    let rest = String(Substring(text.utf8.dropFirst(start.count + Self.hashDigits)))
    return hash.elementsEqual(Self.hash(of: rest, as: name).utf8)
  }

  /// What is before and behind the hash.
  private var mark: (start: String, end: String) {
    switch self {
    case .metadata: ("{\n  \"writer\": \"podget ", "\",\n")
    case .album: ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Written by podget ", " -->\n")
    case .playlist: ("#EXTM3U\n#PODGET ", "\n")
    }
  }

  /// File systems may spell a name in another way.
  private static func hash(of rest: String, as name: String) -> String {
    let digits = String(StableHash.of([FileName.comparisonKey(name), rest]), radix: 16)
    return String(repeating: "0", count: hashDigits - digits.count) + digits
  }
}
