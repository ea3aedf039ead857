internal import CFiles

/// The identity and the state of a file or folder: different stamps mean that something changed.
struct FileStamp: Sendable, Hashable, Codable {
  var device: Int64
  var inode: Int64
  var size: Int64
  /// When its content changed, in nanoseconds since 1970; programs may set it back.
  var modified: Int64
  /// When anything about it changed, in nanoseconds since 1970; programs cannot set it.
  var changed: Int64

  /// All of it; equal stamps have equal texts.
  var text: String { "\(device) \(inode) \(size) \(modified) \(changed)" }

  /// The stamp for a status of the system.
  init(_ status: podget_file_status) {
    (device, inode) = (Int64(bitPattern: status.device), Int64(bitPattern: status.inode))
    (size, modified, changed) = (status.size, status.modified, status.changed)
  }
}

extension FileStamp {
  /// How far the clocks of file systems are apart at worst, in nanoseconds: FAT stores two-second
  /// steps.
  private static let clockGrain: Int64 = 3_000_000_000

  /// Whether a change after `now` is sure to give another stamp. Within the resolution of a clock
  /// it may not.
  func isSettled(at now: Int64) -> Bool {
    modified < now - Self.clockGrain && changed < now - Self.clockGrain
  }

  /// Whether the file system stores parts of seconds: then a clock tick takes some milliseconds.
  var isFine: Bool { modified % 1_000_000_000 != 0 && changed % 1_000_000_000 != 0 }
}

/// The state of a podcast's folder and of the record in it. Adding or removing a name changes the
/// folder's stamp; a new line changes the record's.
struct FolderStamp: Sendable, Hashable {
  var folder: FileStamp
  /// Nil when the folder has no record.
  var records: FileStamp?

  /// All of it, as the index stores it.
  var text: String { "\(folder.text), \(records?.text ?? "no record")" }

  /// Whether a change after `now` is sure to give another stamp.
  func isSettled(at now: Int64) -> Bool {
    folder.isSettled(at: now) && records?.isSettled(at: now) ?? true
  }
}
