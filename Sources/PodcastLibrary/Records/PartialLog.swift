internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastTransfer
import Synchronization

/// The open record of one unfinished download: changes during the download become ``PartialLine``s
/// at its end.
///
/// The process with the lock of the part file has it open, and no other process writes to the
/// record. Lines may be added from several threads; each is written in one piece.
package final class PartialLog: Sendable {
  private let folder: OpenFile
  private let name: String
  private let file: OpenFile
  private let failure = Atomic<Bool>(false)

  /// Opens an existing record.
  init(_ name: String, in folder: OpenFile) throws(DiskError) {
    self.name = name
    self.folder = folder
    file = try OpenFile.writableOwnFile(name, in: folder, flags: O_WRONLY | O_APPEND)
  }

  /// Whether a sync of the part file has failed: the system may have dropped bytes that it accepted
  /// earlier, and reports that only once.
  package var hasFailedSync: Bool { failure.load(ordering: .sequentiallyConsistent) }

  /// Forgets a failed sync, because a version begins that does not depend on the lost bytes.
  package func beginVersion() { failure.store(false, ordering: .sequentiallyConsistent) }

  /// Adds a line.
  ///
  /// - Parameter isDurable: whether it survives a power failure from now on; its file name is made
  ///   durable by ``PartialFolder/synchronize()``.
  /// - Throws: an error of the disk; readers of the record ignore half a line.
  package func append(_ line: PartialLine, isDurable: Bool) throws(DiskError) {
    let data = try RecordEncoder.data(line, for: name)
    let size = file.status?.size ?? 0
    guard size + Int64(data.count) <= PartialFolder.maximumWritten else {
      throw PartialFolder.tooLarge(name, Int(clamping: size) + data.count)
    }
    // The line before it may be torn.
    try file.writeAll(Data([0x0A]) + data + Data([0x0A]), name)
    if isDurable { try synchronize() }
  }

  /// Makes the content of the record survive a power failure.
  package func synchronize() throws(DiskError) { try file.synchronize(name) }

  /// Runs a sync of the part file; when it fails, only bytes that were durable before count from
  /// now on.
  package func syncing(_ sync: () throws(DiskError) -> Void) throws(DiskError) {
    do throws(DiskError) {
      try sync()
    } catch {
      failure.store(true, ordering: .sequentiallyConsistent)
      // Not synced: it matters until the machine stops, and the disk cannot sync now. Bytes without
      // a record do not count, which is better than wrong ones.
      if (try? append(.failedSync, isDurable: false)) == nil { remove() }
      throw error
    }
  }

  /// Removes the record. Later additions are gone too.
  package func remove() { unlinkat(folder.number, name, 0) }
}
