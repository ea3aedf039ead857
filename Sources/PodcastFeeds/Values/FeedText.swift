internal import PodcastModel

/// Short texts of feeds.
enum FeedText {
  /// What a title or a name is, when the parser has replaced the references of XML.
  enum Kind {
    /// Text (RFC 4287, section 3.1.1.1).
    case plain
    /// Text in which references may be left: RSS does not say what a title is, and many feeds escape
    /// theirs twice.
    case escaped
    /// HTML (RFC 4287, section 3.1.1.2).
    case html

    /// The kind that the attribute `type` names, as in Atom.
    init(type: UnsafeBufferPointer<UInt8>?, otherwise kind: Kind) {
      let name = type.flatMap { FeedText.token($0, maximumBytes: 64) }?.lowercased() ?? ""
      // XHTML comes as elements.
      self = name.contains("html") && !name.contains("xhtml") ? .html : kind
    }
  }

  /// A title or a name as ``line(_:maximumBytes:)`` has it, of what it says.
  static func title(_ bytes: [UInt8], _ kind: Kind = .escaped) -> String? {
    let hasReferences = bytes.contains(UInt8(ascii: "&"))
    switch kind {
    case .html where hasReferences || bytes.contains(UInt8(ascii: "<")):
      return DescriptionText.text(String(decoding: bytes, as: UTF8.self)).flatMap {
        line($0.utf8)
      }
    case .escaped where hasReferences:
      return line(bytes.withUnsafeBufferPointer { CharacterReference.decoded($0) }.utf8)
    case .plain, .escaped, .html: return line(bytes)
    }
  }

  /// The text with every run of white space as one space and none at its ends, cut between characters
  /// where it is too long for a title; nil when nothing is left.
  static func line(
    _ bytes: some Collection<UInt8>, maximumBytes: Int = FeedLimits.titleBytes
  ) -> String? {
    if bytes.withContiguousStorageIfAvailable({ isLine($0, maximumBytes) }) == true {
      return String(decoding: bytes, as: UTF8.self)
    }
    var kept: [UInt8] = []
    kept.reserveCapacity(min(bytes.count, maximumBytes + 4))
    var isBlank = false
    var hasMore = false
    for byte in bytes {
      if MarkupTag.isSpace(byte) {
        isBlank = !kept.isEmpty
        continue
      }
      if isBlank { kept.append(0x20) }
      isBlank = false
      kept.append(byte)
      if kept.count > maximumBytes {
        hasMore = true
        break
      }
    }
    if hasMore { cut(&kept, to: maximumBytes) }
    let text = trimmed(kept)
    if text.isEmpty { return nil }
    // Marks that combine have two bytes at least.
    return hasLongRun(kept) ? text.limitingCombiningMarks : text
  }

  /// Whether a text is certainly as ``line(_:maximumBytes:)`` makes it: printable ASCII without two
  /// spaces in a row.
  private static func isLine(_ bytes: UnsafeBufferPointer<UInt8>, _ maximumBytes: Int) -> Bool {
    guard let first = bytes.first, first != 0x20, bytes.last != 0x20, bytes.count <= maximumBytes,
      ByteSearch.firstSpecial(bytes, from: 0) == bytes.count
    else { return false }
    // Without an early end, so that many bytes are compared at once.
    var hasTwo = false
    for index in 1..<bytes.count {
      hasTwo = hasTwo || bytes[index] == 0x20 && bytes[index - 1] == 0x20
    }
    return !hasTwo
  }

  /// The first line of a description as a title for what has none, without markup and cut between words
  /// where it is long; nil when there are no words.
  static func opening(of description: some Collection<UInt8>) -> String? {
    let start = String(decoding: description.prefix(4096), as: UTF8.self)
    guard
      let first = DescriptionText.text(start)?.split(whereSeparator: \.isNewline).first,
      let words = line(first.utf8)
    else { return nil }
    guard words.utf8.count > FeedLimits.openingBytes else { return words }
    let cut = String(decoding: words.utf8.prefix(FeedLimits.openingBytes + 1), as: UTF8.self)
    return cut.lastIndex(of: " ").map { cut[..<$0] + "…" }
      ?? line(words.utf8, maximumBytes: FeedLimits.openingBytes)
  }

  /// The text without white space at its ends; nil when it is empty or longer than the bound: half of
  /// a name means something else.
  static func token(_ bytes: some Collection<UInt8>, maximumBytes: Int) -> String? {
    guard bytes.count <= maximumBytes * 2 else { return nil }
    let text = trimmed(bytes)
    guard !text.isEmpty, text.utf8.count <= maximumBytes else { return nil }
    return hasLongRun(bytes) ? text.limitingCombiningMarks : text
  }

  /// A whole number above zero and below a bound, with white space around it; nil for anything else.
  static func positive<Number: FixedWidthInteger>(
    _ bytes: some Collection<UInt8>, below bound: Number
  ) -> Number? {
    var value: Number = 0
    var hasEnded = false
    for byte in bytes.drop(while: MarkupTag.isSpace) {
      if MarkupTag.isSpace(byte) {
        hasEnded = true
        continue
      }
      guard (0x30...0x39).contains(byte), !hasEnded else { return nil }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carries) = tens.addingReportingOverflow(Number(byte - 0x30))
      guard !overflow, !carries, sum < bound else { return nil }
      value = sum
    }
    return value > 0 ? value : nil
  }

  /// Whether a text is a word, in any case and with white space around it.
  static func isWord(_ bytes: some Collection<UInt8>, _ word: StaticString) -> Bool {
    let isPlain = bytes.withContiguousStorageIfAvailable { MarkupName.isEqual($0, word) } ?? false
    if isPlain { return true }
    let content = bytes.drop(while: MarkupTag.isSpace)
    guard content.count < word.utf8CodeUnitCount + 64 else { return false }
    return String(decoding: content, as: UTF8.self).trimmingWhitespace().lowercased()
      == word.description
  }

  /// Shortens bytes of UTF-8 to a length, and further to the end of a character.
  static func cut(_ bytes: inout [UInt8], to length: Int) {
    if bytes.count > length { bytes.removeSubrange(end(of: bytes, cutTo: length)...) }
  }

  /// Where bytes of UTF-8 end that are shortened so.
  static func end(of bytes: [UInt8], cutTo length: Int) -> Int {
    guard bytes.count > length else { return bytes.count }
    var end = length
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// Whether more than thirty characters beyond ASCII may follow one another.
  private static func hasLongRun(_ bytes: some Collection<UInt8>) -> Bool {
    var run = 0
    for byte in bytes {
      run = byte < 0x80 ? 0 : run + 1
      if run > 60 { return true }
    }
    return false
  }

  /// The text without white space at its ends.
  static func trimmed(_ bytes: some Collection<UInt8>) -> String {
    let text = bytes.withContiguousStorageIfAvailable { bytes in
      var (start, end) = (0, bytes.count)
      // Space before ASCII is white space by itself, not a part of a character.
      while start < end, MarkupTag.isSpace(bytes[start]) { start += 1 }
      while start < end, MarkupTag.isSpace(bytes[end - 1]) { end -= 1 }
      let isPlain = start == end || bytes[start] < 0x80 && bytes[end - 1] < 0x80
      let kept = isPlain ? bytes[start..<end] : bytes[...]
      let text = String(decoding: UnsafeBufferPointer(rebasing: kept), as: UTF8.self)
      return isPlain ? text : text.trimmingWhitespace()
    }
    return text ?? String(decoding: bytes, as: UTF8.self).trimmingWhitespace()
  }
}
