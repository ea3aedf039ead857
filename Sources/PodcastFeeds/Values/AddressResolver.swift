/// Makes the addresses of one document absolute, and bounds what that costs.
///
/// A relative address becomes as long as its base, so a few kilobytes of a document could become
/// hundreds of megabytes. Its bases are taken apart once.
struct AddressResolver {
  private var bases: [BaseAddress]
  /// How many bytes the addresses may get from their bases.
  private let maximumBytes: Int
  /// How many they have got so far.
  private(set) var bytes = 0

  /// - Parameter base: the address of the document.
  init(base: String?, maximumBytes: Int = FeedLimits().addressBytes) {
    bases = base.flatMap(BaseAddress.init).map { [$0] } ?? []
    self.maximumBytes = maximumBytes
  }

  /// Whether there was more than the bound permits. No more relative addresses are made absolute.
  var isExhausted: Bool { bytes > maximumBytes }

  /// The absolute address that a text means here; nil when it means none.
  mutating func absolute(_ text: some Collection<UInt8>) -> String? {
    let address = FeedAddress.absolute(text, base: isExhausted ? nil : bases.last)
    if let address { count(address.utf8.count, of: text.count) }
    return address
  }

  /// Begins a part of the document that has another base; false if the text is no address.
  mutating func begin(base text: some Collection<UInt8>) -> Bool {
    guard let base = FeedAddress.base(text, base: isExhausted ? nil : bases.last) else {
      return false
    }
    count(base.count, of: text.count)
    bases.append(base)
    return true
  }

  /// Replaces the base, unless the text is no address.
  mutating func replaceBase(_ text: some Collection<UInt8>) {
    if begin(base: text) { bases.removeFirst(bases.count - 1) }
  }

  /// Ends that part.
  mutating func endBase() { _ = bases.popLast() }

  private mutating func count(_ length: Int, of text: Int) {
    // Percent-encoding makes three bytes of one at most.
    bytes += max(0, length - 3 * text)
  }
}
