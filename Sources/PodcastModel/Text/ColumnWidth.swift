/// How many columns of a terminal a character takes: none, one or two.
package enum ColumnWidth {
  /// The columns of one grapheme cluster of safe text.
  ///
  /// Emoji take two, by themselves or with U+FE0F, and so does every cluster of more than one
  /// column: terminals that support clusters draw none of them wider.
  package static func of(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return (0x20..<0x7F).contains(ascii) ? 1 : 0 }
    var columns = 0
    var last: Unicode.Scalar?
    for scalar in character.unicodeScalars {
      if scalar == "\u{FE0F}", last?.properties.isEmoji == true { return 2 }
      columns += self.of(scalar)
      if columns >= 2 { return 2 }
      last = scalar
    }
    return columns
  }

  /// The columns of one scalar by itself.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    // Below U+0300 nothing combines and nothing is wide.
    if scalar.value < 0x300 {
      return scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? 0 : 1
    }
    if isWide(scalar) { return 2 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
    default:
      let isInvisible = properties.isDefaultIgnorableCodePoint || isTrailingJamo(scalar)
      return isInvisible ? 0 : 1
    }
  }
}

extension ColumnWidth {
  /// Vowels and final consonants of Hangul join the block that an initial consonant opened.
  private static func isTrailingJamo(_ scalar: Unicode.Scalar) -> Bool {
    (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value)
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x1100 { return false }
    if scalar.properties.isEmojiPresentation { return true }
    var low = 0
    var high = wide.count
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    guard low < wide.count, wide[low].contains(scalar.value) else { return false }
    // Combining marks are not wide, even those of wide scripts.
    return ![.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
  }

  /// East_Asian_Width W and F (Unicode Standard Annex 11) without the emoji, which the standard
  /// library knows; unassigned gaps inside a block count like the block.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul initial consonants
    0x2329...0x232A,  // angle brackets
    0x2630...0x2637,  // trigrams
    0x268A...0x268F,  // monograms and digrams
    0x2E80...0x303E,  // radicals, CJK punctuation
    0x3041...0x3247,  // kana, bopomofo, compatibility jamo, enclosed CJK
    0x3250...0xA4CF,  // enclosed CJK, ideographs, hexagrams, Yi
    0xA960...0xA97F,  // Hangul initial consonants, extended
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF,  // compatibility ideographs
    0xFE10...0xFE19,  // vertical forms
    0xFE30...0xFE6B,  // compatibility and small forms
    0xFF01...0xFF60,  // fullwidth forms
    0xFFE0...0xFFE6,  // fullwidth signs
    0x16FE0...0x18DFF,  // Tangut, Khitan, Nushu iteration marks
    0x1AFF0...0x1B2FF,  // kana, supplements and extensions
    0x1D300...0x1D356,  // Tai Xuan Jing
    0x1D360...0x1D376,  // counting rods
    0x1F200...0x1F265,  // enclosed ideographs
    0x20000...0x2FFFD,  // ideographs, plane 2
    0x30000...0x3FFFD,  // ideographs, plane 3
  ]
}
