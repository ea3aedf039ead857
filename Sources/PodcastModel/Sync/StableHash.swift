internal import COpenSSL

/// A hash that is the same in every run, on every machine and in every version.
package enum StableHash {
  /// The first 8 bytes of the SHA-256 of the text's UTF-8 bytes, as a big-endian integer.
  package static func of(_ text: String) -> UInt64 {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    podget_sha256(bytes, bytes.count, &digest)
    return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The hash of several texts. Each is taken with its length, so that no two different lists of
  /// texts are the same bytes.
  static func of(_ parts: [String]) -> UInt64 {
    of(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ","))
  }
}
