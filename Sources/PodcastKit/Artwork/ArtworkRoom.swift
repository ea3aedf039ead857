internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// How much of its room a folder of artworks uses, and what goes next. The folder is listed once, and
/// what is written after that is added up.
struct ArtworkRoom: Sendable {
  /// How the names end of files that are being written.
  static let unfinished = ".new"
  /// A file that is being written is never this old.
  private static let longestWrite: Int64 = 3_600_000_000_000

  private let maximumBytes: Int64
  /// How many bytes the files have; nil before the folder was listed.
  private var total: Int64?
  /// The files that were there at the beginning, the one used longest ago at the end.
  private var old: [(name: String, size: Int64)] = []
  /// The files that were read or written since then.
  private var used: Set<String> = []

  /// Creates the room of a folder that was not listed yet.
  init(maximumBytes: Int64) { self.maximumBytes = maximumBytes }

  /// A file is used, and stays.
  mutating func use(_ name: String) { used.insert(name) }

  /// Makes room for a file, which counts as written and used; false if there can be none.
  mutating func take(_ size: Int64, for name: String, in folder: OpenFile) -> Bool {
    var sum = total ?? list(folder)
    let replaced = folder.status(of: name).map { $0.is_regular ? $0.size : 0 } ?? 0
    sum = max(0, sum - replaced)
    defer { total = sum }
    while sum > maximumBytes - size {
      guard let place = old.lastIndex(where: { $0.name != name && !used.contains($0.name) }) else {
        old = []
        sum = ByteSum.of([sum, replaced])
        return false
      }
      // Those behind it are used, and stay.
      old.removeSubrange((place + 1)...)
      let file = old.removeLast()
      if unlinkat(folder.number, file.name, 0) == 0 || errno == ENOENT {
        sum = max(0, sum - file.size)
      }
    }
    used.insert(name)
    sum += size
    return true
  }

  /// A file for which there was room is not written: what had its name is still there.
  mutating func giveBack(_ size: Int64, for name: String, in folder: OpenFile) {
    let left = folder.status(of: name).map { $0.is_regular ? $0.size : 0 } ?? 0
    total = total.map { ByteSum.of([max(0, $0 - size), left]) }
  }

  /// Lists the files, and deletes what a killed podget left; how many bytes they have.
  private mutating func list(_ folder: OpenFile) -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let latest = podget_nanoseconds(now)
    var files: [(name: String, size: Int64, used: Int64)] = []
    for name in folder.entries() {
      guard let status = folder.status(of: name), status.is_regular else { continue }
      if name.hasSuffix(Self.unfinished), latest - Self.longestWrite > status.modified {
        unlinkat(folder.number, name, 0)
        continue
      }
      files.append((name, status.size, status.modified))
    }
    files.sort { $0.used > $1.used }
    old = files.map { ($0.name, $0.size) }
    // Sparse files may have any size.
    return ByteSum.of(files.map(\.size))
  }
}
