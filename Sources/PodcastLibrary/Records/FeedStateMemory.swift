internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer
import Synchronization

/// The states of a library's feeds between the rounds of a run: with thousands of feeds, reading all of
/// them each time that one is due takes longer than asking it.
package final class FeedStateMemory: Sendable {
  /// What a reading has brought.
  package enum Change: Sendable, Hashable {
    /// All states were read, or the file is gone.
    case all
    /// Lines of these feeds were added, also by this process.
    case feeds([String])
  }

  /// Where the lines end that were read.
  private struct Place {
    /// The file, which is open: no other one can have its number.
    var file: OpenFile
    /// How it was before it was read.
    var status: OpenFile.Status?
    var end: Int64
    /// The last bytes before that end.
    var tail: [UInt8]

    /// Whether the lines that were read are still there. A file may be overwritten in place: with the
    /// same size it has another time then, and otherwise other bytes where the lines ended.
    func isStillRead(in now: OpenFile.Status) -> Bool {
      guard let status, now.isSameFile(as: status), now.size >= end else { return false }
      if now.size == status.size { return now.isUnchanged(since: status) }
      return now.size > status.size && FeedStateMemory.tail(of: file, before: end) == tail
    }
  }

  private struct Kept {
    var place: Place?
    var states: [String: FeedState] = [:]
  }

  private static let tailBytes: Int64 = 1024

  private let kept = Mutex(Kept())

  /// Nothing was read yet.
  package init() {}

  /// What is remembered of a feed, by the address first subscribed; nil for nothing. A state that is set
  /// stays until the file has another one.
  package subscript(feed: String) -> FeedState? {
    get { kept.withLock { $0.states[feed] } }
    set { kept.withLock { $0.states[feed] = newValue } }
  }

  /// All states, by the addresses first subscribed.
  package var all: [String: FeedState] { kept.withLock { $0.states } }

  /// Reads what was added to the file, or all of it if it is another file. It blocks on the disk;
  /// meanwhile nothing is remembered.
  package func read(of library: Library) throws(DiskError) -> Change {
    guard let file = try FeedStateLog.file(of: library) else {
      return kept.withLock { kept in
        // What could not be stored is remembered all the same.
        guard kept.place != nil else { return .feeds([]) }
        kept = Kept()
        return .all
      }
    }
    let status = file.status
    var known = kept.withLock { kept in
      defer { kept = Kept() }
      return kept
    }
    let continues =
      status.flatMap { status in known.place.map { $0.isStillRead(in: status) } } ?? false
    if !continues { known.states = [:] }
    var place =
      (continues ? known.place : nil) ?? Place(file: file, status: nil, end: 0, tail: [])
    place.status = status
    known.place = nil
    var states = known.states
    known.states = [:]
    var changed: [String] = []
    let decoder = JSONDecoder()
    do throws(DiskError) {
      place.end = try place.file.readLines(
        FeedStateLog.name, from: place.end, limit: FeedStateLog.maximumBytes,
        lineLimit: FeedStateLog.maximumLineBytes
      ) { line, _ in
        guard let line, let line = try? decoder.decode(FeedLine.self, from: line) else { return }
        line.apply(to: &states[line.feed, default: FeedState()])
        if continues { changed.append(line.feed) }
      }
      place.tail = Self.tail(of: place.file, before: place.end)
    } catch {
      // The next reading reads all of it.
      let left = Kept(states: states)
      kept.withLock { $0 = left }
      throw error
    }
    let new = Kept(place: place, states: states)
    kept.withLock { $0 = new }
    return continues ? .feeds(changed) : .all
  }

  /// The bytes before a place in a file; empty if they cannot be read.
  private static func tail(of file: OpenFile, before end: Int64) -> [UInt8] {
    let start = max(0, end - tailBytes)
    var bytes = [UInt8](repeating: 0, count: Int(clamping: end - start))
    let count = pread(file.number, &bytes, bytes.count, off_t(start))
    return count == bytes.count ? bytes : []
  }
}
