import PodcastTransfer

/// Recognizes text in the first bytes of a file.
enum TextContent {
  /// The kind of a markup document by its beginning alone, whatever its encoding later; nil when
  /// the beginning is not markup, or too short.
  static func markup(_ bytes: [UInt8]) -> FileCheck.TextKind? {
    var rest = skippingSpace(bytes[...].dropFirst(bytes.starts(with: byteOrderMark) ? 3 : 0))
    var isXML = false
    while rest.first == UInt8(ascii: "<") {
      if starts(rest, with: "<!--") {
        guard let end = position(of: "-->", in: rest.dropFirst(4)) else {
          return isXML ? .xml : nil
        }
        rest = skippingSpace(rest[end...])
      } else if starts(rest, with: "<?") {
        isXML = isXML || starts(rest, with: "<?xml")
        guard let end = position(of: "?>", in: rest) else { return isXML ? .xml : nil }
        rest = skippingSpace(rest[end...])
      } else if starts(rest, with: "<!doctype") {
        let name = elementName(skippingSpace(rest.dropFirst(9)))
        return name.map { $0 == "html" ? .html : .xml } ?? (isXML ? .xml : nil)
      } else {
        guard let name = elementName(rest.dropFirst()) else { break }
        return pageElements.contains(name) ? .html : .xml
      }
    }
    return isXML ? .xml : nil
  }

  /// Whether bytes begin as the lists of files do that players read.
  static func isPlaylist(_ bytes: [UInt8]) -> Bool {
    let rest = bytes[...].dropFirst(bytes.starts(with: byteOrderMark) ? 3 : 0)
    return starts(rest, with: "#extm3u") || starts(rest, with: "[playlist]")
  }

  /// The kind of a text.
  static func kind(of text: String) -> FileCheck.TextKind {
    let bytes = Array(text.utf8)
    if let kind = markup(bytes) { return kind }
    let rest = skippingSpace(bytes[...])
    if starts(rest, with: "<!--") { return .html }
    guard let first = rest.first, [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) else {
      return .plain
    }
    let second = skippingSpace(rest.dropFirst()).first
    return second.map { isJSON(first, $0) } ?? true ? .json : .plain
  }

  /// The bytes as text when they are UTF-8 without control characters, except for an incomplete
  /// sequence at the end.
  static func utf8(_ bytes: [UInt8]) -> String? {
    var whole = bytes[...].dropFirst(bytes.starts(with: byteOrderMark) ? 3 : 0)
    // A sequence is at most four bytes; up to three of them may be here.
    for length in 1...3 where length <= whole.count {
      let lead = whole[whole.endIndex - length]
      if lead & 0xC0 == 0x80 { continue }
      let wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
      if wanted > length { whole = whole.dropLast(length) }
      break
    }
    return String(validating: whole, as: UTF8.self).flatMap { isText($0) ? $0 : nil }
  }

  /// The bytes as text when they are UTF-16, by their byte order mark or by a two-byte `<` or `{`.
  static func utf16(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 4 else { return nil }
    let isLittle: Bool
    switch (bytes[0], bytes[1]) {
    case (0xFF, 0xFE), (UInt8(ascii: "<"), 0), (UInt8(ascii: "{"), 0): isLittle = true
    case (0xFE, 0xFF), (0, UInt8(ascii: "<")), (0, UInt8(ascii: "{")): isLittle = false
    default: return nil
    }
    var units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let pair = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? pair.0 | pair.1 << 8 : pair.0 << 8 | pair.1
    }
    if units.first == 0xFEFF { units.removeFirst() }
    if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    return String(validating: units, as: UTF16.self).flatMap { isText($0) ? $0 : nil }
  }
}

extension TextContent {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Elements that a web page may begin with if its author omitted the doctype and `html`.
  private static let pageElements: Set<String> = [
    "html", "head", "body", "title", "meta", "link", "style", "script", "base", "div", "p", "h1",
    "h2", "h3", "h4", "span", "center", "table", "form", "a", "b", "i", "br", "hr", "font", "pre",
    "ul", "ol", "img", "iframe", "frameset", "noscript", "strong", "em", "main", "section",
  ]

  private static func isText(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "\t", "\n", "\u{C}", "\r": true
        default: scalar.properties.generalCategory != .control
        }
      }
  }

  private static func isJSON(_ first: UInt8, _ second: UInt8) -> Bool {
    if first == UInt8(ascii: "{") { return "\"}".utf8.contains(second) }
    return "\"[]{-0123456789tfn".utf8.contains(second)
  }

  private static func skippingSpace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 == 0x20 || (0x9...0xD).contains($0) }
  }

  /// Whether the bytes begin with an ASCII text; case is ignored.
  private static func starts(_ bytes: ArraySlice<UInt8>, with text: String) -> Bool {
    let beginning = bytes.prefix(text.utf8.count)
    return String(decoding: beginning, as: UTF8.self).equalsIgnoringASCIICase(text)
  }

  private static func position(of text: String, in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.firstRange(of: Array(text.utf8))?.upperBound
  }

  /// The name of an element in lower case, if it is followed by a character that ends it.
  private static func elementName(_ bytes: ArraySlice<UInt8>) -> String? {
    let name = bytes.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"),
        UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    let end = bytes[name.endIndex...].first
    guard let first = name.first, first >= UInt8(ascii: "A"), let end,
      end == UInt8(ascii: ">") || end == UInt8(ascii: "/") || end == 0x20
        || (0x9...0xD).contains(end) || end == UInt8(ascii: "[")
    else { return nil }
    return String(decoding: name, as: UTF8.self).lowercased()
  }
}
