/// What an outline, the body or the head holds, in its order.
package enum OPMLNode: Sendable, Hashable {
  /// An outline of the body or of another outline.
  case outline(OPMLOutline)
  /// Any other element. What is in it is kept as it is, white space too.
  case element(OPMLElement)
  /// A comment, without its marks.
  case comment(String)
  /// Text. Between outlines it has no white space at its ends.
  case text(String)
  /// A processing instruction, such as a style sheet.
  case instruction(target: String, data: String)

  /// The outline, if it is one.
  package var outline: OPMLOutline? {
    if case .outline(let outline) = self { outline } else { nil }
  }

  /// The element that is no outline, if it is one.
  package var element: OPMLElement? {
    if case .element(let element) = self { element } else { nil }
  }
}

/// An element that podget does not know, or a part of the head.
package struct OPMLElement: Sendable, Hashable {
  /// The prefix of its name; nil without one.
  package var prefix: String?
  /// Its name without the prefix.
  package var local: String
  /// Its attributes, declarations of namespaces first.
  package var attributes: [OPMLAttribute]
  /// What it holds.
  package var nodes: [OPMLNode]
  /// Where it begins in the file that was read, from 1; 0 for a new one. Not part of equality.
  package var position = OPMLPosition()

  /// Makes an element.
  package init(
    prefix: String? = nil, local: String, attributes: [OPMLAttribute] = [], nodes: [OPMLNode] = []
  ) {
    self.prefix = prefix
    self.local = local
    self.attributes = attributes
    self.nodes = nodes
  }

  /// The text that it holds, white space at its ends removed, elements left out.
  package var text: String {
    var text = ""
    for case .text(let part) in nodes { text += part }
    return text.trimmingXMLSpace()
  }

  /// The name as it is written.
  var name: String { prefix.map { "\($0):\(local)" } ?? local }
}

/// A place in a text. All are equal, so that what holds one is equal wherever it was read.
package struct OPMLPosition: Sendable, Hashable {
  /// The line, from 1; 0 where nothing was read.
  package var line = 0
  /// The character in the line, from 1; 0 where nothing was read.
  package var column = 0

  /// Always true.
  package static func == (_: Self, _: Self) -> Bool { true }

  /// Adds nothing.
  package func hash(into _: inout Hasher) {}
}

extension String {
  /// The text without the white space of XML (XML 1.0, section 2.3) at its ends.
  func trimmingXMLSpace() -> String {
    func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: utf8[first...last], as: UTF8.self)
  }
}
