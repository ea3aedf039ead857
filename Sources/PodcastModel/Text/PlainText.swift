/// Texts of letters, digits and characters that are independent of their neighbors and that no
/// file system refuses: most titles, in most languages.
///
/// Their columns, and their forms for names and comparison, are computed from their bytes; asking
/// the standard library for characters and for the properties of each scalar takes thirty times as
/// long.
enum PlainText {
  /// The columns of a text in a terminal; nil when it has characters that need the slow way.
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
          continue
        }
        guard let (scalar, length) = scalar(bytes, at: index) else { return nil }
        if isWide(scalar) {
          columns += 2
        } else if isNarrow(scalar) || scalar == noBreakSpace {
          columns += 1
        } else {
          return nil
        }
        index += length
      }
      return columns
    }
  }

  /// Whether nothing in a text must be replaced or removed in a file name, and it is in one Unicode
  /// form. If false, the text may still be fine.
  static func isLegal(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var last = UInt8(ascii: " ")
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: " ") where last == byte: return false
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: ":"),
          UInt8(ascii: "\""), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "<"),
          UInt8(ascii: ">"):
          return false
        case 0x20..<0x7F: index += 1
        default:
          guard let (scalar, length) = scalar(bytes, at: index), isPlain(scalar) else {
            return false
          }
          index += length
        }
        last = byte
      }
      return true
    }
  }

  /// The text without case, as ``FileName/comparisonKey(_:)`` has it; nil if it needs the slow way.
  static func folded(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      // A scalar of two bytes may become four.
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count * 2) { output in
        var count = 0
        func put(_ byte: UInt8) {
          output.initializeElement(at: count, to: byte)
          count += 1
        }
        var index = 0
        while index < bytes.count {
          let byte = bytes[index]
          if byte < 0x80 {
            put(byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte)
            index += 1
            continue
          }
          guard let (scalar, length) = scalar(bytes, at: index), isPlain(scalar) else {
            return nil
          }
          if length == 2 {
            var rest = lettersWithoutCase[Int(scalar)]
            guard rest > 0 else { return nil }
            while rest > 0 {
              put(UInt8(truncatingIfNeeded: rest))
              rest >>= 8
            }
          } else {
            for place in 0..<length { put(bytes[index + place]) }
          }
          index += length
        }
        return String(decoding: output[..<count], as: UTF8.self)
      }
    }
  }
}

extension PlainText {
  /// The scalar of two or three bytes that begins at a byte of valid UTF-8; nil for any other.
  private static func scalar(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> (scalar: UInt32, length: Int)? {
    let first = UInt32(bytes[index])
    switch first {
    case 0xC2..<0xE0: return ((first & 0x1F) << 6 | UInt32(bytes[index + 1] & 0x3F), 2)
    case 0xE0..<0xF0:
      return (
        (first & 0xF) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6
          | UInt32(bytes[index + 2] & 0x3F), 3
      )
    default: return nil
    }
  }

  /// Whether a scalar beyond ASCII is visible, is not a blank, and is the same in all Unicode forms
  /// that file systems use, whatever is beside it.
  private static func isPlain(_ scalar: UInt32) -> Bool { isNarrow(scalar) || isWide(scalar) }

  /// Whether such a scalar takes one column.
  private static func isNarrow(_ scalar: UInt32) -> Bool {
    switch scalar {
    // A soft hyphen is hidden.
    case 0xAD: false
    case 0xA1...0x2FF: true  // Latin
    case 0x391...0x3A1, 0x3A3...0x3E1: true  // Greek
    case 0x400...0x482, 0x48A...0x52F: true  // Cyrillic
    case 0x2010...0x2027, 0x2030...0x203B: true  // dashes, quotation marks, dots
    default: false
    }
  }

  /// Whether such a scalar takes two columns.
  private static func isWide(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x3041...0x3096, 0x30A1...0x30FA: true  // kana
    case 0x4E00...0x9FFF: true  // ideographs
    case 0xAC00...0xD7A3: true  // Hangul syllables
    default: false
    }
  }

  /// A blank that a terminal shows as one, but that names do not have.
  private static let noBreakSpace: UInt32 = 0xA0

  /// The form of each plain scalar of two bytes without case, in up to four bytes of UTF-8, the
  /// first one lowest; zero if that is longer, or has marks that could join others.
  private static let lettersWithoutCase: [UInt32] = (0..<0x530 as Range<UInt32>).map { value in
    guard value >= 0x80, isPlain(value), let scalar = Unicode.Scalar(value) else { return 0 }
    let folded = FileName.foldedByProperties(String(Character(scalar)))
    let isAlone = folded.unicodeScalars.allSatisfy {
      $0.properties.canonicalCombiningClass == .notReordered
    }
    guard isAlone, folded.utf8.count <= 4 else { return 0 }
    return folded.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
