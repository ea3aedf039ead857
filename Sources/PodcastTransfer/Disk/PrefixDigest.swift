/// The SHA-256 of a part file from its beginning, as far as it has been computed.
///
/// Bytes are added in their order. What was written before that, by an earlier run, is read back once.
package struct PrefixDigest: ~Copyable, Sendable {
  private var digest = SHA256Digest()
  /// How many bytes from the beginning it is about.
  package private(set) var count: Int64 = 0

  /// How many bytes are read back in much less than a second.
  private static let shortDistance: Int64 = 16 << 20

  /// Makes one of nothing.
  package init() {}

  /// Adds bytes that stand in the file at the offset, if they come next.
  package mutating func add(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard offset == count else { return }
    digest.add(bytes)
    count += Int64(bytes.count)
  }

  /// Forgets what is beyond the offset, where the file was cut; that takes all to be read back again.
  package mutating func cut(to offset: Int64) {
    guard count > offset else { return }
    digest.reset()
    count = 0
  }

  /// Reads what is missing up to the offset back from the file; it blocks on the disk.
  ///
  /// - Parameter isCancelled: whether nobody waits for it any more; then no more than a little is read.
  /// - Returns: whether everything up to the offset is in it now.
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

  /// What proves the beginning of the file, exactly so many bytes of it; nil where it is about more or
  /// fewer, or libcrypto fails.
  package func proof(of length: Int64) -> PrefixProof? {
    guard count == length, length > 0 else { return nil }
    return digest.soFar.map { PrefixProof(length: length, sha256: $0) }
  }

  /// The checksum in lower-case hex; nil when libcrypto has failed. Nothing can be added any more.
  package mutating func finish() -> String? { digest.finish() }
}
