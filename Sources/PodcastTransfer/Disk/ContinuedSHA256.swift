internal import COpenSSL
import PodcastModel

/// A SHA-256 whose state can be stored and continued later: so a checksum of old bytes can be
/// continued with other ones.
///
/// It allocates nothing in libcrypto and cannot fail.
package struct ContinuedSHA256: Sendable {
  /// How many bytes the stored form has before those of an incomplete block.
  private static let stateBytes = 32
  private static let blockBytes = 64

  private var state = [UInt32](repeating: 0, count: 8)
  /// The bytes of the incomplete block.
  private var rest: [UInt8] = []
  /// How many bytes were added.
  package private(set) var count: UInt64 = 0

  /// The checksum of no bytes.
  package init() { podget_sha256_begin(&state) }

  /// A stored checksum of so many bytes; nil if it cannot be one.
  package init?(_ stored: [UInt8], of count: Int64) {
    guard let count = UInt64(exactly: count),
      stored.count == Self.stateBytes + Int(count % UInt64(Self.blockBytes))
    else { return nil }
    for word in state.indices {
      state[word] = stored[word * 4..<word * 4 + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    rest = Array(stored[Self.stateBytes...])
    self.count = count
  }

  /// What ``init(_:of:)`` takes.
  package var stored: [UInt8] {
    let words = state.flatMap { word in
      [24, 16, 8, 0].map { shift in UInt8(truncatingIfNeeded: word >> UInt32(shift)) }
    }
    return words + rest
  }

  /// Adds bytes.
  package mutating func add(_ bytes: some Collection<UInt8>) {
    count &+= UInt64(bytes.count)
    rest += bytes
    let whole = rest.count / Self.blockBytes
    guard whole > 0 else { return }
    podget_sha256_blocks(&state, rest, whole)
    rest.removeFirst(whole * Self.blockBytes)
  }

  /// The checksum in lower-case hex.
  package var checksum: String {
    var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    podget_sha256_end(state, count, rest, rest.count, &hash)
    return hash.hexadecimal
  }
}
