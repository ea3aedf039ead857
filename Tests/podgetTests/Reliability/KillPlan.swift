import Foundation
import Synchronization
import TestSupport
import Testing

/// Where kills of a run differ: the run stops before each of its calls that change the disk, and the
/// files are compared.
///
/// The kills themselves are real ones, in runs of their own: a copy of the files would have other
/// inodes, by which podget knows its own files again.
struct KillPlan {
  /// The numbers of the calls, from 1, before which the files are as before no earlier one. Calls that
  /// leave the files as they were, such as syncs, are not among them; neither are those for the
  /// library's index, except in the long form.
  let calls: [Int]
  /// The changes from one of them to the next and to the end: `-name` and `+name` are files that go
  /// and come. Part files have their sizes, records the numbers of their lines, and empty files a 0;
  /// `KEY` is for keys, `TIME` for times and `ID` for random numbers.
  let steps: [String]

  /// The fault rule with which podget stops before each call.
  static let stops = "any:1+1:stop"

  /// Lets a process with the rule ``stops`` run to its end, which must be a success.
  init(of folder: TemporaryFolder, in process: RunningProcess) async throws {
    var calls: [Int] = []
    var steps: [String] = []
    var last = try Self.files(of: folder)
    func addStep() throws {
      let files = try Self.files(of: folder)
      let step = Self.changes(from: last, to: files)
      if !step.isEmpty { steps.append(step) }
      last = files
    }
    var seen: Set<[Entry]> = []
    var call = 0
    while try await Reliability.hasStopped(process) {
      call += 1
      if seen.insert(try Self.entries(of: folder)).inserted {
        calls.append(call)
        try addStep()
      }
      process.signal(SIGCONT)
    }
    let result = try await process.waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    try addStep()
    self.calls = calls
    self.steps = steps
  }

  /// Kills podget before each of the calls, two at a time.
  ///
  /// Threads take turns differently in each run, and a body comes in fewer writes in one than in
  /// another. A run that ends before a late call is made again with an earlier one.
  ///
  /// - Parameter kill: makes one trial and says whether podget was killed in it.
  func kill(_ kill: @escaping @Sendable (Int) async throws -> Bool) async throws {
    let kills = Mutex(0)
    try await Reliability.forEach(calls) { call in
      for earlier in [0, 1, 2, 4, 8, 16] where try await kill(max(call - earlier, 1)) {
        kills.withLock { $0 += 1 }
        break
      }
    }
    #expect(kills.withLock { $0 } == calls.count)
  }

  private static func files(of folder: TemporaryFolder) throws -> [String: String] {
    var files: [String: String] = [:]
    for path in folder.files where path.hasPrefix("library/") && !isIndex(path) {
      let name = URL(filePath: path).lastPathComponent
        .replacing(#/[0-9a-f]{32}/#, with: "KEY").replacing(#/\d{8}T\d{6}Z/#, with: "TIME")
        .replacing(#/[-.][0-9a-f]{8,16}\./#, with: "-ID.")
      let bytes = try folder.read(path)
      files[path] =
        if name.hasSuffix(".part") {
          "\(name):\(bytes.count)"
        } else if name.contains(".ndjson") {
          "\(name):\(bytes.count { $0 == UInt8(ascii: "\n") })"
        } else {
          bytes.isEmpty ? "\(name):0" : name
        }
    }
    return files
  }

  private static func changes(from old: [String: String], to new: [String: String]) -> String {
    let gone = old.keys.filter { new[$0] == nil }.sorted().map { "-\(old[$0] ?? "")" }
    let changed = new.filter { old[$0.key] != $0.value }.sorted { $0.key < $1.key }
    return (gone + changed.map { (old[$0.key] == nil ? "+" : "") + $0.value })
      .joined(separator: " ")
  }

  private static func isIndex(_ name: String) -> Bool {
    name.contains(".podget/library.sqlite") || name.contains(".podget/listed.db")
  }

  /// A file or folder; two of them are equal if podget can see no difference that a call makes.
  private struct Entry: Hashable {
    let name: String
    let mode: mode_t
    /// The first entry that is the same file.
    let file: Int
    let contents: Int
  }

  private static func entries(of folder: TemporaryFolder) throws -> [Entry] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().filter {
      Reliability.isSoak || !isIndex($0)
    }
    var files: [ino_t: Int] = [:]
    return try names.enumerated().map { place, name in
      var status = stat()
      try #require(lstat(folder.path(name), &status) == 0, "\(name)")
      var hasher = Hasher()
      if status.st_mode & S_IFMT == S_IFREG {
        try Data(contentsOf: URL(filePath: folder.path(name))).withUnsafeBytes {
          hasher.combine(bytes: $0)
        }
      }
      let file = files[status.st_ino] ?? place
      files[status.st_ino] = file
      return Entry(name: name, mode: status.st_mode, file: file, contents: hasher.finalize())
    }
  }
}
