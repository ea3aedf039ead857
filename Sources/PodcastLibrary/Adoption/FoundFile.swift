package import PodcastModel

/// A media file of another tool, and everything that tells which episode it is.
package struct FoundFile: Sendable, Hashable {
  /// Its path, as the folder was named.
  package var path: String
  /// Its length in bytes.
  package var bytes: Int64
  /// What its own tags say.
  package var tags = EpisodeTags()
  /// How long it plays, where its format tells it.
  package var duration: Duration?
  /// The usual extension of what its bytes are.
  package var fileExtension: String
  var sidecar: Sidecar?
  /// What it is on the disk, under whatever names.
  package var inode: Inode?

  /// A file's number, and that of the disk whose number it is.
  package struct Inode: Sendable, Hashable {
    package var device: UInt64
    package var number: UInt64
  }

  /// Its name without extension.
  package var stem: String { FileName.stem(of: name) }

  /// Its name.
  package var name: String { LibraryPath.parts(path).last ?? "" }

  /// What its tags, and what lies beside it, call the podcast.
  var podcastTags: [String] { [tags.album, sidecar?.podcast].compactMap(\.self) }

  /// The folders that may be called as the podcast is, the nearest first.
  package var folders: [String] { LibraryPath.parts(path).dropLast().suffix(2).reversed() }

  /// What its tags, and what lies beside it, call the episode.
  var titleTags: [String] { [tags.title, sidecar?.title].compactMap(\.self) }

  /// The titles that it may have itself, the surest first; parts of its name are given without the
  /// day before them and the id in brackets behind them.
  package var titles: [String] {
    var titles = titleTags
    var stem = stem
    if stem.hasSuffix("]"), let bracket = stem.lastIndex(of: "[") {
      titles.append(stem)
      stem = String(stem[..<bracket])
    }
    titles.append(stem)
    if let (_, rest) = FileDay.leading(stem), !rest.isEmpty { titles.append(rest) }
    return titles
  }

  /// The days of publication that something says, each once.
  package var days: Set<CivilDay> {
    Set(
      [sidecar?.day, tags.date.flatMap(FileDay.day), FileDay.leading(stem)?.day]
        .compactMap(\.self))
  }
}
