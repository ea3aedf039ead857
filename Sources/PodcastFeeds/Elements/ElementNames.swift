/// Finds out what elements are by their names as written and the namespaces that hold where they stand.
///
/// A feed has a few dozen different names and hundreds of thousands of elements: only the first of each
/// name is looked at as text.
struct ElementNames {
  /// The most declarations of namespaces that hold at one place and change what a prefix means. Real
  /// feeds have thirty.
  static let maximumNamespaces = 128
  /// A power of two, of which at most half is filled. Further names are looked up each time.
  private static let size = 1024
  /// The most places of the table that are looked at: names may be chosen to get the same one.
  private static let maximumProbes = 8
  /// The longest name that is looked at; a longer one is none of those that say something.
  private static let maximumBytes = 256

  private struct Name {
    var start: Int
    var count: Int
    /// The namespaces for which the rest was looked up.
    var state: Int
    var usualPrefix: String?
    var element: FeedElement?
  }

  private struct Binding {
    var prefix: [UInt8]
    var usualPrefix: String?
    /// The state before the declaration.
    var state: Int
  }

  private var slots = [Int16](repeating: -1, count: ElementNames.size)
  private var names: [Name] = []
  /// The names as written, one after the other.
  private var text: [UInt8] = []
  private var bindings: [Binding] = []
  /// Which declarations hold: a number for each combination of them.
  private var state = 0
  private var lastState = 0
  /// How many declarations were looked through.
  private(set) var work = 0

  /// How many declarations hold.
  var bindingCount: Int { bindings.count }

  /// Adds the declarations of an element.
  mutating func declare(_ attributes: ElementAttributes) {
    attributes.forEachNamespace { prefix, namespace in
      // Only the default namespace may be taken away (Namespaces in XML 1.0, section 5).
      guard !namespace.isEmpty || prefix.isEmpty, bindings.count < Self.maximumNamespaces,
        prefix.count + namespace.count <= Self.maximumBytes
      else { return }
      let usualPrefix = FeedNamespace.usualPrefix(
        namespace: String(decoding: namespace, as: UTF8.self), prefix: Self.text(prefix))
      guard usualPrefix != self.usualPrefix(prefix) else { return }
      bindings.append(
        Binding(prefix: Array(prefix), usualPrefix: usualPrefix, state: state))
      lastState += 1
      state = lastState
    }
  }

  /// Takes declarations back until there are so many.
  mutating func endDeclarations(to count: Int) {
    while bindings.count > count, let binding = bindings.popLast() { state = binding.state }
  }

  /// The element of a name; nil for one that says nothing here.
  mutating func element(_ name: UnsafeBufferPointer<UInt8>) -> FeedElement? {
    guard name.count <= Self.maximumBytes else { return nil }
    var slot = Self.slot(of: name)
    var free: Int?
    for _ in 0..<Self.maximumProbes {
      let place = Int(slots[slot])
      guard place >= 0 else {
        free = slot
        break
      }
      if isEqual(names[place], name) { return element(at: place, name) }
      slot = (slot + 1) & (Self.size - 1)
    }
    let usualPrefix = usualPrefix(MarkupName.prefix(name))
    let element = Self.element(name, usualPrefix)
    if let free, names.count < Self.size / 2 {
      slots[free] = Int16(names.count)
      names.append(
        Name(
          start: text.count, count: name.count, state: state, usualPrefix: usualPrefix,
          element: element))
      text.append(contentsOf: name)
    }
    return element
  }

  /// Where the search for a name begins: by its length and its first and last eight bytes, in which the
  /// names of feeds differ.
  private static func slot(of name: UnsafeBufferPointer<UInt8>) -> Int {
    let bytes = UnsafeRawBufferPointer(name)
    let count = bytes.count
    var (first, last): (UInt64, UInt64) = (0, 0)
    if count >= 8 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      first = UInt64(bytes.loadUnaligned(as: UInt32.self))
      last = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else {
      for byte in bytes { first = first << 8 | UInt64(byte) }
    }
    let hash =
      (first &* 0x9E37_79B9_7F4A_7C15) ^ (last &* 0xC2B2_AE3D_27D4_EB4F)
      ^ (UInt64(count) &* 0x1656_67B1_9E37_79F9)
    return Int((hash ^ (hash >> 32)) >> 16 & UInt64(size - 1))
  }

  private mutating func element(
    at place: Int, _ name: UnsafeBufferPointer<UInt8>
  ) -> FeedElement? {
    if names[place].state != state {
      let usualPrefix = usualPrefix(MarkupName.prefix(name))
      if usualPrefix != names[place].usualPrefix {
        names[place].usualPrefix = usualPrefix
        names[place].element = Self.element(name, usualPrefix)
      }
      names[place].state = state
    }
    return names[place].element
  }

  private func isEqual(_ one: Name, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    text.withUnsafeBufferPointer {
      MarkupName.isSame(
        UnsafeBufferPointer(rebasing: $0[one.start..<(one.start + one.count)]), name)
    }
  }

  /// The usual prefix of the vocabulary for which a prefix stands.
  private mutating func usualPrefix(_ prefix: UnsafeBufferPointer<UInt8>) -> String? {
    work += bindings.count
    if let binding = bindings.last(where: { $0.prefix.elementsEqual(prefix) }) {
      return binding.usualPrefix
    }
    return FeedNamespace.usualPrefix(namespace: nil, prefix: Self.text(prefix))
  }

  private static func text(_ prefix: UnsafeBufferPointer<UInt8>) -> String? {
    prefix.isEmpty ? nil : String(decoding: prefix, as: UTF8.self)
  }

  private static func element(
    _ name: UnsafeBufferPointer<UInt8>, _ usualPrefix: String?
  ) -> FeedElement? {
    guard let usualPrefix else { return nil }
    let local = String(decoding: MarkupName.local(name), as: UTF8.self).lowercased()
    if usualPrefix.isEmpty {
      // Atom without its namespace is still Atom.
      return FeedElement.named[local] ?? FeedElement.named["atom:\(local)"]
    }
    if let element = FeedElement.named["\(usualPrefix):\(local)"] { return element }
    // A feed may name another vocabulary as that of all its elements. XHTML has a `title` of its own.
    let isMistaken = MarkupName.prefix(name).isEmpty && usualPrefix != "xhtml"
    return isMistaken ? FeedElement.named[local] : nil
  }
}
