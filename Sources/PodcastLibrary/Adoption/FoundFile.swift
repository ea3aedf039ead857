package import PodcastModel

/// A media file of another tool, and everything that helps to identify its episode.
package struct FoundFile: Sendable, Hashable {
  /// Its path, below the folder as it was named.
  package var path: String
  /// Its length in bytes.
  package var bytes: Int64
  /// What its own tags say.
  package var tags = EpisodeTags()
  /// Its duration, if its format has one.
  package var duration: Duration?
  /// The usual extension for its content.
  package var fileExtension: String
  var sidecar: Sidecar?
  /// What a person has said of its episode in another program.
  var marks: [EpisodeMark] = []
  /// Its identity on the disk, under any name.
  package var inode: Inode?

  /// The inode number, and the device that it belongs to.
  package struct Inode: Sendable, Hashable {
    package var device: UInt64
    package var number: UInt64
  }

  /// Its name without extension.
  package var stem: String { FileName.stem(of: name) }

  /// Its name.
  package var name: String { LibraryPath.parts(path).last ?? "" }

  /// The names of the podcast in its tags and in the files beside it.
  var podcastTags: [String] { [tags.album, sidecar?.podcast].compactMap(\.self) }

  /// The folders that may be named after the podcast, the nearest first.
  package var folders: [String] { LibraryPath.parts(path).dropLast().suffix(2).reversed() }

  /// The names of the episode in its tags and in the files beside it.
  var titleTags: [String] { [tags.title, sidecar?.title].compactMap(\.self) }

  /// The possible titles, the most certain first; parts of its name are given without a leading day
  /// and a trailing id in brackets.
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

  /// The possible days of publication, each once.
  package var days: Set<CivilDay> {
    Set(
      [sidecar?.day, tags.date.flatMap(FileDay.day), FileDay.leading(stem)?.day]
        .compactMap(\.self))
  }
}
