/// A part of all subscriptions, for several processes or machines that share the work
/// (`--shard K/N`).
///
/// A subscription belongs to the shard by the address that was subscribed first, as it was written:
/// the first 8 bytes of the SHA-256 of its UTF-8 bytes, as a big-endian integer, modulo N, plus 1. So
/// each subscription belongs to exactly one of N shards, on every machine, also after a move.
package struct Shard: Sendable, Hashable {
  /// The maximum number of shards.
  package static let maximumCount = 1_000_000

  /// Which one it is, from 1.
  package let number: Int
  /// How many there are.
  package let count: Int

  /// Parses the value of `--shard`, such as `2/5`, or `1+1/5` for schedulers that count from 0 and cannot
  /// compute.
  package init(option text: String) throws(OptionValueError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isFromZero = parts[0].hasSuffix("+1")
    guard parts.count == 2, let given = Int(digits: parts[0].dropLast(isFromZero ? 2 : 0)),
      let count = Int(digits: parts[1]), given < Int.max
    else { throw OptionValueError("\"\(text)\" is not a shard like 2/5.") }
    let number = given + (isFromZero ? 1 : 0)
    guard (1...Self.maximumCount).contains(count) else {
      throw OptionValueError(
        "\"\(text)\" is not a shard: there may be 1 to \(Self.maximumCount) of them.")
    }
    guard (1...count).contains(number) else {
      throw OptionValueError("\"\(text)\" is not a shard: its number goes from 1 to \(count).")
    }
    self.number = number
    self.count = count
  }

  /// Whether the subscription with this first address belongs to the shard.
  package func contains(_ firstAddress: String) -> Bool {
    StableHash.of(firstAddress) % UInt64(count) == UInt64(number - 1)
  }
}

extension Shard: CustomStringConvertible {
  /// The shard as `K/N`.
  package var description: String { "\(number)/\(count)" }
}
