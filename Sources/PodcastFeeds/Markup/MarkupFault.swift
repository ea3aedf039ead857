internal import PodcastModel

/// What XML forbids.
enum MarkupFault {
  case bareAmpersand, bareLess, unknownReference, forbiddenCharacter
  case name, damagedTag, unclosedTag, endTag
  case missingQuotes, missingQuoteEnd, missingSpace, missingValue, lessInValue
  case duplicate, tooManyAttributes
  case documentType, unclosedComment, hyphens, unclosedSection, unclosedInstruction
  /// The document ends in an element.
  case unclosedElement
  /// There is something before or behind the root element.
  case outside
  /// There is no root element.
  case noRoot
}

extension CharacterReference {
  /// What XML forbids of the `&` at a place and what follows it; nil when nothing.
  static func fault(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> MarkupFault? {
    var end = start + 1
    while end < bytes.count, isNameByte(bytes[end]), end <= start + maximumBytes { end += 1 }
    guard end < bytes.count, bytes[end] == UInt8(ascii: ";"), end > start + 1 else {
      return .bareAmpersand
    }
    let name = UnsafeBufferPointer(rebasing: bytes[(start + 1)..<end])
    guard name[0] == UInt8(ascii: "#") else {
      return predefined(name) == nil ? .unknownReference : nil
    }
    guard let value = scalar(name) else { return .bareAmpersand }
    return isPermitted(value) ? nil : .forbiddenCharacter
  }
}

extension MarkupTag {
  /// What XML forbids in the tag, and its place behind the `<`; nil when nothing. The place of what
  /// concerns the whole tag is -1.
  func fault() -> (fault: MarkupFault, place: Int)? {
    guard let name else { return (.name, -1) }
    var index = name.upperBound
    var names: Set<String> = []
    while true {
      let before = index
      skipSpace(&index)
      guard index < attributesEnd else { return nil }
      guard index > before else { return (.missingSpace, index) }
      let start = index
      while index < attributesEnd, isNamePart(index) { index += 1 }
      guard kind != .end, isName(start..<index) else { return (.damagedTag, start) }
      let nameEnd = index
      skipSpace(&index)
      guard index < attributesEnd, bytes[index] == UInt8(ascii: "=") else {
        return (.missingValue, nameEnd)
      }
      index += 1
      skipSpace(&index)
      guard index < attributesEnd,
        bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
      else { return (.missingQuotes, index) }
      let end = ByteSearch.first(bytes[index], in: bytes, from: index + 1)
      guard end < attributesEnd else { return (.missingQuoteEnd, attributesEnd) }
      for place in (index + 1)..<end {
        if bytes[place] == UInt8(ascii: "<") { return (.lessInValue, place) }
        guard bytes[place] == UInt8(ascii: "&") else { continue }
        if let fault = CharacterReference.fault(bytes, at: place) { return (fault, place) }
      }
      guard names.insert(String(decoding: bytes[start..<nameEnd], as: UTF8.self)).inserted else {
        return (.duplicate, -1)
      }
      guard names.count <= Self.maximumAttributes else { return (.tooManyAttributes, -1) }
      index = end + 1
    }
  }

  private func skipSpace(_ index: inout Int) {
    while index < attributesEnd, Self.isSpace(bytes[index]) { index += 1 }
  }
}
