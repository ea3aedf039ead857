import Glibc

/// The checksum of the beginning of a part file, as the record beside it has it.
///
/// A copy of a library, made during a download, may have the record of one moment and the bytes of
/// another, and even of another version. The checksum shows that.
package struct PrefixProof: Codable, Sendable, Hashable {
  /// The maximum number in a record: a file that was copied before its record is shorter than the
  /// part that the newest one covers.
  package static let limit = 8

  /// How many bytes from the beginning it covers.
  package var length: Int64
  /// Their SHA-256 in lower-case hex.
  package var sha256: String
}

extension PartFile {
  /// How many bytes of the file are proven, by the longest proof that matches; it reads them once,
  /// and blocks on the disk.
  package func provenLength(
    _ proofs: [PrefixProof], isCancelled: () -> Bool = { false }
  ) throws(DiskError) -> Int64 {
    let size = try size()
    let usable = proofs.filter { $0.length > 0 && $0.length <= size }
      .sorted { $0.length < $1.length }
    var digest = SHA2Digest()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Block.size, alignment: 16)
    defer { buffer.deallocate() }
    var (offset, proven): (Int64, Int64) = (0, 0)
    for proof in usable {
      while offset < proof.length {
        if isCancelled() { throw .cancelled("read", name) }
        let wanted = Int(min(Int64(Block.size), proof.length - offset))
        let count = try read(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        guard count > 0 else { return proven }
        digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        offset += Int64(count)
      }
      guard digest.soFar == proof.sha256 else { return proven }
      proven = proof.length
    }
    return proven
  }
}
