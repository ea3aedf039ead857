import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// A file that is downloaded again replaces the recorded one, wherever that is, and no
/// other.
@Suite("Files that are downloaded again") struct EngineReplacingTests {
  private let good = MP3Maker.bytes(seed: 1, length: 60_000)
  private let damaged = MP3Maker.bytes(seed: 2, length: 60_000)
  private let server: LoopbackServer
  private let engine: EngineHarness
  private let plan: DownloadPlan

  init() throws {
    server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(good))])
    engine = try EngineHarness()
    plan = engine.plan(server.url("/a.mp3"))
  }

  /// Puts the episode on record as complete, with a file of these bytes.
  private func add(_ bytes: [UInt8], to path: String) throws {
    let (folder, name) = LibraryPath.split(path)
    let fact = FolderFact(
      fact: "finished", key: plan.episodeKey, podcast: StoredPodcast(plan.podcast),
      episode: StoredEpisode(plan.episode), file: EntryName(checked: name),
      bytes: Int64(good.count), downloadedAt: "2024-01-02T03:04:05Z")
    try FolderRecords.append(
      [fact], in: OpenFile.folder(folder, in: engine.library.root, creating: true))
    try engine.folder.write("library/\(path)", bytes)
  }

  /// Leaves a plan to download the episode again to the path of a file.
  private func begin(replacing path: String) throws {
    var record = PartialRecord(plan)
    record.replaces = RelativePath(path)
    try PartialFolder(library: engine.library.root).write(record, .none)
  }

  @Test("the intact file in a copy of the folder stays when the damaged one is downloaded again")
  func copiedFolder() async throws {
    try add(damaged, to: "Show/Episode.mp3")
    try add(good, to: "Show copy/Episode.mp3")
    var engine = engine
    engine.options.isForced = true
    let run = try await engine.run([plan])
    #expect(run.finished(plan)?.path == "Show/Episode.mp3")
    #expect(engine.finishedFiles == ["Show copy/Episode.mp3", "Show/Episode.mp3"])
    for path in engine.finishedFiles { #expect(try engine.read(path) == good) }
  }

  @Test("a plan that names a file in another folder does not remove it", arguments: [true, false])
  func otherFolder(isRecorded: Bool) async throws {
    if isRecorded { try add(damaged, to: "Show/Episode.mp3") }
    try add(good, to: "Other/Episode.mp3")
    // On record there for the same episode, and another file of that folder.
    try begin(replacing: isRecorded ? "Other/Episode.mp3" : "Other/Mine.mp3")
    try engine.folder.write("library/Other/Mine.mp3", "mine")
    let run = try await engine.run([plan])
    let path = isRecorded ? "Show/Episode.mp3" : "Other/Episode.mp3"
    #expect(run.finished(plan)?.path == path)
    #expect(try engine.read(path) == good && engine.read("Other/Episode.mp3") == good)
    #expect(try engine.read("Other/Mine.mp3") == Array("mine".utf8))
  }

  @Test(
    "a file that moved since is replaced where it is now, and the episode stays one",
    arguments: ["Elsewhere/Moved.mp3", "Show/Moved.mp3"])
  func moved(path: String) async throws {
    try add(damaged, to: path)
    try begin(replacing: "Show/Episode.mp3")
    let run = try await engine.run([plan])
    #expect(run.finished(plan)?.path == path)
    #expect(engine.finishedFiles == [path])
    #expect(try engine.read(path) == good)
    #expect(engine.library.unfinished().isEmpty)
  }
}
