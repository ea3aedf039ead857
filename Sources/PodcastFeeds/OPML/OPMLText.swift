/// The bytes of a list that must be right, and what may be wrong with them.
enum OPMLText {
  /// The text without a byte order mark, each line ended by LF (XML 1.0, section 2.11).
  static func lines(_ bytes: [UInt8]) -> [UInt8] {
    // The byte order mark of UTF-8 means nothing.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard text.contains(0x0D) else { return Array(text) }
    var lines: [UInt8] = []
    lines.reserveCapacity(text.count)
    for (index, byte) in zip(text.indices, text) {
      if byte == 0x0A, index > text.startIndex, text[index - 1] == 0x0D { continue }
      lines.append(byte == 0x0D ? 0x0A : byte)
    }
    return lines
  }

  /// The first byte that cannot be in a list, and why.
  static func fault(in bytes: [UInt8]) -> (place: Int, sentence: String)? {
    bytes.withUnsafeBufferPointer { bytes in
      if let place = UTF8Cleaner.firstInvalid(bytes) { return (place, "This is not UTF-8.") }
      let place = bytes.indices.first { index in
        bytes[index] < 0x20
          ? !MarkupTag.isSpace(bytes[index]) || bytes[index] == 0x0B || bytes[index] == 0x0C
          : bytes[index] == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
      }
      return place.map { ($0, sentence(.forbiddenCharacter, in: nil, isBehind: true)) }
    }
  }

  /// What is wrong, in words for those who edit the list.
  ///
  /// - Parameters:
  ///   - open: the innermost element that is open.
  ///   - isBehind: whether the root element has begun.
  static func sentence(_ fault: MarkupFault, in open: String?, isBehind: Bool) -> String {
    switch fault {
    case .bareAmpersand, .bareLess: "Write &amp; for a bare &, and &lt; for a bare <."
    case .unknownReference: "XML does not know this reference. Write &amp; for a bare &."
    case .forbiddenCharacter: "XML permits no such character."
    case .name: "XML permits no such name."
    case .damagedTag: "This tag is damaged."
    case .unclosedTag: "A > is missing at the end of a tag."
    case .endTag:
      open.map { "This end tag does not match \($0)." } ?? "This end tag matches nothing."
    case .missingQuotes: "A value needs quotes."
    case .missingQuoteEnd: "A quote is missing behind a value."
    case .missingSpace: "A space is missing between two attributes."
    case .missingValue: "An attribute has no value."
    case .lessInValue: "Write &lt; for < in a value."
    case .duplicate: "An attribute stands twice in one element."
    case .tooManyAttributes:
      "An element has more than \(MarkupTag.maximumAttributes) attributes."
    case .documentType: "A document type (DOCTYPE) is not read; remove it."
    case .unclosedComment: "A comment is not closed."
    case .hyphens: "A comment must not hold --, nor end with -."
    case .unclosedSection: "A CDATA section is not closed."
    case .unclosedInstruction: "A processing instruction is not closed."
    case .unclosedElement:
      open.map { "The file ends before the end of \($0)." } ?? "There is no XML here."
    case .outside, .noRoot:
      isBehind ? "There is content after the end of the list." : "There is no XML here."
    }
  }
}
