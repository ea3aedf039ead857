/// Elements of HTML that descriptions have in them without escaping it.
enum HTMLElement {
  /// Whether an element never has content nor an end tag (HTML Standard, section 13.1.2).
  static func isVoid(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard (2...6).contains(name.count) else { return false }
    return voidNames.contains { MarkupName.isEqual(name, $0) }
  }

  private static let voidNames: [StaticString] = [
    "br", "img", "hr", "input", "meta", "link", "wbr", "area", "base", "col", "embed", "source",
    "track",
  ]
}
