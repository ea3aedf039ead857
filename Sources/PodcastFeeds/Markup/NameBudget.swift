/// Counts the different names of a document, roughly.
///
/// libxml2 keeps every name in a table that stops growing: with a million names a search takes as long as
/// reading a page. Real feeds have a few hundred.
struct NameBudget {
  private static let maximumNames = 10_000
  private static let bits = 1 << 17

  private var seen = [UInt64](repeating: 0, count: NameBudget.bits / 64)
  private var count = 0

  /// Whether a name may be passed on: one that came before, or one of the first ten thousand. Names
  /// with the same hash count as one.
  mutating func admits(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let bit = Int((hash ^ (hash >> 32)) % UInt64(Self.bits))
    let mask: UInt64 = 1 << UInt64(bit % 64)
    if seen[bit / 64] & mask != 0 { return true }
    guard count < Self.maximumNames else { return false }
    seen[bit / 64] |= mask
    count += 1
    return true
  }
}
