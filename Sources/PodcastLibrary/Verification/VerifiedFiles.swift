internal import CFiles
package import FoundationEssentials
package import PodcastModel
import PodcastTransfer
import Synchronization

/// When the files of a library were last read, in `.podget/verified.ndjson`.
///
/// The file may be deleted: then no file counts as read. A file that was renamed, replaced or written
/// since counts as not read.
package final class VerifiedFiles: Sendable {
  /// One line of the file.
  private struct Line: RecordLine {
    static let currentVersion = 1
    var version = 1
    /// The path below the library.
    var path: String
    /// When it was read (UTC).
    var at: String
    /// Whether it had a problem; nil if not.
    var problem: Bool?
    /// Which file it was, as its status tells; nil in lines of earlier podgets.
    var file: String?
  }

  private static let name = "verified.ndjson"
  private static let maximumBytes: Int64 = 256 << 20
  /// A path is shorter.
  private static let maximumLineBytes = 64 << 10
  /// How many files are noted with one sync: a kill forgets no more.
  private static let notedTogether = 256

  private let root: OpenFile
  private let log: RecordLog<Line>?
  /// When each file was read last.
  private let times: [String: Date]
  /// Which file each was then.
  private let files: [String: String]
  /// Those that had a problem then.
  private let problems: Set<String>
  private let waiting = Mutex<[Line]>([])
  /// Which file each is that is about to be read.
  private let current = Mutex<[String: String]>([:])

  /// Reads the file of a library; it blocks on the disk. What cannot be read or written is left out.
  package init(_ library: Library) {
    root = library.root
    log = (try? OpenFile.ownFolder(nil, in: library.root, creating: false)).map {
      RecordLog(
        Self.name, in: $0, maximumBytes: Self.maximumBytes,
        maximumLineBytes: Self.maximumLineBytes, compacted: Self.compacted)
    }
    let lines = (try? log?.reading().lines) ?? []
    let last = Dictionary(lines.map { ($0.path, $0) }) { $1 }
    times = last.mapValues { Date(timestamp: $0.at) ?? .distantPast }
    files = last.compactMapValues(\.file)
    problems = Set(last.values.lazy.filter { $0.problem == true }.map(\.path))
  }

  /// The files to read, those first that were not read for the longest time. To be called before any is
  /// read.
  ///
  /// - Parameters:
  ///   - day: only files that were not read on this day (UTC) or later.
  ///   - share: only this part of them, from 0 to 1; at least one file.
  ///   - now: the time of day (UTC). A file that was read later counts as not read.
  package func chosen(
    of files: [RecordedFile], notSince day: CivilDay?, share: Double?, at now: Date
  ) -> [RecordedFile] {
    let found = Dictionary(
      files.compactMap { file in state(of: file.path).map { (file.path, $0) } }
    ) { first, _ in first }
    current.withLock { $0 = found }
    guard day != nil || share != nil else { return files }
    let latest = now.addingTimeInterval(86_400)
    func time(_ file: RecordedFile) -> Date {
      guard let time = times[file.path], time <= latest, let state = found[file.path],
        self.files[file.path] == state
      else { return .distantPast }
      return time
    }
    var chosen = files.filter { file in
      guard let day, !problems.contains(file.path) else { return true }
      return CivilDay(time(file)) < day
    }
    chosen.sort { (time($0), $0.path) < (time($1), $1.path) }
    guard let share else { return chosen }
    return Array(chosen.prefix(Int((Double(files.count) * share).rounded(.up))))
  }

  /// Notes that a file was read.
  package func note(_ path: String, hasProblem: Bool, at now: Date) {
    let file = current.withLock { $0[path] }
    let count = waiting.withLock { lines in
      lines.append(
        Line(path: path, at: now.timestamp, problem: hasProblem ? true : nil, file: file))
      return lines.count
    }
    if count >= Self.notedTogether { store() }
  }

  /// Stores what was noted. A disk that refuses is no failure: the files are read again.
  package func store() {
    let lines = waiting.withLock { lines in
      defer { lines = [] }
      return lines
    }
    guard !lines.isEmpty else { return }
    _ = try? log?.append(lines, first: nil, compactingFrom: 256 << 10) { _ in true }
  }

  /// What changes when a file is replaced or written: podget gives a file the time of its publication,
  /// so only the time of its change of status is sure. Nil if there is none.
  private func state(of path: String) -> String? {
    root.mediaStatus(of: path).map { "\($0.size) \($0.modified) \($0.changed)" }
  }

  /// The last line of each file; nil while the others are not more than half.
  private static func compacted(_ data: Data) -> Data? {
    let lines = data.split(separator: 0x0A)
    let decoder = JSONDecoder()
    var last: [String: Int] = [:]
    for (place, line) in lines.enumerated() {
      guard let path = try? decoder.decode(Line.self, from: Data(line)).path else { continue }
      last[path] = place
    }
    guard last.count < lines.count / 2 else { return nil }
    var kept = Data()
    for place in last.values.sorted() {
      kept.append(lines[place])
      kept.append(0x0A)
    }
    return kept
  }
}

extension LibraryInventory {
  /// The same with some of the recorded files only.
  package func limited(to files: [RecordedFile]) -> LibraryInventory {
    var limited = self
    limited.recorded = files
    return limited
  }
}
