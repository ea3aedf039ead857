/// An outline: a feed, a folder or anything else.
package struct OPMLOutline: Sendable, Hashable {
  /// Its attributes in their order, declarations of namespaces first.
  package var attributes: [OPMLAttribute]
  /// What it holds: outlines, comments, and what podget does not know.
  package var nodes: [OPMLNode]
  /// Where it begins in the file that was read. Not part of equality.
  package var position = OPMLPosition()

  /// Makes an outline with attributes that have no prefix.
  package init(_ attributes: KeyValuePairs<String, String> = [:], nodes: [OPMLNode] = []) {
    self.attributes = attributes.map { OPMLAttribute(local: $0.key, value: $0.value) }
    self.nodes = nodes
  }

  init(_ element: OPMLElement) {
    attributes = element.attributes
    nodes = element.nodes
    position = element.position
  }

  /// The line where it begins, from 1; 0 for a new one.
  package var line: Int { position.line }
  /// The character of the line where it begins, from 1; 0 for a new one.
  package var column: Int { position.column }

  /// The value of an attribute without a prefix, its name as written; setting nil removes it.
  package subscript(name: String) -> String? {
    get { attributes[name] }
    set { attributes[name] = newValue }
  }

  /// The value of an attribute of a namespace, whatever its prefix.
  package func value(_ local: String, namespace: String) -> String? {
    attributes.value(local, namespace: namespace)
  }

  /// Sets an attribute of a namespace; nil removes it. The document declares the namespace when it is
  /// written.
  package mutating func set(
    _ value: String?, _ local: String, namespace: String, prefix: String = OPMLDocument.prefix
  ) {
    attributes.set(value, local, namespace: namespace, prefix: prefix)
  }

  /// The outlines in it.
  package var outlines: [OPMLOutline] { nodes.compactMap(\.outline) }
}

extension OPMLOutline {
  /// The address of its feed as written, white space at the ends removed; nil when it has none.
  ///
  /// `xmlUrl` counts in any case, then `url` unless the type says that it means something else: type
  /// `link` and `include` mean another list or a web page (OPML 2.0).
  package var feedAddress: String? {
    // A folder that is a search of its program.
    if filled("type")?.lowercased() == "vfolder" { return nil }
    if let address = filled("xmlurl") { return address }
    guard let type = filled("type")?.lowercased() else { return filled("url") }
    return Self.feedTypes.contains(type) ? filled("url") : nil
  }

  /// Whether it and what is in it are commented out (OPML 2.0, `isComment`).
  package var isComment: Bool { filled("iscomment")?.lowercased() == "true" }

  /// The value of an attribute in any case, white space at its ends removed; nil when it is empty.
  func filled(_ name: String) -> String? {
    guard let value = attributes.value(anyCase: name)?.trimmingXMLSpace(), !value.isEmpty else {
      return nil
    }
    return value
  }

  private static let feedTypes: Set<String> = [
    "rss", "rss1", "rss2", "atom", "rdf", "feed", "pie", "podcast",
  ]
}
