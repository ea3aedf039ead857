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
  static let maximumBytes: Int64 = 512 << 20
  /// A feed of 200,000 episodes, with as many others as are remembered, is less than this.
  static let maximumLineBytes = 8 << 20
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
    _ = try memory.read(of: library)
    return memory.all
  }

  /// Adds lines in one write and syncs them. It blocks on the disk.
  package func append(_ lines: [FeedLine]) throws(DiskError) {
    guard !lines.isEmpty else { return }
    _ = try log.append(lines, first: nil, compactingFrom: Self.smallestCompaction) { _ in true }
  }

  /// The file of a library; nil without the file, or without a library.
  static func file(of library: Library) throws(DiskError) -> OpenFile? {
    let folder: OpenFile
    do throws(DiskError) {
      folder = try OpenFile.ownFolder(nil, in: library.root, creating: false)
    } catch {
      guard error.number == ENOENT else { throw error }
      return nil
    }
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
