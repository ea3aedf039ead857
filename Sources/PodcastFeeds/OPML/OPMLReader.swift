/// Reads lists that must be right, since they get rewritten: what is not understood here is refused or
/// kept, never dropped.
struct OPMLReader {
  /// What an open element is.
  private enum Kind {
    case root, head, body, outline, other

    /// Whether others of OPML's own may be in it.
    var isStructural: Bool { self != .other && self != .head }
  }

  private struct Open {
    var element: OPMLElement
    var kind: Kind
  }

  private var document = OPMLDocument(attributes: [])
  /// Why reading ended.
  private var failure: OPMLError?
  private var places: OPMLPlaces
  private var namespaces = OPMLNamespaces()
  /// The elements that are open, the root first.
  private var open: [Open] = []
  private var text: [UInt8] = []
  private var hasBegun = false
  private var hasHead = false
  private var hasBody = false
  private var outlines = 0
  private var nodes = 0

  private init(_ bytes: [UInt8]) { places = OPMLPlaces(bytes) }

  /// Reads a list; see ``OPMLDocument/init(reading:)``.
  static func document(_ bytes: [UInt8]) throws(OPMLError) -> OPMLDocument {
    guard bytes.count <= OPMLLimits.bytes else {
      throw OPMLError(
        OPMLPosition(line: 1, column: 1),
        "The list has more than \(OPMLLimits.bytes / 1_048_576) MiB.")
    }
    let text = OPMLText.lines(bytes)
    var reader = MarkupReader(OPMLReader(text))
    if let (offset, sentence) = OPMLText.fault(in: text) {
      var places = OPMLPlaces(text)
      throw OPMLError(places.position(of: offset), sentence)
    }
    text.withUnsafeBufferPointer { reader.add($0) }
    reader.finish()
    if let failure = reader.target.failure { throw failure }
    return reader.target.document
  }
}

extension OPMLReader: MarkupTarget {
  static var isStrict: Bool { true }

  var wantsText: Bool { !open.isEmpty }
  var isStopped: Bool { failure != nil }

  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes) {
    addText()
    hasBegun = true
    let prefix = String(decoding: MarkupName.prefix(name), as: UTF8.self)
    var element = OPMLElement(
      prefix: prefix.isEmpty ? nil : prefix,
      local: String(decoding: MarkupName.local(name), as: UTF8.self))
    element.position = places.position(of: attributes.place)
    element.attributes = namespaces.enter(attributes, &places)
    if open.count == OPMLLimits.depth {
      fail(element, "Elements lie more than \(OPMLLimits.depth) deep in one another.")
    }
    checkNames(element)
    let kind = kind(of: element)
    if kind == .outline { outlines += 1 }
    if outlines > OPMLLimits.outlines {
      fail(element, "There are more than \(OPMLLimits.outlines) outlines.")
    }
    count(at: element.position)
    open.append(Open(element: element, kind: kind))
  }

  mutating func end(_ name: UnsafeBufferPointer<UInt8>) {
    addText()
    namespaces.leave()
    guard let ended = open.popLast() else { return }
    let element = ended.element
    switch ended.kind {
    case .root:
      document.attributes = element.attributes
      // Lists of OPML 1 are also lists of OPML 2.0.
      document.attributes["version"] = "2.0"
      if !hasBody { fail(element, "The list has no <body>.") }
    case .head: document.head = OPMLHead(attributes: element.attributes, nodes: element.nodes)
    case .body:
      document.bodyAttributes = element.attributes
      document.nodes = element.nodes
    case .outline:
      var outline = OPMLOutline(element)
      outline.addText()
      append(.outline(outline))
    case .other: append(.element(element))
    }
  }

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) { text += bytes }

  mutating func comment(_ bytes: UnsafeBufferPointer<UInt8>) {
    add(.comment(String(decoding: bytes, as: UTF8.self)))
  }

  mutating func instruction(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
    let end = bytes.firstIndex(where: MarkupTag.isSpace) ?? bytes.count
    let target = String(decoding: bytes[..<end], as: UTF8.self)
    // The bytes are UTF-8 whatever the XML declaration says.
    if place == 0, target == "xml" { return }
    guard OPMLNames.isName(target), target.lowercased() != "xml" else {
      return fault(.damagedTag, at: place)
    }
    let data = String(decoding: bytes[end...].drop(while: MarkupTag.isSpace), as: UTF8.self)
    add(.instruction(target: target, data: data))
  }

  mutating func fault(_ fault: MarkupFault, at place: Int) {
    let innermost = open.last.map { open in
      let name = String(String.UnicodeScalarView(open.element.name.unicodeScalars.prefix(100)))
      return "<\(name)> of line \(open.element.position.line)"
    }
    let sentence = OPMLText.sentence(fault, in: innermost, isBehind: hasBegun)
    if failure == nil { failure = OPMLError(places.position(of: place), sentence) }
  }
}

extension OPMLReader {
  private mutating func fail(_ element: OPMLElement, _ sentence: String) {
    if failure == nil { failure = OPMLError(element.position, sentence) }
  }

  /// Refuses prefixes that stand for nothing, and attributes that are the same with two of them.
  private mutating func checkNames(_ element: OPMLElement) {
    var names: Set<String> = []
    for attribute in element.attributes {
      if attribute.isDeclaration {
        let isWrong =
          attribute.prefix != nil && (attribute.value.isEmpty || attribute.local == "xmlns")
        if isWrong { fail(element, "A prefix is not declared with xmlns.") }
      } else if let prefix = attribute.prefix {
        guard let namespace = attribute.namespace, prefix != "xmlns" else {
          return fail(element, "A prefix is not declared with xmlns.")
        }
        if !names.insert("\(namespace) \(attribute.local)").inserted {
          fail(element, "An attribute stands twice in one element.")
        }
      }
    }
    if let prefix = element.prefix, namespaces.namespace(of: prefix) == nil {
      fail(element, "A prefix is not declared with xmlns.")
    }
  }

  /// What an element is. What looks like a part of OPML and is none is refused: it would be kept without
  /// being followed.
  private mutating func kind(of element: OPMLElement) -> Kind {
    guard let parent = open.last?.kind else {
      if element.name != "opml" { fail(element, "The root element is not <opml>.") }
      return .root
    }
    guard parent.isStructural, element.prefix == nil else { return .other }
    switch (parent, element.local) {
    case (.root, "head"):
      if hasHead { fail(element, "There is a second <head>.") }
      hasHead = true
      return .head
    case (.root, "body"):
      if hasBody { fail(element, "There is a second <body>.") }
      hasBody = true
      return .body
    case (.body, "outline"), (.outline, "outline"): return .outline
    default:
      let name = element.local.lowercased()
      if ["opml", "head", "body", "outline"].contains(name) {
        fail(
          element,
          name == element.local
            ? "<\(name)> does not belong here." : "Write <\(name)> in lower case.")
      }
      return .other
    }
  }

  private mutating func add(_ node: OPMLNode) {
    addText()
    count(at: open.last?.element.position ?? OPMLPosition(line: 1, column: 1))
    append(node)
  }

  private mutating func addText() {
    guard !text.isEmpty, let last = open.last else { return }
    var content = String(decoding: text, as: UTF8.self)
    text.removeAll(keepingCapacity: true)
    if last.kind != .other { content = content.trimmingXMLSpace() }
    guard !content.isEmpty else { return }
    count(at: last.element.position)
    append(.text(content))
  }

  private mutating func append(_ node: OPMLNode) {
    switch open.last?.kind {
    case .root:
      if hasBody {
        Self.append(node, to: &document.trailing)
      } else {
        Self.append(node, to: &document.leading)
      }
    case nil: if hasBegun { document.epilogue.append(node) } else { document.prologue.append(node) }
    default: open[open.count - 1].element.nodes.append(node)
    }
  }

  /// Text before and behind the head becomes one text, as it does when it is written.
  private static func append(_ node: OPMLNode, to nodes: inout [OPMLNode]) {
    if case .text(let text) = node, case .text(let before)? = nodes.last {
      nodes[nodes.count - 1] = .text("\(before)\n\(text)")
    } else {
      nodes.append(node)
    }
  }

  private mutating func count(at position: OPMLPosition) {
    nodes += 1
    guard nodes > OPMLLimits.nodes, failure == nil else { return }
    failure = OPMLError(
      position, "There are more than \(OPMLLimits.nodes) elements, comments and texts.")
  }
}

extension OPMLOutline {
  /// Adds what each outline must have (OPML 2.0): `text`. Other readers show it.
  mutating func addText() {
    if self["text"] == nil { self["text"] = self["title"] ?? "" }
  }
}
