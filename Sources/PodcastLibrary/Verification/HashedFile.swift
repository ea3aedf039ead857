internal import CFiles
import Glibc
internal import PodcastSystem
package import PodcastTransfer

/// A file that is read once from its beginning to its end and hashed during that, while other code
/// checks its structure.
///
/// The kernel's cached pages of the file are dropped before, so that the disk is read. It belongs
/// to one thread.
package final class HashedFile: AudioBytes {
  /// How much is read in one call: enough to keep a disk busy, little enough for many files in
  /// parallel.
  private static let blockSize = 1 << 20

  /// The length when it was opened, in bytes.
  package let length: Int64

  /// The identity of the file when it was opened.
  let opened: podget_file_status

  private let file: OpenFile
  private let name: String
  private let progress: VerificationProgress
  private var digest = SHA2Digest()
  private var block: [UInt8] = []
  private var start: Int64 = 0

  /// Opens a regular file, or the one that a link leads to.
  ///
  /// - Returns: nil when something else has the name.
  /// - Throws: ENOENT when nothing has it, and other errors of the disk.
  init?(
    _ name: String, in folder: OpenFile, progress: VerificationProgress
  ) throws(DiskError) {
    do throws(DiskError) {
      file = try folder.mediaFile(name)
    } catch {
      guard error.number != ELOOP else { return nil }
      throw error
    }
    guard let status = file.status else { throw DiskError(errno, "examine", name) }
    guard status.is_regular else { return nil }
    length = status.size
    opened = status
    self.name = name
    self.progress = progress
    OperatingSystem.readFromDisk(file.number)
  }

  package func look(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8> {
    let wanted = Int(max(0, min(Int64(count), length - offset)))
    if let held = held(wanted, at: offset) { return held }
    guard wanted > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: wanted)
    let read = try retryingInterrupts("read", name) {
      pread(file.number, &bytes, wanted, off_t(offset))
    }
    return bytes[..<read]
  }

  package func next(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8> {
    while offset >= start + Int64(block.count), try advance() {}
    return try look(count, at: offset)
  }

  /// Reads the rest, and returns the number of bytes and their SHA-256 in lower-case hex.
  func finish() throws(DiskError) -> (bytes: Int64, sha256: String) {
    while try advance() {}
    guard let checksum = digest.finish() else { throw .noChecksum(of: name) }
    return (start + Int64(block.count), checksum)
  }

  /// Whether the file is unchanged since it was opened.
  var isUnchanged: Bool { file.status?.isUnchanged(since: opened) == true }

  private func held(_ count: Int, at offset: Int64) -> ArraySlice<UInt8>? {
    guard offset >= start, offset + Int64(count) <= start + Int64(block.count) else { return nil }
    let first = Int(offset - start)
    return block[first..<(first + count)]
  }

  /// Reads and hashes the next block; false at the end of the file.
  private func advance() throws(DiskError) -> Bool {
    guard !progress.isCancelled else { throw DiskError(ECANCELED, "read", name) }
    let offset = start + Int64(block.count)
    var next = block
    block = []
    if next.count != Self.blockSize { next = [UInt8](repeating: 0, count: Self.blockSize) }
    let count = try retryingInterrupts("read", name) {
      pread(file.number, &next, Self.blockSize, off_t(offset))
    }
    start = offset
    guard count > 0 else { return false }
    if count < next.count { next.removeLast(next.count - count) }
    next.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    progress.add(Int64(count))
    block = next
    return true
  }
}
