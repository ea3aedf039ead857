/// The text of one tag between `<` and `>`, taken apart as browsers do.
///
/// Feeds have tags that no XML parser accepts: values without quotes, no space between attributes,
/// bare `&` and `<` in values, an attribute twice.
struct MarkupTag {
  /// What a tag does.
  enum Kind {
    case start, end, empty
  }

  /// The places of an attribute's name and value.
  struct Attribute {
    var name: Range<Int>
    /// The value without its quotes.
    var value: Range<Int>
    /// Whether the value has references or line ends in it.
    var isPlain: Bool
  }

  /// The most attributes that are read.
  static let maximumAttributes = 200

  let kind: Kind
  /// The name as written; nil when XML permits no such name.
  let name: Range<Int>?
  let bytes: UnsafeBufferPointer<UInt8>
  let attributesEnd: Int
  private let acceptsAllNames: Bool

  /// Reads what stands between `<` and `>`.
  ///
  /// - Parameter acceptsAllNames: whether names may have characters beyond ASCII. No feed has them, but
  ///   for broken ones.
  init(_ bytes: UnsafeBufferPointer<UInt8>, acceptsAllNames: Bool = false) {
    self.bytes = bytes
    self.acceptsAllNames = acceptsAllNames
    let isEnd = bytes.first == UInt8(ascii: "/")
    let start = isEnd ? 1 : 0
    let (end, isName) = Self.name(bytes, from: start, acceptsAllNames)
    let closes = bytes.last == UInt8(ascii: "/") && bytes.count > 1
    kind = isEnd ? .end : closes ? .empty : .start
    attributesEnd = kind == .empty ? bytes.count - 1 : bytes.count
    let isWhole = end >= attributesEnd || Self.isSpace(bytes[end])
    name = isWhole && isName ? start..<end : nil
  }

  /// Whether there may be attributes.
  var hasAttributes: Bool { name.map { $0.upperBound < attributesEnd } ?? false }

  /// Calls a function with each attribute; those whose names XML forbids are left out.
  func forEachAttribute(_ body: (Attribute) -> Void) {
    guard let name else { return }
    var index = name.upperBound
    while let attribute = nextAttribute(&index) {
      if isName(attribute.name) { body(attribute) }
    }
  }

  /// Whether a byte of ASCII may stand in a name.
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension MarkupTag {
  /// The end of what may be a name, and whether it is one: a letter first, and one colon at most with
  /// something on both sides (Namespaces in XML 1.0, section 4).
  private static func name(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ acceptsAllNames: Bool
  ) -> (end: Int, isName: Bool) {
    var index = start
    var mayBegin = true
    var isName = true
    var colons = 0
    while index < bytes.count {
      let byte = bytes[index]
      // Beyond ASCII more is accepted than XML permits.
      if (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        || acceptsAllNames && byte >= 0x80
      {
        mayBegin = false
      } else {
        guard isNameByte(byte) else { break }
        if mayBegin { isName = false }
        mayBegin = byte == UInt8(ascii: ":")
        if mayBegin { colons += 1 }
      }
      index += 1
    }
    return (index, isName && colons <= 1 && !mayBegin)
  }

  func isName(_ range: Range<Int>) -> Bool {
    Self.name(
      UnsafeBufferPointer(rebasing: bytes[range]), from: 0, acceptsAllNames
    ) == (range.count, true)
  }

  /// Whether the byte at a place may stand in a name.
  func isNamePart(_ index: Int) -> Bool {
    let byte = bytes[index]
    return Self.isNameByte(byte) || acceptsAllNames && byte >= 0x80
  }

  private func nextAttribute(_ index: inout Int) -> Attribute? {
    // Whatever cannot begin a name stands between attributes.
    while index < attributesEnd, !isNamePart(index) { index += 1 }
    guard index < attributesEnd else { return nil }
    let start = index
    while index < attributesEnd, isNamePart(index) { index += 1 }
    var attribute = Attribute(name: start..<index, value: 0..<0, isPlain: true)
    var place = index
    while place < attributesEnd, Self.isSpace(bytes[place]) { place += 1 }
    guard place < attributesEnd, bytes[place] == UInt8(ascii: "=") else { return attribute }
    place += 1
    while place < attributesEnd, Self.isSpace(bytes[place]) { place += 1 }
    guard place < attributesEnd else {
      index = place
      return attribute
    }
    let quote = bytes[place]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      index = min(ByteSearch.firstInValue(bytes, from: place + 1, quote: quote), attributesEnd)
      if index < attributesEnd, bytes[index] != quote {
        attribute.isPlain = false
        index = min(ByteSearch.first(quote, in: bytes, from: index), attributesEnd)
      }
      attribute.value = (place + 1)..<index
      if index < attributesEnd { index += 1 }
    } else {
      index = place
      while index < attributesEnd, !Self.isSpace(bytes[index]) { index += 1 }
      attribute.value = place..<index
      attribute.isPlain = false
    }
    return attribute
  }
}
