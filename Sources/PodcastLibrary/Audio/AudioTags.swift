import PodcastTransfer

/// ID3v2 tags, which stand before the audio (id3.org, ID3v2.4.0 structure, section 3.1).
enum ID3Tag {
  /// The length of the tag at the beginning of the bytes, including its footer; nil when there is
  /// none.
  static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
    let at = bytes.startIndex
    guard bytes.count >= 10, bytes.starts(with: "ID3".utf8) else { return nil }
    // A revision of printable characters is a text about ID3, not a tag.
    let isText = (0x20..<0x7F).contains(bytes[at + 3]) && (0x20..<0x7F).contains(bytes[at + 4])
    let size = bytes[(at + 6)..<(at + 10)]
    guard !isText, bytes[at + 3] != 0xFF, bytes[at + 4] != 0xFF, size.allSatisfy({ $0 < 0x80 })
    else { return nil }
    let hasFooter = bytes[at + 5] & 0x10 != 0
    return size.reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 20 : 10)
  }
}

/// Tags that may stand between the last audio frame and the end of a file.
enum TrailingTag {
  /// How many bytes at the end of a file show whether a tag ends there.
  static let lookBehind = 128 + 227

  /// The length of the tag at the end of the bytes; nil when there is none.
  static func length(endingIn bytes: [UInt8]) -> Int? {
    if bytes.count >= 128, bytes.suffix(128).starts(with: "TAG".utf8) {
      // The enhanced tag comes before the plain one.
      return bytes.count >= lookBehind && bytes.suffix(lookBehind).starts(with: "TAG+".utf8)
        ? lookBehind : 128
    }
    if bytes.suffix(9).elementsEqual("LYRICS200".utf8), bytes.count >= 15 {
      let digits = String(decoding: bytes.suffix(15).prefix(6), as: UTF8.self)
      return UInt32(digits).map { Int($0) + 15 }
    }
    if bytes.count >= 32, bytes.suffix(32).starts(with: "APETAGEX".utf8) {
      let footer = Array(bytes.suffix(32))
      let size = footer[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
      let hasHeader = footer[23] & 0x80 != 0
      return size + (hasHeader ? 32 : 0)
    }
    return nil
  }

  /// The position at which the audio ends and the tags behind it begin: ID3v1, Lyrics3 and APEv2,
  /// each once.
  static func audioEnd(of file: inout some AudioBytes) throws(DiskError) -> Int64 {
    var end = file.length
    for _ in 0..<3 {
      let count = min(Int64(lookBehind), end)
      let bytes = Array(try file.look(Int(count), at: end - count))
      guard let tag = length(endingIn: bytes), tag <= end else { break }
      end -= Int64(tag)
    }
    return end
  }
}

/// Beginnings of tags behind the audio whose ends are missing.
enum CutTag {
  /// Whether the rest of a file is a truncated tag.
  ///
  /// - Parameters:
  ///   - start: the first bytes of the rest, 32 if there are as many.
  ///   - rest: how many bytes there are.
  static func isBeginning(_ start: ArraySlice<UInt8>, rest: Int64) -> Bool {
    if start.starts(with: "TAG+".utf8) { return rest < 128 + 227 }
    if start.starts(with: "TAG".utf8) { return rest < 128 }
    if start.starts(with: "LYRICSBEGIN".utf8) { return true }
    if start.starts(with: "APETAGEX".utf8) {
      guard start.count == 32 else { return true }
      let size = start.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int64($1) }
      return size + 32 > rest
    }
    let names = ["TAG", "LYRICSBEGIN", "APETAGEX", "ID3"]
    return !start.isEmpty && start.count == rest && names.contains { $0.utf8.starts(with: start) }
  }
}
