/// What a list consists of, before anything is made of it.
struct OPMLTree {
  /// Comments and instructions before the root element.
  var prologue: [OPMLNode] = []
  /// The root element with all in it.
  var root: OPMLElement?
  /// Comments and instructions behind the root element.
  var epilogue: [OPMLNode] = []
}

/// Builds the tree of a list from what a parser reports.
struct OPMLTreeBuilder {
  private(set) var tree = OPMLTree()
  /// Why the parser has to stop.
  private(set) var failure: OPMLError?
  private(set) var places: OPMLPlaces
  /// The elements that are open, the root first.
  private var open: [Open] = []
  private var text: [UInt8] = []
  private var outlines = 0
  private var nodes = 0
  private let maximumDepth: Int

  private struct Open {
    var element: OPMLElement
    /// Whether it is one of OPML's own, in which white space has no meaning.
    var isStructural: Bool
  }

  init(places: OPMLPlaces, maximumDepth: Int) {
    self.places = places
    self.maximumDepth = maximumDepth
  }

  /// The element that is open innermost.
  var innermost: OPMLElement? { open.last?.element }

  /// Whether the root element has begun.
  var hasBegun: Bool { tree.root != nil || !open.isEmpty }

  /// Begins an element.
  ///
  /// - Parameter offset: a place in its tag, behind its name.
  mutating func start(_ element: OPMLElement, before offset: Int) {
    addText()
    var element = element
    // No other `<` may stand in a tag.
    element.position = places.position(ofLast: [UInt8(ascii: "<")], before: offset)
    if element.attributes.contains(where: \.isOwn) { places.locate(&element.attributes) }
    let isStructural = isStructural(element)
    if isStructural, element.local.lowercased() == "outline" { outlines += 1 }
    nodes += 1
    if open.count == maximumDepth {
      fail(element.position, "Elements lie more than \(maximumDepth) deep in one another.")
    } else if outlines > OPMLLimits.outlines {
      fail(element.position, "There are more than \(OPMLLimits.outlines) outlines.")
    }
    checkNodes()
    guard failure == nil else { return }
    open.append(Open(element: element, isStructural: isStructural))
  }

  /// Ends the innermost element.
  mutating func end() {
    addText()
    guard let element = open.popLast()?.element else { return }
    if open.isEmpty { tree.root = element } else { append(.element(element)) }
  }

  /// Ends all elements that are open.
  mutating func endAll() {
    while !open.isEmpty { end() }
  }

  mutating func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
    if !open.isEmpty { text += bytes }
  }

  mutating func comment(_ text: String) { add(.comment(text)) }

  mutating func instruction(_ target: String, _ data: String) {
    add(.instruction(target: target, data: data))
  }

  /// Stops with an error, unless there is one already.
  mutating func fail(_ position: OPMLPosition, _ sentence: String) {
    if failure == nil { failure = OPMLError(position, sentence) }
  }

  /// Stops with an error at the last of some marks before a place in the text.
  mutating func fail(atLast marks: [UInt8], before offset: Int, _ sentence: String) {
    fail(places.position(ofLast: marks, before: offset), sentence)
  }
}

extension OPMLTreeBuilder {
  private func isStructural(_ element: OPMLElement) -> Bool {
    guard let parent = open.last else { return true }
    let parentName = parent.element.local.lowercased()
    guard parent.isStructural, parentName != "head" else { return false }
    return ["head", "body", "outline"].contains(element.local.lowercased())
  }

  private mutating func add(_ node: OPMLNode) {
    addText()
    nodes += 1
    checkNodes()
    append(node)
  }

  private mutating func addText() {
    guard !text.isEmpty, let last = open.last else { return }
    var content = String(decoding: text, as: UTF8.self)
    text.removeAll(keepingCapacity: true)
    if last.isStructural { content = content.trimmingXMLSpace() }
    guard !content.isEmpty else { return }
    nodes += 1
    append(.text(content))
  }

  private mutating func append(_ node: OPMLNode) {
    if open.isEmpty {
      if tree.root == nil { tree.prologue.append(node) } else { tree.epilogue.append(node) }
    } else {
      open[open.count - 1].element.nodes.append(node)
    }
  }

  private mutating func checkNodes() {
    guard nodes > OPMLLimits.nodes, failure == nil else { return }
    fail(
      open.last?.element.position ?? OPMLPosition(line: 1, column: 1),
      "There are more than \(OPMLLimits.nodes) elements, comments and texts.")
  }
}
