import FoundationEssentials
import PodcastKit

/// A folder that the user named for thumbnails.
struct ArtworkExport: Sendable {
  private let path: String
  /// The names of this run, without case.
  private var taken: Set<String> = []

  /// Uses a folder, and creates it when it is missing.
  ///
  /// - Throws: a ``PodgetError`` of the disk.
  init(_ path: String) throws(PodgetError) {
    self.path = path
    do throws(DiskError) {
      _ = try OpenFile.folder(path, creating: true)
    } catch {
      throw error.at("open", path).podgetError
    }
  }

  /// Writes a thumbnail as a PNG file with the podcast's title as its name. A file of an earlier run
  /// is replaced; a second podcast with the same title gets a number.
  ///
  /// - Returns: the path.
  mutating func write(
    _ thumbnail: Thumbnail, of podcast: Podcast
  ) throws(PodgetError) -> String {
    let stem = FileName.component(podcast.shownTitle)
    var name = stem
    var number = 1
    while !taken.insert(name.lowercased()).inserted {
      number += 1
      name = "\(stem) (\(number))"
    }
    let file = LibraryPath.join(path, "\(name).png")
    try ExportedFile.replace(file, with: Data(thumbnail.png), mode: 0o666)
    return file
  }
}
