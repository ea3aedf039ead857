internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastTransfer
import Synchronization

/// The record of one unfinished download, open: what changes while the episode is fetched becomes a
/// ``PartialLine`` at its end.
///
/// Whoever holds the lock of the part file has it open, and nobody else writes to the record. Lines
/// may be added from several threads; each is written in one piece.
package final class PartialLog: Sendable {
  private let folder: FileDescriptor
  private let name: String
  private let file: FileDescriptor
  private let failure = Atomic<Bool>(false)

  /// Opens a record that is there.
  init(_ name: String, in folder: FileDescriptor) throws(DiskError) {
    self.name = name
    self.folder = folder
    file = try FileDescriptor.writableOwnFile(name, in: folder, flags: O_WRONLY | O_APPEND)
  }

  /// Whether a sync of the part file has failed: the system may have dropped bytes that it took
  /// earlier, and says so only once.
  package var hasFailedSync: Bool { failure.load(ordering: .sequentiallyConsistent) }

  /// Forgets a failed sync, since a version begins that does not depend on the bytes that were lost.
  package func beginVersion() { failure.store(false, ordering: .sequentiallyConsistent) }

  /// Adds a line.
  ///
  /// - Parameter isDurable: whether it survives a power cut from now on; that it bears its name is
  ///   ``PartialFolder/synchronize()``'s business.
  /// - Throws: an error of the disk; whoever reads the record ignores half a line.
  package func append(_ line: PartialLine, isDurable: Bool) throws(DiskError) {
    let data = try RecordEncoder.data(line, for: name)
    let size = file.status?.size ?? 0
    guard size + Int64(data.count) <= PartialFolder.maximumWritten else {
      throw PartialFolder.tooLarge(name, Int(clamping: size) + data.count)
    }
    // A line before it may have been torn.
    try file.writeAll(Data([0x0A]) + data + Data([0x0A]), name)
    if isDurable { try synchronize() }
  }

  /// Makes what the record says survive a power cut.
  package func synchronize() throws(DiskError) { try file.synchronize(name) }

  /// Runs a sync of the part file; when it fails, only what was durable before counts from now on.
  package func syncing(_ sync: () throws(DiskError) -> Void) throws(DiskError) {
    do throws(DiskError) {
      try sync()
    } catch {
      failure.store(true, ordering: .sequentiallyConsistent)
      // Not synced: it matters until the machine stops, and the disk fails to sync just now. Bytes
      // without a record count for nothing, which is better than wrong ones.
      if (try? append(.failedSync, isDurable: false)) == nil { remove() }
      throw error
    }
  }

  /// Removes the record. What is added to it later is gone too.
  package func remove() { unlinkat(folder.number, name, 0) }
}
