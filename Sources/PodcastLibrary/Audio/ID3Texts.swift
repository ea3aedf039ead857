import PodcastTransfer

/// The text frames of an ID3v2 tag (id3.org; versions 2.2, 2.3 and 2.4).
enum ID3Texts {
  private static let longest = 4096
  /// The maximum number of frames that are read; the longest tags of podcasts, with chapters, have
  /// hundreds.
  private static let mostFrames = 10_000
  private static let wanted: Set<String> = [
    "TIT2", "TT2", "TALB", "TAL", "TGID", "TID", "TDRL", "TDRC", "TYER", "TDAT",
  ]

  /// Reads the tag at the beginning of a file, frame by frame; pictures are skipped.
  static func read(to end: Int64, in file: inout some AudioBytes) throws(DiskError) -> EpisodeTags {
    let header = Array(try file.look(14, at: 0))
    guard header.count == 14 else { return EpisodeTags() }
    let version = header[3]
    let isShort = version == 2
    var position: Int64 = 10
    if header[5] & 0x40 != 0, !isShort {
      let size = version == 4 ? sevenBits(header[10..<14]) : header[10..<14].bigEndian + 4
      position += size
    }
    var texts: [String: String] = [:]
    let headerLength = isShort ? 6 : 10
    for _ in 0..<mostFrames where position + Int64(headerLength) < end {
      let frame = Array(try file.look(headerLength, at: position))
      guard frame.count == headerLength, frame[0] != 0 else { break }
      let name = String(decoding: frame[..<(isShort ? 3 : 4)], as: UTF8.self)
      let size =
        isShort
        ? frame[3..<6].bigEndian : version == 4 ? sevenBits(frame[4..<8]) : frame[4..<8].bigEndian
      position += Int64(frame.count)
      guard size > 0, position + size <= end else { break }
      if wanted.contains(name), size <= longest {
        texts[name] = text(Array(try file.look(Int(size), at: position)))
      }
      position += size
    }
    var tags = EpisodeTags()
    tags.title = texts["TIT2"] ?? texts["TT2"]
    tags.album = texts["TALB"] ?? texts["TAL"]
    tags.guid = texts["TGID"] ?? texts["TID"]
    tags.date = texts["TDRL"] ?? texts["TDRC"] ?? day(texts["TYER"], texts["TDAT"])
    return tags
  }

  /// The year and `DDMM`, as version 2.3 stores them.
  private static func day(_ year: String?, _ day: String?) -> String? {
    guard let year, let day, day.count == 4 else { return year }
    return "\(year)-\(day.suffix(2))-\(day.prefix(2))"
  }

  private static func sevenBits(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
  }

  /// A text in one of the four encodings, up to its first terminator.
  private static func text(_ bytes: [UInt8]) -> String? {
    let content = bytes.dropFirst()
    let text: String
    switch bytes.first {
    case 0:
      var scalars = String.UnicodeScalarView()
      for byte in content.prefix(while: { $0 != 0 }) { scalars.append(Unicode.Scalar(byte)) }
      text = String(scalars)
    case 1, 2:
      let isLittle = content.starts(with: [0xFF, 0xFE])
      let hasMark = isLittle || content.starts(with: [0xFE, 0xFF])
      let units = Array(content.dropFirst(hasMark ? 2 : 0))
      let numbers = stride(from: 0, to: units.count - 1, by: 2).map { place -> UInt16 in
        let (first, second) = (UInt16(units[place]), UInt16(units[place + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
      }
      text = String(decoding: numbers.prefix { $0 != 0 }, as: UTF16.self)
    case 3: text = String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
    default: return nil
    }
    return text.isEmpty ? nil : text
  }
}
