/// The names of attributes while a list is written: which prefixes stand for which namespaces where.
struct OPMLNames {
  private struct Binding {
    var prefix: String
    var namespace: String
  }

  /// All that are declared, the outermost first.
  private var bindings = [
    Binding(prefix: "xml", namespace: "http://www.w3.org/XML/1998/namespace")
  ]
  /// How many bindings there were before each open element.
  private var counts: [Int] = []
  /// Every prefix that is declared anywhere.
  private var declared: Set<String> = ["xml", "xmlns"]
  /// Namespaces that no declaration reached, with the prefix that they would like.
  private(set) var missing: [(namespace: String, prefix: String)] = []

  /// Begins an element.
  mutating func enter(_ attributes: [OPMLAttribute]) {
    counts.append(bindings.count)
    for attribute in attributes {
      guard let prefix = attribute.declaredPrefix, !prefix.isEmpty else { continue }
      bindings.append(Binding(prefix: prefix, namespace: attribute.value))
      declared.insert(prefix)
    }
  }

  /// Ends the innermost element.
  mutating func leave() {
    guard let count = counts.popLast() else { return }
    bindings.removeSubrange(count...)
  }

  /// How an attribute of the innermost element is written; nil when it cannot be.
  mutating func name(of attribute: OPMLAttribute) -> String? {
    guard Self.isName(attribute.local), attribute.prefix.map(Self.isName) ?? true else {
      return nil
    }
    if attribute.isDeclaration {
      return attribute.prefix == nil ? "xmlns" : "xmlns:\(attribute.local)"
    }
    guard let namespace = attribute.namespace else {
      return attribute.prefix == nil ? attribute.local : nil
    }
    if let prefix = attribute.prefix, binding(of: prefix) == namespace {
      return "\(prefix):\(attribute.local)"
    }
    let reaching = bindings.last { binding in
      binding.namespace == namespace && self.binding(of: binding.prefix) == namespace
    }
    if let reaching { return "\(reaching.prefix):\(attribute.local)" }
    if !namespace.isEmpty, !missing.contains(where: { $0.namespace == namespace }) {
      missing.append((namespace, attribute.prefix ?? "ns"))
    }
    return nil
  }

  /// Declarations for the root element of what is missing, with prefixes that are declared nowhere.
  func declarations() -> [OPMLAttribute] {
    var taken = declared
    return missing.map { namespace, wanted in
      var prefix = wanted
      var number = 2
      while !taken.insert(prefix).inserted {
        prefix = "\(wanted)\(number)"
        number += 1
      }
      return OPMLAttribute(prefix: "xmlns", local: prefix, value: namespace)
    }
  }

  private func binding(of prefix: String) -> String? {
    bindings.last { $0.prefix == prefix }?.namespace
  }

  /// Whether a text may be a name without a prefix. Beyond ASCII more is let through than XML permits:
  /// such names come from XML.
  static func isName(_ text: String) -> Bool {
    var isFirst = true
    for byte in text.utf8 {
      let isStart =
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
      let isOther =
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      guard isStart || (isOther && !isFirst) else { return false }
      isFirst = false
    }
    return !isFirst
  }
}
