import PodcastTransfer

/// What identifies the decoded body of a feed: equal fingerprints mean equal bytes.
package struct BodyFingerprint: Sendable, Hashable {
  /// The SHA-256 in lower-case hex.
  package var sha256: String
  /// The length in bytes.
  package var bytes: Int

  /// Creates a fingerprint.
  package init(sha256: String, bytes: Int) {
    self.sha256 = sha256
    self.bytes = bytes
  }
}

/// Computes the fingerprint of a body as its pieces arrive.
///
/// As long as the body may be the known one its pieces are kept: an unchanged feed is never parsed.
struct BodyFingerprinter: ~Copyable {
  /// The fingerprint of the last body, if there is one.
  let known: BodyFingerprint?
  private var digest = SHA2Digest()
  private var bytes = 0
  private var kept: [[UInt8]] = []
  private var keeps: Bool

  /// The longest body that is kept: a longer one is parsed while it arrives.
  private static let longestKept = 8 << 20

  /// Starts a body.
  init(known: BodyFingerprint?) {
    self.known = known
    keeps = (known?.bytes).map { $0 <= Self.longestKept } ?? false
  }

  /// Takes the next piece.
  ///
  /// - Returns: the pieces that can be parsed now, in order.
  mutating func add(_ piece: [UInt8]) -> [[UInt8]] {
    piece.withUnsafeBytes { digest.add($0) }
    bytes += piece.count
    guard keeps, let known else { return [piece] }
    kept.append(piece)
    return bytes <= known.bytes ? [] : release()
  }

  /// Ends the body; nil if the digest could not be computed. It is called once.
  mutating func finish() -> BodyFingerprint? {
    digest.finish().map { BodyFingerprint(sha256: $0, bytes: bytes) }
  }

  /// The pieces that were kept: the body is not the known one.
  mutating func release() -> [[UInt8]] {
    keeps = false
    defer { kept = [] }
    return kept
  }
}
