import Synchronization

/// Holds one episode's ``PartialRecord`` in step with its file.
final class RecordKeeper: Sendable {
  private let folder: PartialFolder
  private let record: Mutex<PartialRecord>

  init(_ record: PartialRecord, in folder: PartialFolder) {
    self.folder = folder
    self.record = Mutex(record)
  }

  /// The record as it stands.
  var current: PartialRecord { record.withLock { $0 } }

  /// Whether a sync of the part file has failed: the system may have dropped bytes that it took
  /// earlier, and says so only once.
  var hasFailedSync: Bool {
    current.state.map { $0.bootID == nil } ?? false && PartialFolder.bootID != nil
  }

  /// Runs a sync of the part file; when it fails, only what was durable before counts from now on.
  func syncing(_ sync: () throws(DiskError) -> Void) throws(DiskError) {
    do throws(DiskError) {
      try sync()
    } catch {
      try? update(synced: true) { record in
        record.state?.bootID = nil
        return true
      }
      throw error
    }
  }

  /// Changes the record and writes it, one writer at a time.
  ///
  /// The lock is held while writing: a checkpoint that was slow must never overwrite the record of a
  /// version that began meanwhile.
  func update(
    synced: Bool, _ change: (inout PartialRecord) -> Bool
  ) throws(DiskError) {
    try record.withLock { record throws(DiskError) in
      var changed = record
      guard change(&changed) else { return }
      try folder.write(changed, synced: synced)
      record = changed
    }
  }
}
