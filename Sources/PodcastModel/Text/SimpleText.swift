/// Texts of letters, digits and signs that stand each for itself: most titles, in most languages.
///
/// They are safe as they are, and their columns are known without looking for characters that are
/// put together of several scalars, which takes thirty times as long.
enum SimpleText {
  /// The columns of a text; nil when it holds anything that needs a closer look.
  static func columns(of text: String) -> Int? {
    var text = text
    return text.withUTF8 { bytes in
      var columns = 0
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte < 0x80 {
          guard byte >= 0x20, byte != 0x7F else { return nil }
          columns += 1
          index += 1
        } else if byte < 0xE0 {
          guard isNarrow(UInt32(byte & 0x1F) << 6 | UInt32(bytes[index + 1] & 0x3F)) else {
            return nil
          }
          columns += 1
          index += 2
        } else if byte < 0xF0 {
          let scalar =
            UInt32(byte & 0x0F) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6
            | UInt32(bytes[index + 2] & 0x3F)
          if isWide(scalar) {
            columns += 2
          } else if isNarrow(scalar) {
            columns += 1
          } else {
            return nil
          }
          index += 3
        } else {
          return nil
        }
      }
      return columns
    }
  }

  private static func isNarrow(_ scalar: UInt32) -> Bool {
    switch scalar {
    // A soft hyphen is not shown.
    case 0xAD: false
    case 0xA0...0x2FF: true  // Latin
    case 0x391...0x3A1, 0x3A3...0x3E1: true  // Greek
    case 0x400...0x482, 0x48A...0x52F: true  // Cyrillic
    case 0x2010...0x2027, 0x2030...0x203B: true  // dashes, quotation marks, dots
    default: false
    }
  }

  private static func isWide(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x3041...0x3096, 0x30A1...0x30FA: true  // kana
    case 0x4E00...0x9FFF: true  // ideographs
    case 0xAC00...0xD7A3: true  // Hangul syllables
    default: false
    }
  }
}
