internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer
import Synchronization

/// What is remembered of all feeds, in `.podget/feeds.ndjson`. The file may be deleted: the next sync
/// then reads every feed completely.
package struct FeedStateLog: Sendable {
  /// The file's name in `.podget`.
  package static let name = "feeds.ndjson"
  /// 10,000 feeds with 1,000 episodes each, every other line superseded, are less than this.
  fileprivate static let maximumBytes: Int64 = 512 << 20
  /// A feed of 200,000 episodes, with as many others as are remembered, is less than this.
  fileprivate static let maximumLineBytes = 8 << 20
  private static let smallestCompaction: Int64 = 256 << 10

  private let log: RecordLog<FeedLine>

  /// The file of a library; its own folder is created when it is missing.
  package init(_ library: Library) throws(DiskError) {
    let folder = try OpenFile.ownFolder(nil, in: library.root, creating: true)
    log = RecordLog(
      Self.name, in: folder, maximumBytes: Self.maximumBytes,
      maximumLineBytes: Self.maximumLineBytes, compacted: Self.compacted)
  }

  /// The states of a library's feeds, by the addresses first subscribed. Empty without the file, or
  /// without a library.
  ///
  /// - Parameter memory: keeps them for the next call, which then reads only what was added since.
  package static func states(
    of library: Library, keptIn memory: FeedStateMemory = FeedStateMemory()
  ) throws(DiskError) -> [String: FeedState] {
    let folder: OpenFile
    do throws(DiskError) {
      folder = try OpenFile.ownFolder(nil, in: library.root, creating: false)
    } catch {
      guard error.number == ENOENT else { throw error }
      return [:]
    }
    guard let file = try existing(in: folder) else { return [:] }
    return try memory.states(in: file)
  }

  /// Adds lines in one write and syncs them. It blocks on the disk.
  package func append(_ lines: [FeedLine]) throws(DiskError) {
    guard !lines.isEmpty else { return }
    _ = try log.append(lines, first: nil, compactingFrom: Self.smallestCompaction) { _ in true }
  }

  private static func existing(in folder: OpenFile) throws(DiskError) -> OpenFile? {
    do throws(DiskError) {
      return try OpenFile.ownFile(name, in: folder, limit: maximumBytes)
    } catch {
      guard error.number == ENOENT else { throw error.at("read", ".podget/\(name)") }
      return nil
    }
  }

  /// One line for each feed; nil while that would not save half of the file, and if a newer podget has
  /// written to it.
  private static func compacted(_ contents: Data) -> Data? {
    let decoder = JSONDecoder()
    var states: [String: FeedState] = [:]
    var order: [String] = []
    for line in contents.split(separator: 0x0A) {
      // A torn line says nothing.
      guard let line = try? decoder.decode(FeedLine.self, from: Data(line)) else { continue }
      guard line.version <= FeedLine.currentVersion else { return nil }
      if states[line.feed] == nil { order.append(line.feed) }
      line.apply(to: &states[line.feed, default: FeedState()])
    }
    var compacted = Data()
    for feed in order {
      guard let state = states[feed],
        let line = try? RecordEncoder.data(FeedLine(feed, state), for: name)
      else { return nil }
      compacted.append(line)
      compacted.append(0x0A)
    }
    return compacted.count < contents.count / 2 ? compacted : nil
  }
}

/// The states of a library's feeds between the rounds of a run: with thousands of feeds, reading all of
/// them each time that one is due takes longer than asking it.
package final class FeedStateMemory: Sendable {
  private struct Kept {
    /// The file, which is open: no other one can have its number.
    var file: OpenFile
    /// How it was before it was read.
    var status: OpenFile.Status?
    /// Where the lines end that were read.
    var end: Int64
    /// The last bytes before that end.
    var tail: [UInt8]
    var states: [String: FeedState]

    /// Whether the lines that were read are still there. A file may be overwritten in place: with the
    /// same size it has another time then, and otherwise other bytes where the lines ended.
    func isStillRead(in now: OpenFile.Status) -> Bool {
      guard let status, now.isSameFile(as: status), now.size >= end else { return false }
      if now.size == status.size { return now.isUnchanged(since: status) }
      return now.size > status.size && FeedStateMemory.tail(of: file, before: end) == tail
    }
  }

  private static let tailBytes: Int64 = 1024

  private let kept = Mutex<Kept?>(nil)

  /// Nothing was read yet.
  package init() {}

  /// The states in a file. It blocks on the disk.
  fileprivate func states(in file: OpenFile) throws(DiskError) -> [String: FeedState] {
    let status = file.status
    var known = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    if status.map({ known?.isStillRead(in: $0) ?? false }) != true { known = nil }
    // What was added since is read from the same file.
    var new = known ?? Kept(file: file, status: nil, end: 0, tail: [], states: [:])
    new.status = status
    known = nil
    let decoder = JSONDecoder()
    var states = new.states
    new.states = [:]
    new.end = try new.file.readLines(
      FeedStateLog.name, from: new.end, limit: FeedStateLog.maximumBytes,
      lineLimit: FeedStateLog.maximumLineBytes
    ) { line in
      guard let line, let line = try? decoder.decode(FeedLine.self, from: line) else { return }
      line.apply(to: &states[line.feed, default: FeedState()])
    }
    new.states = states
    new.tail = Self.tail(of: new.file, before: new.end)
    let result = new
    kept.withLock { $0 = result }
    return states
  }

  /// The bytes before a place in a file; empty if they cannot be read.
  private static func tail(of file: OpenFile, before end: Int64) -> [UInt8] {
    let start = max(0, end - tailBytes)
    var bytes = [UInt8](repeating: 0, count: Int(clamping: end - start))
    let count = pread(file.number, &bytes, bytes.count, off_t(start))
    return count == bytes.count ? bytes : []
  }
}
