/// The text of one tag between `<` and `>`, taken apart as browsers do.
///
/// Feeds have tags that no XML parser accepts: values without quotes, no space between attributes,
/// bare `&` and `<` in values, an attribute twice. ``append(to:)`` writes the same tag as XML has it.
struct MarkupTag {
  /// What a tag does.
  enum Kind {
    case start, end, empty
  }

  /// The most attributes that are read.
  static let maximumAttributes = 64
  /// The most declarations of namespaces that hold at one place: libxml2 looks through all of them for
  /// each name. Real feeds have thirty.
  static let maximumNamespaces = 128

  let kind: Kind
  /// The name as written; nil when XML permits no such name.
  let name: Range<Int>?
  private let bytes: UnsafeBufferPointer<UInt8>
  private let attributesEnd: Int

  /// Reads what stands between `<` and `>`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    let isEnd = bytes.first == UInt8(ascii: "/")
    let start = isEnd ? 1 : 0
    var end = start
    while end < bytes.count, Self.isNameByte(bytes[end]) { end += 1 }
    let closes = bytes.last == UInt8(ascii: "/") && bytes.count > 1
    kind = isEnd ? .end : closes ? .empty : .start
    attributesEnd = kind == .empty ? bytes.count - 1 : bytes.count
    let isWhole = end >= attributesEnd || Self.isSpace(bytes[end])
    let found = start..<end
    name = isWhole && Self.isName(bytes, found) ? found : nil
  }

  /// Appends the tag as XML. Only for a tag with a name that is no end tag.
  ///
  /// - Parameters:
  ///   - names: the names that may be passed on; attributes with others are left out.
  ///   - namespaces: how many declarations of namespaces hold here; those of the tag are added.
  ///   - isEmpty: whether the element ends with the tag.
  func append(
    to output: inout [UInt8], names: inout NameBudget, namespaces: inout Int, isEmpty: Bool
  ) {
    guard let name else { return }
    output.append(UInt8(ascii: "<"))
    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[name]))
    appendAttributes(from: name.upperBound, to: &output, &names, &namespaces)
    if isEmpty { output.append(UInt8(ascii: "/")) }
    output.append(UInt8(ascii: ">"))
  }

  /// Calls a function with the place of each attribute's name and value, unquoted.
  func forEachAttribute(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void) {
    guard let name else { return }
    var index = name.upperBound
    while let attribute = nextAttribute(&index) { body(attribute.name, attribute.value) }
  }

  /// Whether a byte may stand in a name that is accepted: ASCII only.
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
  /// A letter first, and one colon at most with something on both sides (Namespaces in XML 1.0,
  /// section 4).
  private static func isName(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    guard let first = range.first, let last = range.last, bytes[last] != UInt8(ascii: ":") else {
      return false
    }
    var mayBegin = true
    var colons = 0
    for index in first...last {
      let byte = bytes[index]
      if mayBegin, !(0x61...0x7A).contains(byte | 0x20), byte != UInt8(ascii: "_") { return false }
      mayBegin = byte == UInt8(ascii: ":")
      if mayBegin { colons += 1 }
    }
    return colons <= 1
  }

  private func nextAttribute(_ index: inout Int) -> (name: Range<Int>, value: Range<Int>)? {
    // Whatever cannot begin a name stands between attributes.
    while index < attributesEnd, !Self.isNameByte(bytes[index]) { index += 1 }
    guard index < attributesEnd else { return nil }
    let start = index
    while index < attributesEnd, Self.isNameByte(bytes[index]) { index += 1 }
    let name = start..<index
    var place = index
    while place < attributesEnd, Self.isSpace(bytes[place]) { place += 1 }
    guard place < attributesEnd, bytes[place] == UInt8(ascii: "=") else { return (name, 0..<0) }
    place += 1
    while place < attributesEnd, Self.isSpace(bytes[place]) { place += 1 }
    guard place < attributesEnd else {
      index = place
      return (name, 0..<0)
    }
    let quote = bytes[place]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    let valueStart = isQuoted ? place + 1 : place
    index = valueStart
    if isQuoted {
      index = min(ByteSearch.first(quote, in: bytes, from: index), attributesEnd)
    } else {
      while index < attributesEnd, !Self.isSpace(bytes[index]) { index += 1 }
    }
    let value = valueStart..<index
    if isQuoted, index < attributesEnd { index += 1 }
    return (name, value)
  }

  private func appendAttributes(
    from start: Int, to output: inout [UInt8], _ budget: inout NameBudget,
    _ namespaces: inout Int
  ) {
    var index = start
    // Not every tag needs an array for the places of its names.
    withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: Self.maximumAttributes) { names in
      var count = 0
      while count < names.count, let (name, value) = nextAttribute(&index) {
        guard Self.isName(bytes, name),
          !names[..<count].contains(where: { isEqual($0, name) }),
          budget.admits(UnsafeBufferPointer(rebasing: bytes[name]))
        else { continue }
        if isNamespace(name) {
          guard namespaces < Self.maximumNamespaces,
            budget.admits(UnsafeBufferPointer(rebasing: bytes[value]))
          else { continue }
          namespaces += 1
        }
        names.initializeElement(at: count, to: name)
        count += 1
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[name]))
        output.append(UInt8(ascii: "="))
        output.append(UInt8(ascii: "\""))
        append(value: UnsafeBufferPointer(rebasing: bytes[value]), to: &output)
        output.append(UInt8(ascii: "\""))
      }
    }
  }

  /// Whether an attribute declares a namespace, whose name libxml2 keeps like that of an element.
  private func isNamespace(_ name: Range<Int>) -> Bool {
    bytes[name.lowerBound] == UInt8(ascii: "x") && bytes[name].starts(with: "xmlns".utf8)
  }

  private func isEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
    one.count == other.count && bytes[one].elementsEqual(bytes[other])
  }

  private func append(value: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    var start = 0
    while true {
      var index = ByteSearch.firstInValue(value, from: start)
      output.append(contentsOf: UnsafeBufferPointer(rebasing: value[start..<index]))
      guard index < value.count else { return }
      let byte = value[index]
      index += 1
      switch byte {
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: "\""): output += "&quot;".utf8
      default:
        var end = index
        let limit = min(value.count, index + CharacterReference.maximumBytes)
        while end < limit, CharacterReference.isNameByte(value[end]) { end += 1 }
        if end > index, end < value.count, value[end] == UInt8(ascii: ";") {
          CharacterReference.append(UnsafeBufferPointer(rebasing: value[index..<end]), to: &output)
          index = end + 1
        } else {
          output += "&amp;".utf8
        }
      }
      start = index
    }
  }
}
