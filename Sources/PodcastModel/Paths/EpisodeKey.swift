/// The stable key of an episode, which names its partial file and its lines in records: 32
/// lower-case hex digits.
///
/// A key from a file is checked, so it cannot name anything except an episode.
public struct EpisodeKey: CheckedText {
  /// The problem of a string that is not a key.
  public static let problem = "is not the key of an episode"

  // As numbers: a library has as many keys as episodes.
  private let high: UInt64
  private let low: UInt64

  /// Checks a key; nil for anything except 32 lower-case hex digits.
  public init?(_ text: String) {
    guard Self.isKey(text.utf8) else { return nil }
    self.init(checked: text)
  }

  /// A key that was checked with ``isKey(_:)`` when it was read.
  package init(checked text: String) {
    func number(_ digits: Substring.UTF8View) -> UInt64 {
      digits.reduce(0) { $0 << 4 | UInt64($1 < 0x3A ? $1 & 0xF : ($1 & 0xF) + 9) }
    }
    high = number(text.utf8.prefix(16))
    low = number(text.utf8.dropFirst(16))
  }

  /// The first half of the digits, for tables: others have the same number only by accident.
  package var number: Int64 { Int64(bitPattern: high) }

  /// The digits.
  public var text: String {
    String(unsafeUninitializedCapacity: 32) { digits in
      for (place, number) in [high, low].enumerated() {
        for digit in 0..<16 {
          let value = UInt8(truncatingIfNeeded: number >> (60 - 4 * digit)) & 0xF
          digits[16 * place + digit] = value < 10 ? 0x30 + value : 0x57 + value
        }
      }
      return 32
    }
  }

  /// Keys are equal when their digits are.
  public static func == (first: EpisodeKey, second: EpisodeKey) -> Bool {
    first.high == second.high && first.low == second.low
  }

  /// Hashes the digits.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }

  /// Whether these bytes are 32 lower-case hex digits.
  @inlinable package static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count == 32
      && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
