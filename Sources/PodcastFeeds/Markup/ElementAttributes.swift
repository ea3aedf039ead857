/// The attributes of an element, lent while it begins.
struct ElementAttributes {
  /// One attribute.
  struct Attribute {
    /// The name as written, with its prefix.
    var name: UnsafeBufferPointer<UInt8>
    /// The value, references replaced.
    var value: UnsafeBufferPointer<UInt8>
    /// Where the name stands in the document.
    var place: Int
  }

  /// All of them, each name once.
  let all: UnsafeBufferPointer<Attribute>
  /// Where the tag begins in the document.
  let place: Int

  var count: Int { all.count }

  /// The value of an attribute, its name compared without case; nil when there is none.
  ///
  /// - Parameter name: the name in lower case, with a usual prefix where it has one.
  subscript(name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    all.first { MarkupName.isEqual($0.name, name) }?.value
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
