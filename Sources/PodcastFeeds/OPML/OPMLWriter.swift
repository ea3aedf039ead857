/// Writes lists.
struct OPMLWriter {
  private var output = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
  private var names = OPMLNames()

  /// The list as UTF-8.
  static func bytes(of document: OPMLDocument) -> [UInt8] {
    var writer = OPMLWriter()
    writer.write(document)
    guard !writer.names.missing.isEmpty else { return writer.output }
    // Only the end shows which namespaces no declaration reaches, and which prefixes are free.
    var complete = document
    complete.attributes.insert(contentsOf: writer.names.declarations(), at: 0)
    writer = OPMLWriter()
    writer.write(complete)
    return writer.output
  }

  private mutating func write(_ document: OPMLDocument) {
    for node in document.prologue { line(node, level: 0) }
    var root = document.attributes
    if root["version"] != "2.0" { root["version"] = "2.0" }
    open("opml", root, level: 0)
    for node in document.leading { line(node, level: 1) }
    open("head", document.head.attributes, level: 1)
    for node in document.head.nodes { line(node, level: 2) }
    close("head", level: 1)
    open("body", document.bodyAttributes, level: 1)
    for node in document.nodes { line(node, level: 2) }
    close("body", level: 1)
    for node in document.trailing { line(node, level: 1) }
    close("opml", level: 0)
    for node in document.epilogue { line(node, level: 0) }
  }
}

extension OPMLWriter {
  private mutating func open(_ name: String, _ attributes: [OPMLAttribute], level: Int) {
    indent(level)
    start(name, attributes)
    output += ">\n".utf8
  }

  private mutating func close(_ name: String, level: Int) {
    indent(level)
    output += "</\(name)>\n".utf8
    names.leave()
  }

  private mutating func indent(_ level: Int) {
    output += repeatElement(0x20, count: level * 2)
  }

  /// Writes a node on lines of its own.
  private mutating func line(_ node: OPMLNode, level: Int) {
    let start = output.count
    indent(level)
    let content = output.count
    switch node {
    case .outline(var outline):
      outline.addText()
      self.start("outline", outline.attributes)
      end("outline") { writer in
        let first = writer.output.count
        writer.output.append(0x0A)
        for node in outline.nodes { writer.line(node, level: level + 1) }
        if writer.output.count == first + 1 {
          writer.output.removeLast()
        } else {
          writer.indent(level)
        }
      }
    case .text(let text): inline(.text(text.trimmingXMLSpace()))
    default: inline(node)
    }
    if output.count == content {
      output.removeSubrange(start...)
    } else {
      output.append(0x0A)
    }
  }

  /// Writes a node without white space of its own.
  private mutating func inline(_ node: OPMLNode) {
    switch node {
    case .outline(let outline):
      inline(
        .element(
          OPMLElement(local: "outline", attributes: outline.attributes, nodes: outline.nodes)))
    case .element(let element):
      guard OPMLNames.isName(element.local), element.prefix.map(OPMLNames.isName) ?? true else {
        return
      }
      start(element.name, element.attributes)
      end(element.name) { writer in
        for node in element.nodes { writer.inline(node) }
      }
    case .comment(let text):
      output += "<!--".utf8
      appendUnescaped(text, without: "--", endingWith: UInt8(ascii: "-"))
      output += "-->".utf8
    case .text(let text): MarkupEscape.append(text, inValue: false, to: &output)
    case .instruction(let target, let data):
      guard OPMLNames.isName(target), target.lowercased() != "xml" else { return }
      output += "<?\(target)".utf8
      if !data.isEmpty {
        output.append(0x20)
        appendUnescaped(data, without: "?>", endingWith: 0)
      }
      output += "?>".utf8
    }
  }

  /// Writes the beginning of a tag without its end. ``OPMLNames/leave()`` goes with its element's end.
  private mutating func start(_ name: String, _ attributes: [OPMLAttribute]) {
    output += "<\(name)".utf8
    names.enter(attributes)
    var written: Set<String> = []
    for attribute in attributes {
      guard let name = names.name(of: attribute), written.insert(name).inserted else { continue }
      output += " \(name)=\"".utf8
      MarkupEscape.append(attribute.value, inValue: true, to: &output)
      output.append(UInt8(ascii: "\""))
    }
  }

  /// Writes the content of an element and its end, or the end of an empty tag where there is no
  /// content.
  private mutating func end(_ name: String, content: (inout OPMLWriter) -> Void) {
    output.append(UInt8(ascii: ">"))
    let start = output.count
    content(&self)
    if output.count == start {
      output.removeLast()
      output += "/>".utf8
    } else {
      output += "</\(name)>".utf8
    }
    names.leave()
  }

  /// Writes what cannot be escaped, with a space in each place that would end it.
  private mutating func appendUnescaped(
    _ text: String, without mark: StaticString, endingWith last: UInt8
  ) {
    var previous: UInt8 = 0
    for byte in MarkupEscape.permitted(text) {
      let byte = byte == 0x0D ? 0x0A : byte
      if previous == mark.utf8Start[0], byte == mark.utf8Start[1] { output.append(0x20) }
      output.append(byte)
      previous = byte
    }
    if last != 0, previous == last { output.append(0x20) }
  }
}
