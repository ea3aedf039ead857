/// The attributes of an element, lent while it begins.
struct ElementAttributes {
  /// One attribute.
  struct Attribute {
    /// The name as written, with its prefix.
    var name: UnsafeBufferPointer<UInt8>
    /// The value, references replaced.
    var value: UnsafeBufferPointer<UInt8>
  }

  private let all: UnsafeBufferPointer<Attribute>

  init(_ all: UnsafeBufferPointer<Attribute>) { self.all = all }

  var count: Int { all.count }

  /// The value of an attribute, its name compared without case; nil when there is none.
  ///
  /// - Parameter name: the name in lower case, with a usual prefix where it has one.
  subscript(name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    all.first { MarkupName.isEqual($0.name, name) }?.value
  }

  /// Calls a function with each name and value.
  func forEach(
    _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
  ) {
    for attribute in all { body(attribute.name, attribute.value) }
  }

  /// Calls a function with each declaration of a namespace: the prefix, which is empty for the default
  /// namespace, and the namespace.
  func forEachNamespace(
    _ body: (_ prefix: UnsafeBufferPointer<UInt8>, _ namespace: UnsafeBufferPointer<UInt8>) -> Void
  ) {
    for attribute in all {
      guard let prefix = MarkupName.declaredPrefix(attribute.name) else { continue }
      body(prefix, attribute.value)
    }
  }
}
