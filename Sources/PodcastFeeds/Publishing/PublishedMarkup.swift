/// Markup that is being written. Texts are escaped here and nowhere else.
struct PublishedMarkup {
  /// What was written, as UTF-8.
  private(set) var bytes: [UInt8] = []

  /// Writes markup as it is.
  mutating func raw(_ markup: StaticString) {
    bytes += UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount)
  }

  /// Writes a text, for content and for values of attributes.
  mutating func text(_ text: String) { MarkupEscape.append(text, inValue: true, to: &bytes) }

  /// Writes an element with a text on a line of its own; nothing without a text.
  mutating func element(_ name: StaticString, _ text: String?, indent: StaticString) {
    guard let text else { return }
    raw(indent)
    raw("<")
    raw(name)
    raw(">")
    self.text(text)
    raw("</")
    raw(name)
    raw(">\n")
  }
}
