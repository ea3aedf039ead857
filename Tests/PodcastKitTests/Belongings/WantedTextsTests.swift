import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("What a feed has itself is wanted until it is stored") struct WantedTextsTests {
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let transcript = PlannedBelonging(.transcript, url: "https://a.example/1.vtt")
  private let hour = 3_600.0

  private func entry(_ folders: LibraryFolders) throws -> FolderContents.Entry {
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    return try #require(
      FolderContents(try FolderRecords.read(in: there)).entry(EpisodeKey(named: "a")))
  }

  @Test("it is tried again with each reading of the feed, after an hour, and never given up")
  func tries() throws {
    let folders = try LibraryFolders()
    try folders.add("a", to: "P")
    let (store, key) = (BelongingStore(folders.library), EpisodeKey(named: "a"))
    let path = try #require(RelativePath("P/a.mp3"))
    let notes = try #require(PlannedBelonging(.notes, text: "words\n"))
    func needed(
      _ offers: [PlannedBelonging]?, _ texts: [PlannedBelonging] = [], after seconds: Double = 0,
      mayRequest: Bool = true
    ) throws -> [PlannedBelonging] {
      try store.needed(
        offers, texts: texts, .all, of: key, at: path, isAsked: false, now: now + seconds
      ) { mayRequest }
    }
    #expect(try needed([transcript, notes]) == [transcript, notes])
    #expect(folders.recorded.map(\.isWanting) == [true] && folders.indexed == folders.recorded)
    // A feed that does not have it, and one that was not read.
    #expect(try needed(nil, after: hour) == [transcript])
    let other = try #require(PlannedBelonging(.chapters, text: "[]"))
    #expect(try needed(nil, [other], after: 2 * hour).isEmpty)
    for number in 1...20 {
      let wanted = try needed(
        nil, [other, notes], after: Double(number) * 30 * 24 * hour, mayRequest: false)
      #expect(wanted == [notes])
    }
    #expect(folders.recorded.map(\.isWanting) == [true])
    _ = try store.store(
      [.init(.notes, bytes: Array("words\n".utf8), ending: ".md")], of: key, at: path)
    #expect(try entry(folders).wanted.map(\.kind) == [.transcript])
    #expect(folders.others("a") == ["P/a.md"])
  }

  @Test("a podget that knows only what servers have keeps it on record") func kept() throws {
    let folders = try LibraryFolders()
    try folders.add("a", to: "P")
    let notes = try #require(PlannedBelonging(.notes, text: "words\n"))
    _ = try BelongingStore(folders.library).needed(
      [transcript, notes], .all, of: EpisodeKey(named: "a"),
      at: try #require(RelativePath("P/a.mp3")), isAsked: false, now: now)
    var known = try entry(folders)
    #expect(known.wanted.map(\.kind) == [.transcript, .notes])
    known.parts.others["wanted"] = .init(.null, RecordTime.next(after: known.parts.latest))
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    try FolderRecords.append([known.remark(at: now)], in: there)
    #expect(try entry(folders).wanted.map(\.kind) == [.notes])
    // It stores the text without a word about this.
    try folders.add("a.md", role: "notes", beside: "a", "words\n")
    #expect(folders.recorded.map(\.isWanting) == [false])
  }

  @Test("what cannot be written beside a new episode is wanted") func unwritten() async throws {
    let server = try LoopbackServer(files: [
      "/1.mp3": FileServing(Representation(MP3Maker.bytes(seed: 1, length: 20_000)))
    ])
    let engine = try EngineHarness()
    var plan = engine.plan(server.url("/1.mp3"))
    plan.belongings = [try #require(PlannedBelonging(.notes, text: "words\n"))]
    for ending in EpisodeIdentity.nameEndings(plan.key) {
      try FileManager.default.createDirectory(
        atPath: engine.folder.path("library/Show/Episode\(ending).md"),
        withIntermediateDirectories: true)
    }
    let run = try await engine.run([plan])
    #expect(run.finished(plan) != nil)
    let local = try #require(engine.library.episodes().first)
    #expect(local.isWanting && engine.library.belongings(of: [local]).isEmpty)
  }

  @Test("a sync stores it when it has read the feed again") func sync() async throws {
    var item = FeedHost.Item(1)
    item.extra = "<description>Words of the feed.</description>"
    let harness = try SyncHarness(["/a": FeedHost.Feed([item])])
    try harness.follow("a", "/a", title: "The Feed")
    _ = try await harness.sync()
    // A killed run has noted it.
    let local = try #require(harness.library.episodes().first)
    _ = try BelongingStore(harness.library).needed(
      [try #require(PlannedBelonging(.notes, text: "words\n"))], .all, of: local.plan.episodeKey,
      at: try #require(RelativePath(local.path)), isAsked: false, now: harness.now)
    var options = SyncOptions()
    options.rules.belongings = Belongings([.notes])
    harness.pass(.seconds(7_200))
    #expect(try await harness.sync(options: options).belongings.isEmpty)
    harness.host["/a"].head = "<copyright>another</copyright>"
    let report = try await harness.sync(options: options)
    #expect(
      report.belongings.map { try? $0.result.get() } == [
        "The Feed/2024-01-01 - Number 1.md"
      ])
    let text = try harness.folder.read("library/The Feed/2024-01-01 - Number 1.md")
    #expect(String(decoding: text, as: UTF8.self) == "Words of the feed.\n")
    #expect(harness.library.episodes().map(\.isWanting) == [false])
  }
}
