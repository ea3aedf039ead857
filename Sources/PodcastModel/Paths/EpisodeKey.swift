/// The stable key of an episode, which names its partial file and its lines in records: 32
/// lower-case hex digits.
///
/// A key from a file is checked, so it cannot name anything except an episode.
public struct EpisodeKey: CheckedText {
  /// The problem of a string that is not a key.
  public static let problem = "is not the key of an episode"

  /// The digits.
  public let text: String

  /// Checks a key; nil for anything except 32 lower-case hex digits.
  public init?(_ text: String) {
    guard Self.isKey(text.utf8) else { return nil }
    self.text = text
  }

  /// A key that was checked with ``isKey(_:)`` when it was read.
  package init(checked text: String) { self.text = text }

  /// Whether these bytes are 32 lower-case hex digits.
  @inlinable package static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count == 32
      && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
