import PodcastModel
package import PodcastTransfer

/// The tags of a file that describe the episode; nil if there are none.
package struct EpisodeTags: Sendable, Hashable {
  /// The episode's title (ID3 `TIT2`, MP4 `©nam`, Vorbis `TITLE`).
  package var title: String?
  /// The podcast's title (ID3 `TALB`, MP4 `©alb`, Vorbis `ALBUM`).
  package var album: String?
  /// The date as written (ID3 `TDRL`, `TDRC`, `TYER` with `TDAT`, MP4 `©day`, Vorbis `DATE`).
  package var date: String?
  /// The guid (ID3 `TGID`, MP4 `egid`, Vorbis `PODCASTID`).
  package var guid: String?

  /// Creates empty tags.
  package init() {}

  /// Reads the tags of a file of any format; unreadable tags are ignored.
  package static func read(_ file: inout some AudioBytes) throws(DiskError) -> EpisodeTags {
    guard file.length <= AudioStructure.longestFile else { return EpisodeTags() }
    var bounded = BoundedLooks(file)
    defer { file = bounded.file }
    return try find(in: &bounded).limitingCombiningMarks
  }

  private static func find(in file: inout some AudioBytes) throws(DiskError) -> EpisodeTags {
    let start = Array(try file.look(64 * 1024, at: 0))
    if let end = ID3Tag.length(start[...]) { return try ID3Texts.read(to: Int64(end), in: &file) }
    if start.dropFirst(4).starts(with: "ftyp".utf8) { return try MP4Texts.read(&file) }
    return VorbisComments.read(start)
  }

  private var limitingCombiningMarks: EpisodeTags {
    var tags = self
    tags.title = title?.limitingCombiningMarks
    tags.album = album?.limitingCombiningMarks
    tags.date = date?.limitingCombiningMarks
    tags.guid = guid?.limitingCombiningMarks
    return tags
  }
}
