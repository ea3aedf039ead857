/// The comments of Ogg Vorbis, Opus and FLAC (Vorbis I specification, section 5; RFC 7845, section 5.2;
/// RFC 9639, section 8.6).
enum VorbisComments {
  /// Reads them if they are completely in the first bytes of a file, as they are unless a picture
  /// comes first.
  static func read(_ start: [UInt8]) -> EpisodeTags {
    var tags = EpisodeTags()
    guard let place = place(in: start) else { return tags }
    var rest = start[place...]
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
      // Its name in Mp3tag; there is no standard.
      case "PODCASTID": tags.guid = text
      default: break
      }
    }
    return tags
  }

  /// Where the comments begin; nil if it is not in these bytes.
  private static func place(in start: [UInt8]) -> Int? {
    if start.starts(with: "OggS".utf8) {
      let mark =
        start.firstRange(of: Array("\u{3}vorbis".utf8))
        ?? start.firstRange(of: Array("OpusTags".utf8))
      return mark?.upperBound
    }
    guard start.starts(with: "fLaC".utf8) else { return nil }
    let comments: UInt8 = 4
    var place = 4
    while place + 4 <= start.count {
      if start[place] & 0x7F == comments { return place + 4 }
      guard start[place] & 0x80 == 0 else { return nil }
      place += 4 + start[(place + 1)..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    return nil
  }
}
