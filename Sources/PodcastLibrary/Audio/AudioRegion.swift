package import PodcastTransfer

/// The part of an MPEG audio file between its tags: what an editor of tags leaves as it is.
///
/// Other formats have their tags among their audio, or an index whose numbers change with the tags.
package struct AudioRegion: Sendable, Hashable {
  /// Where the audio begins: after ID3v2 tags.
  package var start: Int64
  /// Where it ends: before ID3v1, Lyrics3 and APEv2 tags.
  package var end: Int64

  /// More tags than these one after the other are no tags.
  private static let mostTags = 16

  /// Finds the audio; nil for another format, and if there is none between the tags.
  package static func find(in file: inout some AudioBytes) throws(DiskError) -> AudioRegion? {
    guard file.length <= AudioStructure.longestFile,
      ["mp3", "aac"].contains(try AudioStructure.format(of: &file))
    else { return nil }
    var start: Int64 = 0
    for _ in 0..<mostTags {
      guard let tag = ID3Tag.length(try file.look(10, at: start)) else { break }
      start += Int64(tag)
    }
    let end = try TrailingTag.audioEnd(of: &file)
    return start < end ? AudioRegion(start: start, end: end) : nil
  }
}
