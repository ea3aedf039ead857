/// Reads lists that must be right, since they get rewritten: what is not understood here is refused or
/// kept, never dropped.
enum OPMLReader {
  /// Reads a list; see ``OPMLDocument/init(reading:)``.
  static func document(
    _ bytes: [UInt8], blockBytes: Int = 32 * 1024
  ) throws(OPMLError) -> OPMLDocument {
    let start = OPMLPosition(line: 1, column: 1)
    guard bytes.count <= OPMLLimits.bytes else {
      throw OPMLError(start, "The list has more than \(OPMLLimits.bytes / 1_048_576) MiB.")
    }
    // The byte order mark of UTF-8 means nothing.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    if let offset = text.withUnsafeBufferPointer({ UTF8Cleaner.firstInvalid($0) }) {
      throw error(in: text, at: offset, "This is not UTF-8.")
    }
    if let finding = OPMLPrescan.finding(in: text) {
      throw error(in: text, at: finding.offset, finding.sentence)
    }
    let result = OPMLParser.read(text, isLenient: false, blockBytes: blockBytes)
    if let error = result.error { throw error }
    guard let root = result.tree.root else { throw OPMLError(start, "There is no XML here.") }
    var document = try document(root)
    document.prologue = result.tree.prologue
    document.epilogue = result.tree.epilogue
    return document
  }

  private static func error(in bytes: [UInt8], at offset: Int, _ sentence: String) -> OPMLError {
    var places = OPMLPlaces(bytes)
    return OPMLError(places.position(of: offset), sentence)
  }
}

extension OPMLReader {
  private static func document(_ root: OPMLElement) throws(OPMLError) -> OPMLDocument {
    guard root.prefix == nil, root.local == "opml" else {
      throw OPMLError(root.position, "The root element is not <opml>.")
    }
    var document = OPMLDocument(attributes: root.attributes)
    // Lists of OPML 1 are also lists of OPML 2.0.
    document.attributes["version"] = "2.0"
    var hasHead = false
    var hasBody = false
    for node in root.nodes {
      guard case .element(let element) = node, element.prefix == nil else {
        if hasBody { document.trailing.append(node) } else { document.leading.append(node) }
        continue
      }
      switch element.local {
      case "head":
        guard !hasHead else { throw OPMLError(element.position, "There is a second <head>.") }
        hasHead = true
        document.head = OPMLHead(attributes: element.attributes, nodes: element.nodes)
      case "body":
        guard !hasBody else { throw OPMLError(element.position, "There is a second <body>.") }
        hasBody = true
        document.bodyAttributes = element.attributes
        document.nodes = try structure(element.nodes)
      default:
        try checkName(element)
        if hasBody { document.trailing.append(node) } else { document.leading.append(node) }
      }
    }
    guard hasBody else { throw OPMLError(root.position, "The list has no <body>.") }
    return document
  }

  /// The nodes of the body or of an outline.
  private static func structure(_ nodes: [OPMLNode]) throws(OPMLError) -> [OPMLNode] {
    var result: [OPMLNode] = []
    result.reserveCapacity(nodes.count)
    for node in nodes {
      guard case .element(let element) = node, element.prefix == nil else {
        result.append(node)
        continue
      }
      guard element.local == "outline" else {
        try checkName(element)
        result.append(node)
        continue
      }
      var outline = OPMLOutline(element)
      outline.nodes = try structure(outline.nodes)
      outline.addText()
      result.append(.outline(outline))
    }
    return result
  }

  /// Refuses what looks like a part of OPML and is none: it would be kept without being followed.
  private static func checkName(_ element: OPMLElement) throws(OPMLError) {
    let name = element.local.lowercased()
    guard ["opml", "head", "body", "outline"].contains(name) else { return }
    throw OPMLError(
      element.position,
      name == element.local
        ? "<\(name)> does not belong here." : "Write <\(name)> in lower case.")
  }
}

extension OPMLOutline {
  /// Adds what each outline must have (OPML 2.0): `text`. Other readers show it.
  mutating func addText() {
    if self["text"] == nil { self["text"] = self["title"] ?? "" }
  }
}
