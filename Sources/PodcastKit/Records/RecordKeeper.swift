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
