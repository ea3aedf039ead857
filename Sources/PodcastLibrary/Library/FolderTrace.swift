internal import CFiles
import FoundationEssentials
import Glibc
import PodcastTransfer

/// What was read of a folder and of its record, and what proves that it is still there: then only
/// the lines that were added have to be read.
///
/// Records only grow, so a proof about the end of what was read is enough. Anything but a longer file
/// with these bytes before the new ones, such as a compacted one, one that a synchronizer replaced,
/// or one whose last lines a power failure took, is read as a whole.
struct FolderTrace: Sendable, Hashable, Codable {
  /// How many bytes before the end of what was read are compared: all of most records. Each line has
  /// a time or a checksum, so no two ends are the same.
  private static let tailSize: Int64 = 256 << 10
  /// How many bytes may be added before the record is read as a whole again, beside its own size
  /// then. Its bytes may have been changed in the middle since.
  private static let mostAdded: Int64 = 1 << 20

  /// The record when it was read.
  var record: FileStamp
  /// How many bytes were read: complete lines.
  var end: Int64
  /// A number for the last of these bytes.
  var tail: UInt64
  /// How many bytes there were when it was read as a whole.
  var wholeEnd: Int64
  /// The text of the folder's stamp when its names were read.
  var folder: String
  /// Whether any later change of the folder's names gives another stamp.
  var isFolderSettled: Bool
  var names: FolderNames
  /// Where a second processor can begin when the folder is listed the next time.
  var middle: Int64?

  /// Creates the trace of a reading; nil if the next one must read all again.
  ///
  /// - Parameters:
  ///   - record: the open record.
  ///   - status: its status before it was read.
  ///   - end: how many bytes were read, all of them complete lines.
  ///   - wholeEnd: how many there were when it was read as a whole.
  ///   - folder: the stamp of the folder before its names were read.
  ///   - middle: where a second processor can begin when the folder is listed again.
  ///   - now: the time before that, in nanoseconds since 1970.
  ///   - isLocal: whether no other machine uses the file system.
  init?(
    _ record: OpenFile, _ status: OpenFile.Status, end: Int64, wholeEnd: Int64,
    _ folder: FileStamp, _ names: FolderNames, middle: Int64?, at now: Int64, isLocal: Bool
  ) {
    let stamp = FileStamp(status)
    // A change in the same second would not show.
    guard stamp.isSettled(at: now, isLocal: isLocal) || stamp.isFine, end >= status.size,
      let tail = Self.tail(of: record, before: end)
    else { return nil }
    self.record = stamp
    (self.end, self.wholeEnd, self.tail) = (end, wholeEnd, tail)
    (self.folder, self.names) = (folder.text, names)
    // Elsewhere the places of entries may be others the next time.
    self.middle = isLocal ? middle : nil
    isFolderSettled = folder.isSettled(at: now, isLocal: isLocal)
  }

  /// Whether the open record begins with what was read, and has only been added to.
  func isProven(by record: OpenFile) -> Bool {
    guard let status = record.status else { return false }
    let now = FileStamp(status)
    guard now.device == self.record.device, now.inode == self.record.inode, now.size >= end,
      now.size > end || now == self.record,
      now.size - wholeEnd <= max(wholeEnd, Self.mostAdded)
    else { return false }
    return Self.tail(of: record, before: end) == tail
  }

  private static func tail(of record: OpenFile, before end: Int64) -> UInt64? {
    let count = Int(max(0, min(end, tailSize)))
    var bytes = [UInt8](repeating: 0, count: count)
    guard pread(record.number, &bytes, count, off_t(end) - count) == count else { return nil }
    return bytes.withUnsafeBytes { HashNumber.ofMany($0) }
  }
}

extension FolderTrace {
  /// Reads what the index stores; nil for anything else.
  init?(text: String) {
    guard let trace = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
      trace.end >= 0, trace.wholeEnd >= 0, trace.end <= FolderRecords.maximumBytes
    else { return nil }
    self = trace
  }

  /// As the index stores it.
  var text: String? {
    (try? RecordEncoder.data(self, for: "")).map { String(decoding: $0, as: UTF8.self) }
  }
}
