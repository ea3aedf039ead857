/// The SHA-256 of a part file from its beginning, as far as it has been computed.
///
/// Bytes are added in order. Bytes of an earlier run are read back once.
package struct PrefixDigest: ~Copyable, Sendable {
  private var digest = SHA2Digest()
  /// The number of hashed bytes from the beginning.
  package private(set) var count: Int64 = 0

  /// How many bytes can be read back in much less than a second.
  private static let shortDistance: Int64 = 16 << 20

  /// Creates a digest of no bytes.
  package init() {}

  /// Adds bytes that are in the file at the offset, if they come next.
  package mutating func add(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard offset == count else { return }
    digest.add(bytes)
    count += Int64(bytes.count)
  }

  /// Forgets the bytes beyond the offset, because the file was truncated; then everything must be
  /// read back again.
  package mutating func cut(to offset: Int64) {
    guard count > offset else { return }
    digest.reset()
    count = 0
  }

  /// Reads the missing bytes up to the offset back from the file; it blocks on the disk.
  ///
  /// - Parameter isCancelled: whether the result is no longer needed; then little more is read.
  /// - Returns: whether everything up to the offset is hashed now.
  package mutating func catchUp(
    with part: PartFile, to offset: Int64, isCancelled: () -> Bool
  ) throws(DiskError) -> Bool {
    guard count < offset else { return count == offset }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Block.size, alignment: 16)
    defer { buffer.deallocate() }
    while count < offset {
      if isCancelled(), offset - count > Self.shortDistance { return false }
      let wanted = Int(min(Int64(Block.size), offset - count))
      let read = try part.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: count)
      guard read > 0 else { return false }
      add(UnsafeRawBufferPointer(rebasing: buffer[..<read]), at: count)
    }
    return true
  }

  /// The proof of the beginning of the file, exactly so many bytes of it; nil if more or fewer are
  /// hashed, or libcrypto fails.
  package func proof(of length: Int64) -> PrefixProof? {
    guard count == length, length > 0 else { return nil }
    return digest.soFar.map { PrefixProof(length: length, sha256: $0) }
  }

  /// The checksum in lower-case hex; nil when libcrypto has failed. Nothing can be added after
  /// this.
  package mutating func finish() -> String? { digest.finish() }
}
