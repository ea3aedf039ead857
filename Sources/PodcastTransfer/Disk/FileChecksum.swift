import Glibc
package import PodcastModel

extension PartFile {
  /// The SHA-256 of the complete file in lower-case hex; it blocks on the disk.
  package func sha256(
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DiskError) -> String {
    try file.sha256(name, isCancelled: isCancelled)
  }

  /// Another hash of the complete file in lower-case hex; it blocks on the disk.
  package func checksum(
    _ algorithm: MediaIntegrity.Algorithm, isCancelled: () -> Bool
  ) throws(DiskError) -> String {
    try file.checksum(algorithm, name, isCancelled: isCancelled)
  }
}

extension OpenFile {
  /// The SHA-256 of the complete file in lower-case hex; it blocks on the disk, and throws when it
  /// is cancelled.
  package func sha256(
    _ name: String, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DiskError) -> String {
    try checksum(.sha256, name, isCancelled: isCancelled)
  }

  /// The same for any algorithm.
  func checksum(
    _ algorithm: MediaIntegrity.Algorithm, _ name: String, isCancelled: () -> Bool
  ) throws(DiskError) -> String {
    var digest = SHA2Digest(algorithm)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Block.size, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      if isCancelled() { throw .cancelled("read", name) }
      let count = try retryingInterrupts("read", name) {
        pread(number, buffer.baseAddress, buffer.count, off_t(offset))
      }
      guard count > 0 else { break }
      digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    guard let checksum = digest.finish() else { throw .noChecksum(of: name) }
    return checksum
  }
}

extension DiskError {
  /// The file was read, and libcrypto failed to compute its checksum.
  package static func noChecksum(of name: String) -> DiskError {
    DiskError(ENOMEM, "compute the checksum of", name)
  }
}
