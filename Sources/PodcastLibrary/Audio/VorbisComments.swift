/// The comments of Ogg Vorbis and Opus (Vorbis I specification, section 5; RFC 7845, section 5.2).
enum VorbisComments {
  /// Reads them if they are completely in the first bytes of a file, as they are unless a picture
  /// comes first.
  static func read(_ start: [UInt8]) -> EpisodeTags {
    var tags = EpisodeTags()
    let mark =
      start.firstRange(of: Array("\u{3}vorbis".utf8))
      ?? start.firstRange(of: Array("OpusTags".utf8))
    guard let mark, start.starts(with: "OggS".utf8) else { return tags }
    var rest = start[mark.upperBound...]
    func take() -> ArraySlice<UInt8>? {
      guard rest.count >= 4 else { return nil }
      let size = rest.prefix(4).littleEndian
      guard size <= rest.count - 4 else { return nil }
      defer { rest = rest.dropFirst(4 + Int(size)) }
      return rest.dropFirst(4).prefix(Int(size))
    }
    guard take() != nil, rest.count >= 4 else { return tags }
    let count = rest.prefix(4).littleEndian
    rest = rest.dropFirst(4)
    for _ in 0..<min(count, 1000) {
      guard let comment = take() else { break }
      let parts = comment.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard parts.count == 2 else { continue }
      let text = String(decoding: parts[1], as: UTF8.self)
      switch String(decoding: parts[0], as: UTF8.self).uppercased() {
      case "TITLE": tags.title = text
      case "ALBUM": tags.album = text
      case "DATE": tags.date = text
      default: break
      }
    }
    return tags
  }
}
