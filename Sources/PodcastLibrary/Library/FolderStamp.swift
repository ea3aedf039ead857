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

  /// Its parts in the order of the text.
  fileprivate var numbers: [Int64] { [device, inode, size, modified, changed] }

  /// The stamp for a status of the system.
  init(_ status: podget_file_status) {
    (device, inode) = (Int64(bitPattern: status.device), Int64(bitPattern: status.inode))
    (size, modified, changed) = (status.size, status.modified, status.changed)
  }
}

extension FileStamp {
  /// How far the clocks of file systems are apart at worst, in nanoseconds: FAT stores two-second
  /// steps, and a server has a clock of its own.
  private static let clockGrain: Int64 = 3_000_000_000
  /// The same for a file system of this machine that stores parts of a second. The kernel takes the
  /// time of its last tick, and has at least a hundred in a second.
  private static let fineGrain: Int64 = 100_000_000

  /// Whether a change after `now` is sure to give another stamp. Within the resolution of a clock
  /// it may not.
  ///
  /// - Parameter isLocal: whether no other machine uses the file system.
  func isSettled(at now: Int64, isLocal: Bool) -> Bool {
    let grain = isLocal && isFine ? Self.fineGrain : Self.clockGrain
    return modified < now - grain && changed < now - grain
  }

  /// Whether the file system stores parts of seconds.
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
  ///
  /// - Parameter isLocal: whether no other machine uses the file system.
  func isSettled(at now: Int64, isLocal: Bool) -> Bool {
    folder.isSettled(at: now, isLocal: isLocal)
      && records?.isSettled(at: now, isLocal: isLocal) ?? true
  }

  /// Whether this is its text. A large library has thousands of folders, and creating their texts
  /// would take longer than everything else.
  func isEqual(to text: String?) -> Bool {
    guard var text else { return false }
    guard let records else { return text == self.text }
    return text.withUTF8 { bytes in
      var rest = bytes[...]
      for number in folder.numbers + records.numbers {
        var digits = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(digits.count).drop {
          $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",")
        }
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        var left = number.magnitude
        guard isNegative == (number < 0) else { return false }
        for digit in digits.reversed() {
          guard UInt64(digit) == left % 10 + 0x30 else { return false }
          left /= 10
        }
        guard left == 0, !digits.isEmpty else { return false }
      }
      return rest.isEmpty
    }
  }
}
