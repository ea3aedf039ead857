internal import CFiles
package import FoundationEssentials
import Glibc
import PodcastModel
package import PodcastTransfer

/// A line of a ``RecordLog``: a JSON object that states a fact that is true from then on.
package protocol RecordLine: Codable, Sendable {
  /// The newest format version that this podget knows.
  static var currentVersion: Int { get }
  /// The format version of the line; a newer one may say more than this podget understands.
  var version: Int { get }
}

/// Where a line is in its file.
struct LinePlace: Sendable, Hashable {
  /// The offset of its first byte.
  var offset: Int64
  /// How many bytes it has without its end.
  var length: Int32
}

/// A file of facts, one per line, to which several processes add: later lines count more.
///
/// Lines are added in one write and synced. Lines that cannot be understood stay as they are.
package struct RecordLog<Line: RecordLine>: Sendable {
  /// The content of such a file.
  package struct Reading: Sendable {
    /// The lines in order, without refused ones.
    package fileprivate(set) var lines: [Line] = []
    /// Where each of these lines is in the file.
    fileprivate(set) var places: [LinePlace] = []
    /// Where the last complete line ends.
    fileprivate(set) var end: Int64 = 0
    /// Whether there is a line after that, without its end.
    fileprivate(set) var isTorn = false
    /// Whether there are lines that this podget does not understand completely: torn ones, and
    /// those of kinds or versions that it does not know.
    package fileprivate(set) var hasUnknownLines = false
    /// Whether the file was read from its start.
    fileprivate var isWhole = true
    private var firstProblem: String?
    private var line = 0
    private var refused = 0
    private var unreadable = 0

    /// Why readable lines are refused that podget never writes, a sentence about the first, or that no
    /// line can be read; nil if there is nothing to say.
    package var refusal: String? {
      // A torn line alone is what a power failure leaves of a new file.
      if isWhole, lines.isEmpty, refused == 0, unreadable > 0, !isTorn {
        return "no line of it can be read"
      }
      guard refused > 1, let firstProblem else { return firstProblem }
      return "\(refused) lines are refused; \(firstProblem)"
    }

    /// Adds the next line; nil stands for one that is too long to be podget's.
    mutating func take(_ data: Data?, at offset: Int64, _ decoder: JSONDecoder) {
      line += 1
      do {
        guard let data else { throw RecordProblem("it is too long") }
        let fact = try decoder.decode(Line.self, from: data)
        if fact.version > Line.currentVersion { hasUnknownLines = true }
        lines.append(fact)
        places.append(LinePlace(offset: offset, length: Int32(clamping: data.count)))
      } catch let problem as RecordProblem {
        refused += 1
        if refused == 1 { firstProblem = "line \(line) is refused: \(problem.reason)" }
      } catch {
        hasUnknownLines = true
        unreadable += 1
      }
    }
  }

  /// The file's name in its folder.
  package let name: String
  let folder: OpenFile
  /// The maximum number of bytes that are read.
  let maximumBytes: Int64
  /// The maximum length of one line in bytes, without its end.
  private let maximumLineBytes: Int
  /// The file's contents without its superseded lines; nil if compaction is not worthwhile.
  private let compacted: @Sendable (Data) -> Data?

  /// Creates a log in a folder; nothing is opened yet.
  package init(
    _ name: String, in folder: OpenFile, maximumBytes: Int64, maximumLineBytes: Int,
    compacted: @escaping @Sendable (Data) -> Data?
  ) {
    self.name = name
    self.folder = folder
    self.maximumBytes = maximumBytes
    self.maximumLineBytes = maximumLineBytes
    self.compacted = compacted
  }

  /// The content of the file; unreadable lines are ignored, because one torn line must not hide the
  /// others. Empty if there is no file.
  package func reading() throws(DiskError) -> Reading {
    guard let file = try existing() else { return Reading() }
    return try reading(of: file)
  }

  /// The content of the opened file from the start of a line on.
  func reading(of file: OpenFile, from start: Int64 = 0) throws(DiskError) -> Reading {
    var reading = Reading()
    var last: Int64?
    let decoder = JSONDecoder()
    reading.end = try file.readLines(
      name, from: start, limit: maximumBytes, lineLimit: maximumLineBytes
    ) { line, offset in
      last = offset
      reading.take(line, at: offset, decoder)
    }
    reading.isWhole = start == 0
    reading.isTorn = last == reading.end
    return reading
  }

  /// The file, opened for reading; nil when there is none.
  package func existing() throws(DiskError) -> OpenFile? {
    do throws(DiskError) {
      return try OpenFile.ownFile(name, in: folder, limit: maximumBytes)
    } catch {
      guard error.number == ENOENT else { throw error }
      return nil
    }
  }

  /// Adds lines in one write and syncs them, with the folder when the file is new.
  ///
  /// The lock prevents two podgets from mixing their lines; a line that a power failure tore is
  /// ended first, so that it does not damage the next one.
  ///
  /// - Parameters:
  ///   - first: the first lines of a new file.
  ///   - smallest: the size from which the file is checked for superseded lines, each time that it
  ///     has doubled.
  ///   - isCancelled: whether a wait for another process's lock should end; nothing is written
  ///     then.
  ///   - isRight: whether the file is as the caller expects it.
  /// - Returns: the new state of the file; nil if it is not as expected, and then nothing is added.
  package func append(
    _ lines: [Line], first: Line?, compactingFrom smallest: Int64,
    isCancelled: () -> Bool = { false }, where isRight: (OpenFile.Status) -> Bool
  ) throws(DiskError) -> OpenFile.Status? {
    var added = Data()
    for line in lines { added.append(try encoded(line)) }
    let (file, status) = try lockedFile(isCancelled)
    guard isRight(status) else { return nil }
    var data = Data()
    if status.size > 0 {
      var last: UInt8 = 0
      let count = try retryingInterrupts("read", name) {
        pread(file.number, &last, 1, off_t(status.size) - 1)
      }
      if count == 1, last != 0x0A { data.append(0x0A) }
    } else if let first {
      data.append(try encoded(first))
    }
    data.append(added)
    do throws(DiskError) {
      try file.writeAll(data, name)
      try file.synchronize(name)
      if status.size == 0 { try folder.synchronize(name) }
    } catch {
      // What was reported as failed must not be found later: neither half a line on a full disk,
      // nor a complete one that may never have reached the disk.
      ftruncate(file.number, off_t(status.size))
      throw error
    }
    guard let written = file.status else { throw DiskError(errno, "examine", name) }
    if RecordCompaction.isDue(
      written.size, after: status.size, smallest: smallest, limit: maximumBytes)
    {
      // The lines are recorded: if the file stays longer than necessary, that is not a failure.
      try? compact(file)
    }
    return written
  }
}

extension RecordLog {
  private func encoded(_ line: Line) throws(DiskError) -> Data {
    var data = try RecordEncoder.data(line, for: name)
    // Lines that would not be read again would be lost.
    guard data.count <= maximumLineBytes else {
      throw DiskError(
        EFBIG, "write", name,
        reason: "what is known of an episode has \(data.count) bytes, which is too much")
    }
    data.append(0x0A)
    return data
  }

  /// Opens the file and locks it.
  func lockedFile(
    _ isCancelled: () -> Bool
  ) throws(DiskError) -> (OpenFile, podget_file_status) {
    while true {
      let file = try OpenFile.writableOwnFile(
        name, in: folder, flags: O_RDWR | O_APPEND, keepsOwner: true)
      try file.waitForLock(name, isCancelled)
      guard let status = file.status else { throw DiskError(errno, "examine", name) }
      // While this process waited for the lock, a compaction may have replaced the file.
      if let named = folder.status(of: name), named.inode == status.inode,
        named.device == status.device
      {
        return (file, status)
      }
    }
  }

  /// Replaces the open and locked file with a shorter one, if that is worthwhile.
  ///
  /// The old one stays until the new one is complete and on the disk. A process that waits for the
  /// lock of the old one will notice that it has lost its name.
  private func compact(_ file: OpenFile) throws(DiskError) {
    guard let contents = compacted(try file.readAll(name, limit: 2 * maximumBytes)) else { return }
    let temporaryName = "\(name).new"
    // A killed process left it; a running one would have the lock.
    unlinkat(folder.number, temporaryName, 0)
    do throws(DiskError) {
      let shorter = try OpenFile.writableOwnFile(
        temporaryName, in: folder, flags: O_WRONLY | O_EXCL)
      shorter.takeOwner(of: file)
      try shorter.writeAll(contents, temporaryName)
      if let permissions = file.status?.permissions {
        fchmod(shorter.number, mode_t(permissions))
      }
      try shorter.synchronize(temporaryName)
      guard renameat(folder.number, temporaryName, folder.number, name) == 0 else {
        throw DiskError(errno, "replace", name)
      }
    } catch {
      unlinkat(folder.number, temporaryName, 0)
      throw error
    }
    try folder.synchronize(name)
  }
}
