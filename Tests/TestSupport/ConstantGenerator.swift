/// A source of randomness that always gives the same bits.
public struct ConstantGenerator: RandomNumberGenerator, Sendable {
  private let bits: UInt64

  /// Makes a generator: all bits set give the largest values, 1 the smallest. Not 0, which the
  /// standard library rejects for most ranges, again and again.
  public init(bits: UInt64) { self.bits = bits }

  /// The same bits each time.
  public mutating func next() -> UInt64 { bits }
}
