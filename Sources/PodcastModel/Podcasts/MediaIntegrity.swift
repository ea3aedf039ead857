internal import FoundationEssentials

/// What the bytes of a file must hash to, as a publisher announces it (`podcast:integrity` of the type
/// `sri`; W3C, Subresource Integrity, section 3.5).
package struct MediaIntegrity: Sendable, Hashable {
  /// The hashes, the weakest first.
  package enum Algorithm: String, Sendable, Hashable, CaseIterable {
    case sha256, sha384, sha512

    /// How many bytes a hash has.
    fileprivate var length: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }

  /// The strongest algorithm of those that are named.
  package let algorithm: Algorithm
  /// The hashes, in lower-case hex; one of them must be the file's.
  package let digests: Set<String>

  /// Reads the hashes of a text; nil if it has none that podget knows.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    var found: [Algorithm: Set<String>] = [:]
    for token in text.split(whereSeparator: \.isWhitespace) {
      // Options may follow a hash; none is defined.
      let parts = token.prefix { $0 != "?" }.split(separator: "-", maxSplits: 1)
      guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()),
        let bytes = Data(base64Encoded: String(parts[1])), bytes.count == algorithm.length
      else { continue }
      found[algorithm, default: []].insert(Array(bytes).hexadecimal)
    }
    guard let algorithm = Algorithm.allCases.last(where: { found[$0] != nil }),
      let digests = found[algorithm]
    else { return nil }
    self.algorithm = algorithm
    self.digests = digests
  }

  /// The longest text that is read.
  package static let maximumBytes = 4096
}
