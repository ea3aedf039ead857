internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
internal import PodcastSystem
package import PodcastTransfer
import Synchronization

/// The library's folder of unfinished downloads, `.podget/partial`.
package struct PartialFolder: Sendable {
  package let folder: OpenFile
  /// Identifies the period in which no written bytes can have been lost; it cannot change while the
  /// folder is open.
  let runID: String?
  /// The extension of its records.
  private(set) var ending = ".json"
  /// Whether the names of records are durable.
  private let names = RecordNames()

  /// The records of files that are being adopted. They are beside those of downloads, which
  /// continue when an adoption fails, and nothing is downloaded because of them.
  package var adoptions: PartialFolder {
    var adoptions = self
    adoptions.ending = ".adoption"
    return adoptions
  }

  /// Identifies the period in which no written bytes can have been lost: the boot of the machine,
  /// and within it how its disk was attached, as far as the system tells.
  private static func runID(of file: OpenFile) -> String? {
    guard let boot = OperatingSystem.bootID else { return nil }
    return OperatingSystem.attachment(of: file.number).map { "\(boot),\($0)" } ?? boot
  }

  /// Whether no written bytes can have been lost between two checks. If one of them knows only the
  /// boot, as with an earlier podget, the boot decides.
  static func isSameRun(_ recorded: String?, as present: String?) -> Bool {
    guard let recorded, let present else { return false }
    let looks = [recorded, present].map { $0.split(separator: ",", maxSplits: 1) }
    return recorded == present
      || looks.contains { $0.count == 1 } && looks[0].first == looks[1].first
  }

  /// Opens or creates the folder below a library.
  package init(library: OpenFile) throws(DiskError) {
    self.init(folder: try OpenFile.ownFolder("partial", in: library, creating: true))
  }

  /// Uses a folder that is already open.
  package init(folder: OpenFile) {
    self.folder = folder
    runID = Self.runID(of: folder)
  }

  /// The library's folder, if it is another one by now: somebody has removed or replaced this one. It is
  /// created if it is missing.
  package func replacement(in library: OpenFile) -> PartialFolder? {
    guard let now = try? OpenFile.ownFolder("partial", in: library, creating: true),
      !now.isSameFolder(as: folder)
    else { return nil }
    return PartialFolder(folder: now)
  }

  /// Opens the part file of an episode; nil while another download has it.
  package func openPart(_ key: String) throws(DiskError) -> PartFile? {
    try PartFile.open("\(key).part", in: folder)
  }

  /// The place of an adopted file that waits for its name. It has no record that protects it, so
  /// that one that a killed process left is removed; it may be the very file that was to be moved.
  static func adoptedName(_ key: String) -> String { "\(key).adopted.part" }

  /// The size of an episode's part file in bytes; nil when there is none.
  package func partSize(_ key: String) -> Int64? {
    folder.status(of: "\(key).part")?.size
  }

  /// The maximum length of a record in bytes.
  static let maximumBytes: Int64 = 1 << 20

  /// The maximum length of a record that is written: the line about its finished file, which is
  /// about as long, must also fit into a folder's record.
  static let maximumWritten = Int(maximumBytes) - 65_536

  static func tooLarge(_ name: String, _ count: Int) -> DiskError {
    DiskError(
      EFBIG, "write", ".podget/partial/\(name)",
      reason: "what is known of the episode has \(count) bytes, which is too much")
  }

  /// Opens the record of an episode whose part file this process has locked, to add to it.
  package func openLog(_ key: String) throws(DiskError) -> PartialLog {
    try PartialLog("\(key)\(ending)", in: folder)
  }

  /// The record of an episode; nil when there is none, or when a kill or the disk tore it, which
  /// means the same: the bytes beside it are worthless.
  ///
  /// - Throws: when something that is not podget's record has its name; it must not be touched.
  package func read(_ key: String) throws(DiskError) -> PartialRecord? {
    let name = "\(key)\(ending)"
    let data: Data
    do throws(DiskError) {
      data = try OpenFile.ownContents(name, in: folder, limit: Self.maximumBytes)
    } catch {
      guard error.number != ENOENT else { return nil }
      throw error.at("read", ".podget/partial/\(name)")
    }
    do {
      let record = try Self.record(data)
      guard record?.key.text ?? key == key else {
        throw RecordProblem("\"key\" does not match its name")
      }
      return record
    } catch let problem as RecordProblem {
      throw DiskError(
        EINVAL, "use", ".podget/partial/\(name)", reason: "it is refused: \(problem.reason)")
    } catch {
      return nil
    }
  }

  /// The lines of a record.
  ///
  /// A power failure may leave zeros in place of a line that was added, directly after a complete
  /// one, whose own line end was part of the addition.
  static func lines(of data: Data) -> [Data.SubSequence] { data.split { $0 == 0x0A || $0 == 0 } }

  /// The result of the lines of a record; nil without a record.
  static func record(_ data: Data) throws -> PartialRecord? {
    let decoder = JSONDecoder()
    var lines = lines(of: data).makeIterator()
    guard let first = lines.next() else { return nil }
    var record = try decoder.decode(PartialRecord.self, from: Data(first))
    while let line = lines.next() {
      do {
        record.take(try decoder.decode(PartialLine.self, from: Data(line)))
      } catch let problem as RecordProblem {
        throw problem
      } catch {
        // A torn line is ignored.
      }
    }
    return record
  }

  /// How much of a record survives a power failure once it is written.
  package enum Durability: Sendable {
    /// Nothing: enough for the record of a part without durable bytes.
    case none
    /// Its content, but not yet its name; ``PartialFolder/synchronize()`` makes many names durable
    /// at once.
    case contents
    /// Everything.
    case whole
  }

  /// Creates a record if there is none; nothing of it survives a power failure yet.
  ///
  /// - Returns: false if there is one.
  package func create(_ record: PartialRecord) throws(DiskError) -> Bool {
    let name = "\(record.key)\(ending)"
    let data = try Self.encoded(record, name)
    while true {
      let file: OpenFile
      do throws(DiskError) {
        file = try OpenFile.writableOwnFile(name, in: folder, flags: O_WRONLY | O_EXCL)
      } catch {
        guard error.number == EEXIST else { throw error }
        return false
      }
      // The lock shows that another process is using it.
      flock(file.number, LOCK_EX)
      do throws(DiskError) {
        try file.writeAll(data, name)
      } catch {
        unlinkat(folder.number, name, 0)
        throw error
      }
      names.change()
      // Another podget may have removed it in the moment before it was locked.
      if folder.status(of: name) != nil { return true }
    }
  }

  /// Writes a record in one step: the old one stays until the new one is complete.
  package func write(_ record: PartialRecord, _ durability: Durability) throws(DiskError) {
    do throws(DiskError) {
      try writeOnce(record, durability)
    } catch {
      // Another podget may have removed the new file in the moment before it was locked.
      guard error.number == ENOENT else { throw error }
      try writeOnce(record, durability)
    }
  }

  private static func encoded(_ record: PartialRecord, _ name: String) throws(DiskError) -> Data {
    let data = try RecordEncoder.data(record, for: name)
    // A record that could not be read again is worthless.
    guard data.count <= maximumWritten else { throw tooLarge(name, data.count) }
    return data
  }

  /// Makes the names of all records durable.
  package func synchronize() throws(DiskError) {
    try names.synchronize { () throws(DiskError) in try folder.synchronize("partial") }
  }

  /// Makes records durable, with their names. One that is gone is finished, and recorded elsewhere.
  ///
  /// - Parameter keys: the keys of the episodes.
  package func synchronize(recordsOf keys: [String]) throws(DiskError) {
    for key in keys {
      let name = "\(key)\(ending)"
      do throws(DiskError) {
        try OpenFile.ownFile(name, in: folder, limit: .max).synchronize(name)
      } catch {
        guard error.number == ENOENT else { throw error }
      }
    }
    try synchronizeFolder()
  }

  /// Makes all names durable, also those of part files.
  package func synchronizeFolder() throws(DiskError) { try folder.synchronize("partial") }

  /// Remembers that a record existed, created by a process that may not have synced the folder.
  package func noteFound() { names.change() }

  private func writeOnce(
    _ record: PartialRecord, _ durability: Durability
  ) throws(DiskError) {
    let name = "\(record.key)\(ending)"
    // Two downloads of one episode, in one process or two, must not share it.
    let random = String(UInt64.random(in: 0 ... .max), radix: 16)
    let data = try Self.encoded(record, name)
    let mode = folder.status(of: name)?.permissions
    try OpenFile.replaceOwnFile(
      name, in: folder, with: data, temporary: "\(name).\(random).tmp",
      isSynced: durability != .none
    ) { file throws(DiskError) in
      // A file of an earlier podget keeps its mode.
      if let mode, mode != file.status?.permissions { fchmod(file.number, mode_t(mode & 0o777)) }
      // The lock shows that another process is using it.
      flock(file.number, LOCK_EX)
    }
    names.change()
    if durability == .whole { try synchronize() }
  }

  /// Deletes an episode's record.
  package func removeRecord(_ key: String) {
    unlinkat(folder.number, "\(key)\(ending)", 0)
  }

  /// All readable records, in the order of their keys.
  package func all() -> [PartialRecord] { contents().records }

  /// All readable records, in the order of their keys, and why others are refused.
  package func contents() -> (records: [PartialRecord], refused: [DiskError]) {
    var records: [PartialRecord] = []
    var refused: [DiskError] = []
    for name in folder.entries() where name.hasSuffix(ending) {
      let key = String(name.dropLast(ending.count))
      do throws(DiskError) {
        if let record = try read(key) {
          records.append(record)
        } else if isDamaged(key) {
          throw DiskError(
            EINVAL, "use", ".podget/partial/\(name)",
            reason: "it is damaged; download the episode again, or delete the file")
        }
      } catch {
        refused.append(error)
      }
    }
    return (records, refused)
  }

  /// Whether the unreadable record of an episode is worth a sentence: it has content, and bytes were
  /// received. A kill or a power failure leaves nothing, zeros, or no bytes.
  func isDamaged(_ key: String) -> Bool {
    guard let size = partSize(key), size > 0,
      let data = try? OpenFile.ownContents("\(key)\(ending)", in: folder, limit: Self.maximumBytes)
    else { return false }
    return Self.lines(of: data).first.map { !Self.isNewer($0) } ?? false
  }

  /// Whether a newer podget wrote a record, by its first line.
  static func isNewer(_ line: Data.SubSequence) -> Bool {
    struct Versioned: Decodable { var version: Int }
    let record = try? JSONDecoder().decode(Versioned.self, from: Data(line))
    return record.map { $0.version > PartialRecord.currentVersion } ?? false
  }
}

/// Whether names that records were given, or found to have, may not survive a power failure.
private final class RecordNames: Sendable {
  private struct State {
    var changes = 0
    var durable = 0
  }

  private let state = Mutex(State())

  /// A record got a name, or may have got it from a process that did not sync the folder.
  func change() { state.withLock { $0.changes += 1 } }

  /// Calls `sync`, which makes all names durable, unless they are.
  func synchronize(_ sync: () throws(DiskError) -> Void) throws(DiskError) {
    let changes = state.withLock { $0.durable < $0.changes ? $0.changes : nil }
    guard let changes else { return }
    try sync()
    state.withLock { $0.durable = max($0.durable, changes) }
  }
}
