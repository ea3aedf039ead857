import Synchronization

/// Holds one episode's ``PartialRecord`` in step with its file.
final class RecordKeeper: Sendable {
  private let folder: PartialFolder
  private let state: Mutex<State>

  private struct State {
    var record: PartialRecord
    var durability = PartialFolder.Durability.none
    var hasFailedSync = false
  }

  init(_ record: PartialRecord, in folder: PartialFolder) {
    self.folder = folder
    state = Mutex(State(record: record))
  }

  /// The record as it stands.
  var current: PartialRecord { state.withLock { $0.record } }

  /// Whether a sync of the part file has failed: the system may have dropped bytes that it took
  /// earlier, and says so only once.
  var hasFailedSync: Bool { state.withLock { $0.hasFailedSync } }

  /// Runs a sync of the part file; when it fails, only what was durable before counts from now on.
  func syncing(_ sync: () throws(DiskError) -> Void) throws(DiskError) {
    do throws(DiskError) {
      try sync()
    } catch {
      forgetThisRun()
      throw error
    }
  }

  /// Lets the next run trust nothing but the durable length.
  private func forgetThisRun() {
    state.withLock { state in
      state.hasFailedSync = true
      state.record.state?.bootID = nil
      // Not synced: it matters until the machine stops, and the disk fails to sync just now.
      do throws(DiskError) {
        try folder.write(state.record, .none)
      } catch {
        // Bytes without a record count for nothing, which is better than wrong ones.
        folder.removeRecord(state.record.key)
      }
    }
  }

  /// Changes the record and writes it, one writer at a time.
  ///
  /// The lock is held while writing: a checkpoint that was slow must never overwrite the record of a
  /// version that began meanwhile.
  func update(
    _ durability: PartialFolder.Durability, _ change: (inout PartialRecord) -> Bool
  ) throws(DiskError) {
    try state.withLock { state throws(DiskError) in
      var changed = state.record
      guard change(&changed) else { return }
      try folder.write(changed, durability)
      state.record = changed
      state.durability = durability
      // A version that begins anew owes nothing to the bytes that were lost.
      if changed.state?.bootID != nil { state.hasFailedSync = false }
    }
  }

  /// Changes the record where that is needed, and makes what it says durable in any case; its name
  /// is, once the folder has been synced too.
  func secure(_ change: (inout PartialRecord) -> Bool) throws(DiskError) {
    try state.withLock { state throws(DiskError) in
      var changed = state.record
      guard change(&changed) || state.durability == .none else { return }
      try folder.write(changed, .contents)
      state.record = changed
      state.durability = .contents
    }
  }
}
