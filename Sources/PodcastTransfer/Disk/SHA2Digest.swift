internal import COpenSSL
package import PodcastModel

/// A SHA-256, or another hash of its family, while libcrypto computes it.
///
/// Each of libcrypto's calls may fail, without memory or because a provider is missing. After a
/// failure there is no result: a wrong checksum would permanently look like a damaged file.
package struct SHA2Digest: ~Copyable, Sendable {
  /// It belongs to this value alone, which has one user at a time.
  private nonisolated(unsafe) let context: OpaquePointer?
  private var isSound: Bool
  private let algorithm: MediaIntegrity.Algorithm

  package init(_ algorithm: MediaIntegrity.Algorithm = .sha256) {
    self.algorithm = algorithm
    context = podget_digest_new()
    isSound = false
    reset()
  }

  deinit { podget_digest_free(context) }

  /// Forgets all bytes and failures.
  mutating func reset() {
    let type =
      switch algorithm {
      case .sha256: podget_digest_sha256()
      case .sha384: podget_digest_sha384()
      case .sha512: podget_digest_sha512()
      }
    isSound = context != nil && podget_digest_begin(context, type) == 1
  }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard isSound, !bytes.isEmpty else { return }
    isSound = podget_digest_add(context, bytes.baseAddress, bytes.count) == 1
  }

  /// The checksum in lower-case hex; nil when a call has failed. Nothing can be added after this.
  package mutating func finish() -> String? {
    guard isSound else { return nil }
    isSound = false
    return Self.finish(context)
  }

  /// The checksum of the bytes so far, in lower-case hex; more can be added after this. Nil when a
  /// call has failed or fails.
  var soFar: String? {
    guard isSound, let copy = podget_digest_new() else { return nil }
    defer { podget_digest_free(copy) }
    return podget_digest_copy(copy, context) == 1 ? Self.finish(copy) : nil
  }

  private static func finish(_ context: OpaquePointer?) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard podget_digest_finish(context, &bytes, &count) == 1 else { return nil }
    return bytes.prefix(Int(count)).hexadecimal
  }
}
