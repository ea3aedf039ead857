/// One attribute of an element.
package struct OPMLAttribute: Sendable, Hashable {
  /// The prefix as written; nil without one. Where it is not bound to ``namespace``, writing chooses
  /// another.
  package var prefix: String?
  /// The name without its prefix.
  package var local: String
  /// The namespace that the prefix stands for; nil without a prefix.
  package var namespace: String?
  /// The value, references replaced.
  package var value: String
  /// Where its name begins in the file that was read; only of podget's own attributes, and not part of
  /// equality.
  package var position = OPMLPosition()

  /// Makes an attribute.
  package init(
    prefix: String? = nil, local: String, namespace: String? = nil, value: String
  ) {
    self.prefix = prefix
    self.local = local
    self.namespace = namespace
    self.value = value
  }

  /// The name as it is written.
  package var name: String { prefix.map { "\($0):\(local)" } ?? local }

  /// Whether it is one of podget's own, or looks like one.
  var isOwn: Bool { namespace == OPMLDocument.namespace || prefix == OPMLDocument.prefix }

  /// Whether this is `xmlns` or `xmlns:…`.
  var isDeclaration: Bool { prefix == "xmlns" || (prefix == nil && local == "xmlns") }

  /// What a declaration declares: the prefix, which is empty for the default namespace. Nil for any
  /// other attribute.
  var declaredPrefix: String? { isDeclaration ? (prefix == nil ? "" : local) : nil }
}

extension [OPMLAttribute] {
  /// The value of an attribute without a prefix, its name as written; setting nil removes it.
  subscript(name: String) -> String? {
    get { first { $0.prefix == nil && $0.local == name }?.value }
    set {
      set(newValue, where: { $0.prefix == nil && $0.local == name }) { value in
        OPMLAttribute(local: name, value: value)
      }
    }
  }

  /// The value of an attribute without a prefix, its name compared without case.
  func value(anyCase name: String) -> String? {
    first { $0.prefix == nil && $0.local.lowercased() == name }?.value
  }

  /// The value of an attribute of a namespace.
  func value(_ local: String, namespace: String) -> String? {
    first { $0.namespace == namespace && $0.local == local }?.value
  }

  /// Sets, adds or with nil removes an attribute of a namespace.
  mutating func set(_ value: String?, _ local: String, namespace: String, prefix: String) {
    set(value, where: { $0.namespace == namespace && $0.local == local }) { value in
      OPMLAttribute(prefix: prefix, local: local, namespace: namespace, value: value)
    }
  }

  private mutating func set(
    _ value: String?, where isWanted: (OPMLAttribute) -> Bool, make: (String) -> OPMLAttribute
  ) {
    guard let value else { return removeAll(where: isWanted) }
    if let place = firstIndex(where: isWanted) {
      self[place].value = value
    } else {
      append(make(value))
    }
  }
}
