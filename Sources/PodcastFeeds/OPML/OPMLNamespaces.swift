/// The namespaces that hold in a list while it is read.
struct OPMLNamespaces {
  /// For each prefix the namespaces for which it stands, the innermost last.
  private var namespaces = ["xml": ["http://www.w3.org/XML/1998/namespace"]]
  /// The prefixes that each open element declares.
  private var declared: [[String]] = []

  /// Begins an element and returns its attributes, declarations of namespaces first.
  ///
  /// - Parameter places: finds the places of podget's own attributes.
  mutating func enter(
    _ attributes: ElementAttributes, _ places: inout OPMLPlaces
  ) -> [OPMLAttribute] {
    var own: [String] = []
    attributes.forEachNamespace { prefix, namespace in
      let prefix = String(decoding: prefix, as: UTF8.self)
      guard !prefix.isEmpty else { return }
      own.append(prefix)
      namespaces[prefix, default: []].append(String(decoding: namespace, as: UTF8.self))
    }
    declared.append(own)
    var declarations: [OPMLAttribute] = []
    var others: [OPMLAttribute] = []
    for attribute in attributes.all {
      let prefix = String(decoding: MarkupName.prefix(attribute.name), as: UTF8.self)
      var new = OPMLAttribute(
        prefix: prefix.isEmpty ? nil : prefix,
        local: String(decoding: MarkupName.local(attribute.name), as: UTF8.self),
        value: String(decoding: attribute.value, as: UTF8.self))
      if new.isDeclaration {
        declarations.append(new)
      } else {
        new.namespace = new.prefix.flatMap { namespace(of: $0) }
        if new.isOwn { new.position = places.position(of: attribute.place) }
        others.append(new)
      }
    }
    return declarations + others
  }

  /// Ends the innermost element.
  mutating func leave() {
    for prefix in declared.popLast() ?? [] { namespaces[prefix]?.removeLast() }
  }

  /// The namespace for which a prefix stands here; nil when it is not declared.
  func namespace(of prefix: String) -> String? { namespaces[prefix]?.last }
}
