import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// A library whose folders a test arranges, and what its index and its records say of them.
struct LibraryFolders {
  let folder: TemporaryFolder
  let library: Library

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path(".podget"), withIntermediateDirectories: false)
    library = try #require(try Library.open(folder.path, creating: false))
  }

  /// Records an episode as finished, with its file unless it has gone.
  func add(_ key: String, to path: String, bytes: Int = 5, isThere: Bool = true) throws {
    let file = "\(key).mp3"
    try FolderRecords.append(
      [
        FolderFact(
          fact: "finished", key: EpisodeKey(named: key),
          podcast: StoredPodcast(Podcast(id: 7, title: path)),
          episode: StoredEpisode(
            Episode(
              guid: "guid of \(key)", title: "Title \(key)",
              enclosure: Enclosure(url: "https://a.example/\(key).mp3"))),
          file: EntryName(checked: file), bytes: Int64(bytes), downloadedAt: "2024-01-02T03:04:05Z")
      ], in: OpenFile.folder(path, in: library.root, creating: true))
    if isThere { try folder.write("\(path)/\(file)", [UInt8](repeating: 1, count: bytes)) }
  }

  /// What the records say, without the index.
  var recorded: [LocalEpisode] {
    FolderScan(root: library.root).changes(since: []).episodes.all
  }

  /// What the index says; nil when it cannot be used.
  var indexed: [LocalEpisode]? { try? LibraryDatabase(library: library).episodes().episodes.all }

  /// The statuses by key, having checked that the index says the same as the records.
  func statuses(sourceLocation: SourceLocation = #_sourceLocation) -> [String: String] {
    #expect(indexed == recorded, sourceLocation: sourceLocation)
    #expect(library.episodes() == recorded, sourceLocation: sourceLocation)
    // Texts are equal in all their Unicode forms, and files are not.
    func bytes(_ episodes: [LocalEpisode]?) -> [[UInt8]]? { episodes?.map { Array($0.path.utf8) } }
    #expect(bytes(indexed) == bytes(recorded), sourceLocation: sourceLocation)
    return Dictionary(
      recorded.map { ($0.path, $0.status.rawValue) }, uniquingKeysWith: { "\($0) and \($1)" })
  }

  /// Runs statements of SQL on the index as another program would.
  func execute(_ sql: String) async throws {
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    let result = try await RunningProcess(
      "/usr/bin/env", ["python3", "-c", script, folder.path(LibraryDatabase.name), sql],
      environment: ProcessInfo.processInfo.environment
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
  }
}
