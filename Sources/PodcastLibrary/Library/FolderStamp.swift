internal import CFiles

/// Which file or folder bore a name, and in which state it was: stamps that differ mean that
/// something happened to it.
struct FileStamp: Sendable, Hashable {
  var device: Int64
  var inode: Int64
  var size: Int64
  /// When its content changed, in nanoseconds since 1970; programs may set it back.
  var modified: Int64
  /// When anything about it changed, in nanoseconds since 1970; nobody can set it.
  var changed: Int64
}

extension FileStamp {
  /// The stamp of what the system tells.
  init(_ status: podget_file_status) {
    self.init(
      device: Int64(bitPattern: status.device), inode: Int64(bitPattern: status.inode),
      size: status.size, modified: status.modified, changed: status.changed)
  }
}

/// The state of a podcast's folder and of the record in it. A name that comes or goes changes the
/// folder's stamp, a line that is added the record's.
struct FolderStamp: Sendable, Hashable {
  var folder: FileStamp
  /// Nil when the folder has no record.
  var records: FileStamp?

  /// How far the clocks of file systems are apart at worst, in nanoseconds: FAT keeps two seconds.
  static let clockGrain: Int64 = 3_000_000_000

  /// Whether a change that comes after `now` is sure to give another stamp. Within the grain of a
  /// clock it need not.
  func isSettled(at now: Int64) -> Bool {
    [folder.modified, folder.changed, records?.modified ?? .min, records?.changed ?? .min]
      .allSatisfy { $0 < now - Self.clockGrain }
  }
}
