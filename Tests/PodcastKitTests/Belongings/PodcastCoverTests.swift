import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("The image in a podcast's folder") struct PodcastCoverTests {
  private let folders: LibraryFolders
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let day = 86_400.0

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
  }

  private func store(
    _ text: String, from url: String = "https://a.example/1", after days: Double = 0,
    ending: String = ".jpg"
  ) throws -> Bool {
    let podcast = Podcast(id: 7, title: "P", artworkURL: url)
    let cover = try PodcastCover(
      of: podcast, beside: try #require(RelativePath("P")), in: folders.library,
      now: now + days * day)
    try cover?.store(Array(text.utf8), ending: ending, now: now + days * day)
    return cover != nil
  }

  @Test("it is replaced when its address or its bytes change, and verify knows it") func replaced()
    throws
  {
    #expect(try store("one"))
    #expect(try folders.text("P/cover.jpg") == "one")
    #expect(folders.library.inventory(of: folders.library.reading()).untracked.isEmpty)
    #expect(try !store("two", after: 6))
    #expect(try store("two", after: 8) && folders.text("P/cover.jpg") == "two")
    #expect(try store("three", from: "https://a.example/3", after: 9, ending: ".png"))
    #expect(folders.visible == ["P/a.mp3", "P/cover.png"])
    #expect(folders.statuses() == ["P/a.mp3": "complete"])
  }

  @Test("somebody else's image, a changed and a deleted one stay as they are") func foreign() throws
  {
    try folders.folder.write("P/folder.jpg", "mine")
    #expect(try !store("one"))
    try FileManager.default.removeItem(atPath: folders.folder.path("P/folder.jpg"))
    #expect(try store("one"))
    // Nothing is requested to be thrown away.
    try folders.folder.write("P/cover.jpg", "own")
    #expect(
      try !store("two", from: "https://a.example/2") && folders.text("P/cover.jpg") == "own")
    try FileManager.default.removeItem(atPath: folders.folder.path("P/cover.jpg"))
    #expect(try !store("three", from: "https://a.example/3"))
    #expect(folders.visible == ["P/a.mp3"])
  }

  @Test(
    "one that could not be had is requested again after a week, or if it is asked for")
  func failed() throws {
    func cover(_ url: String, after days: Double, isAsked: Bool = false) throws -> PodcastCover? {
      try PodcastCover(
        of: Podcast(id: 7, title: "P", artworkURL: url), beside: try #require(RelativePath("P")),
        in: folders.library, isAsked: isAsked, now: now + days * day)
    }
    let (url, other) = ("https://a.example/1", "https://a.example/2")
    try #require(try cover(url, after: 0)).noteFailure(now: now)
    #expect(try cover(url, after: 6) == nil && cover(url, after: 6, isAsked: true) != nil)
    #expect(try cover(other, after: 6) != nil && cover(url, after: 8) != nil)
    #expect(try store("one", from: url, after: 8))
    try #require(try cover(other, after: 9)).noteFailure(now: now + 9 * day)
    // The image that is there counts as before.
    #expect(try cover(other, after: 15, isAsked: true) == nil)
    #expect(try store("two", from: other, after: 17) && folders.text("P/cover.jpg") == "two")
    #expect(folders.library.inventory(of: folders.library.reading()).untracked.isEmpty)
  }

  @Test("a move to another disk that was killed is finished", arguments: 0...2)
  func killedMove(step: Int) throws {
    #expect(try store("one"))
    let source = try OpenFile.folder("P", in: folders.library.root, creating: false)
    let target = try OpenFile.folder("Q", in: folders.library.root, creating: true)
    let contents = FolderContents(try FolderRecords.read(in: source))
    let cover = try #require(contents.cover)
    let podcast = try #require(contents.podcast)
    if step > 0 {
      try FolderRecords.append(
        [FolderFact(cover: cover, of: podcast, at: contents.coverTime)], in: target)
    }
    if step > 1 { try folders.folder.write("Q/cover.jpg", "one") }
    func move() throws -> Bool {
      folders.library.moveCover(
        cover, of: contents, from: source, to: try #require(RelativePath("Q")))
    }
    #expect(try move() && folders.visible == ["P/a.mp3", "Q/cover.jpg"])
    // Somebody else's image is not taken for it.
    try folders.folder.write("P/cover.jpg", "one")
    try folders.folder.write("Q/cover.jpg", "mine")
    #expect(try !move() && folders.text("Q/cover.jpg") == "mine")
  }

  @Test("a folder that several podcasts share has none") func shared() throws {
    func cover(_ id: Int64, _ title: String) throws -> Bool {
      try PodcastCover(
        of: Podcast(id: id, title: title, artworkURL: "https://a.example/\(id)"),
        beside: try #require(RelativePath("P")), in: folders.library, now: now) != nil
    }
    // The episodes there are those of podcast 7.
    #expect(try cover(7, "Another title") && cover(7, "P") && cover(8, "P"))
    #expect(try !cover(8, "Another title"))
  }

  @Test("an episode does not take it for its own image") func stem() throws {
    #expect(try store("one"))
    try folders.add("cover", to: "P")
    let stored = try BelongingStore(folders.library).store(
      [.init(.artwork, bytes: Array("one".utf8), ending: ".jpg")], of: EpisodeKey(named: "cover"),
      at: try #require(RelativePath("P/cover.mp3")))
    #expect(
      stored[.artwork] == "P/cover [\(EpisodeKey(named: "cover").text.prefix(6))].jpg")
  }

  @Test("it moves with the last episode of its folder") func moved() throws {
    #expect(try store("one"))
    try folders.add("b", to: "P")
    func move(_ key: String) throws {
      var mover = FileMover(folders.library, folders.recorded)
      let failures = mover.perform([
        FileMove(
          key: EpisodeKey(named: key), from: try #require(RelativePath("P/\(key).mp3")),
          to: try #require(RelativePath("Q/\(key).mp3")))
      ])
      #expect(failures.isEmpty)
    }
    try move("a")
    #expect(folders.folder.contains("P/cover.jpg"))
    try move("b")
    #expect(folders.visible == ["Q/a.mp3", "Q/b.mp3", "Q/cover.jpg"])
    #expect(folders.library.inventory(of: folders.library.reading()).untracked.isEmpty)
  }

  @Test(
    "the folder of a podcast's own",
    arguments: [
      ("P", "P"), ("P/2024", "P"), ("2024/P", "2024/P"), ("Other", "Other"), ("2024/Other", nil),
      ("", nil),
    ])
  func place(media: String, folder: String?) throws {
    let media = try #require(RelativePath(media))
    #expect(PodcastCover.folder(of: Podcast(title: "P"), around: media)?.text == folder)
  }
}
