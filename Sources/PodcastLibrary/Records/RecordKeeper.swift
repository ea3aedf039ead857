import PodcastModel
package import PodcastTransfer
import Synchronization

/// Holds one episode's ``PartialRecord`` in step with its file.
///
/// Reading the record never waits for the disk, so that an actor may do it; changing it does.
package final class RecordKeeper: Sendable {
  private let folder: PartialFolder
  /// What readers see. The lock is held for a moment only.
  private let value: Mutex<Value>
  /// Held while the record is changed and written: a checkpoint that was slow must never overwrite
  /// the record of a version that began meanwhile. Whoever holds it may take the other lock, never
  /// the other way round.
  private let writing = Mutex(PartialFolder.Durability.none)

  private struct Value {
    var record: PartialRecord
    var hasFailedSync = false
    var isRemoved = false
  }

  package init(_ record: PartialRecord, in folder: PartialFolder) {
    self.folder = folder
    value = Mutex(Value(record: record))
  }

  /// The record as it stands.
  package var current: PartialRecord { value.withLock { $0.record } }

  /// Whether a sync of the part file has failed: the system may have dropped bytes that it took
  /// earlier, and says so only once.
  package var hasFailedSync: Bool { value.withLock { $0.hasFailedSync } }

  /// Whether the record was removed, since the file is on record under its final name.
  package var isRemoved: Bool { value.withLock { $0.isRemoved } }

  /// Removes the record for good: what was about to be written, such as a late checkpoint, is not
  /// written any more. It blocks on the disk.
  package func remove() {
    writing.withLock { _ in
      let key = value.withLock { value in
        value.isRemoved = true
        return value.record.key
      }
      folder.removeRecord(key.text)
    }
  }

  /// Runs a sync of the part file; when it fails, only what was durable before counts from now on.
  package func syncing(_ sync: () throws(DiskError) -> Void) throws(DiskError) {
    do throws(DiskError) {
      try sync()
    } catch {
      forgetThisRun()
      throw error
    }
  }

  /// Lets the next run trust nothing but the durable length.
  private func forgetThisRun() {
    value.withLock { $0.hasFailedSync = true }
    writing.withLock { durability in
      let record: PartialRecord? = value.withLock { value in
        // Once more: a record that was being written meanwhile may have named this run again.
        value.hasFailedSync = true
        value.record.state?.bootID = nil
        return value.isRemoved ? nil : value.record
      }
      durability = .none
      guard let record else { return }
      // Not synced: it matters until the machine stops, and the disk fails to sync just now.
      do throws(DiskError) {
        try folder.write(record, .none)
      } catch {
        // Bytes without a record count for nothing, which is better than wrong ones.
        folder.removeRecord(record.key.text)
      }
    }
  }

  /// Changes the record and writes it, one writer at a time; it blocks on the disk.
  package func update(
    _ durability: PartialFolder.Durability, _ change: (inout PartialRecord) -> Bool
  ) throws(DiskError) {
    try writing.withLock { written throws(DiskError) in
      var changed = current
      guard change(&changed) else { return }
      try write(changed, durability)
      written = durability
    }
  }

  /// Changes the record where that is needed, and makes what it says durable in any case; its name
  /// is, once the folder has been synced too. It blocks on the disk.
  package func secure(_ change: (inout PartialRecord) -> Bool) throws(DiskError) {
    try writing.withLock { written throws(DiskError) in
      var changed = current
      guard change(&changed) || written == .none else { return }
      try write(changed, .contents)
      written = .contents
    }
  }

  private func write(
    _ changed: PartialRecord, _ durability: PartialFolder.Durability
  ) throws(DiskError) {
    guard !isRemoved else { return }
    try folder.write(changed, durability)
    value.withLock { value in
      // A new version does not depend on the bytes that were lost.
      let isNewVersion = changed.state?.generation != value.record.state?.generation
      if isNewVersion, changed.state?.bootID != nil { value.hasFailedSync = false }
      value.record = changed
    }
  }
}
