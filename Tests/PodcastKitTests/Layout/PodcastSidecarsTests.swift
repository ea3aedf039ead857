import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// The files about podcasts in their folders.
@Suite("Files about podcasts in a library") struct PodcastSidecarsTests {
  private let folders: LibraryFolders
  private var folder: TemporaryFolder { folders.folder }

  init() throws {
    folders = try LibraryFolders()
    for key in ["a", "b"] { try folders.add(key, to: "Show") }
  }

  /// Brings the files of all folders up to date, and says what is wrong.
  private func refresh(_ layout: MediaLayout, _ episodes: [LocalEpisode]? = nil) -> [String] {
    let all = folders.recorded
    return PodcastSidecars(of: layout, in: folders.library).refresh(
      Set(all.compactMap { PodcastSidecars.top(of: $0.path) }), of: episodes ?? all,
      LibraryPodcasts(all.map(\.podcast), subscriptions: [])
    ).map(\.message)
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try folder.read(path), as: UTF8.self)
  }

  @Test(
    arguments: [
      (.audiobookshelf, "Show/metadata.json"), (.jellyfin, "Show/album.nfo"),
      (.plain, "Show/Show.m3u8"),
    ] as [(MediaLayout, String)])
  func `a file that somebody has edited is neither replaced nor removed`(
    layout: MediaLayout, file: String
  ) throws {
    let one = folders.recorded.filter { $0.path == "Show/a.mp3" }
    #expect(refresh(layout).isEmpty)
    let own = try text(file)
    for edited in [own + "\n", own.replacing("Show", with: "My show")] {
      try folder.write(file, edited)
      #expect(
        refresh(layout, one) == [
          "\(file) was not written by podget, or was changed since, and stays as it is."
        ])
      _ = refresh(layout, [])
      #expect(try text(file) == edited)
    }
    try folder.write(file, own)
    #expect(refresh(layout, one).isEmpty)
    #expect(try !text(file).contains("b.mp3"))
    _ = refresh(layout, [])
    #expect(!folder.contains(file))
  }

  @Test(arguments: [false, true])
  func `a folder that is left goes with podget's files, but not with an edited one`(
    isEdited: Bool
  ) throws {
    #expect(refresh(.jellyfin).isEmpty)
    if isEdited { try folder.write("Show/Show.m3u8", text("Show/Show.m3u8") + "mine.mp3\n") }
    var mover = FileMover(folders.library, folders.recorded)
    let failures = mover.perform(
      try ["a", "b"].map { key in
        FileMove(
          key: EpisodeKey(named: key), from: try #require(RelativePath("Show/\(key).mp3")),
          to: try #require(RelativePath("Talk/\(key).mp3")))
      })
    #expect(failures.isEmpty)
    #expect(folder.contains("Talk/a.mp3") && folder.contains("Show") == isEdited)
    if isEdited { #expect(try text("Show/Show.m3u8").hasSuffix("mine.mp3\n")) }
  }

  @Test func `several podgets write the same files, and each is whole`() {
    let (all, library) = (folders.recorded, folders.library)
    let podcasts = LibraryPodcasts(all.map(\.podcast), subscriptions: [])
    let messages = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      let sidecars = PodcastSidecars(of: .jellyfin, in: library)
      for round in 0..<10 {
        // Each writes another playlist than the one that is there.
        let episodes = (number + round) % 2 == 0 ? all : Array(all.prefix(1))
        let problems = sidecars.refresh(["Show"], of: episodes, podcasts)
        messages.withLock { $0 += problems.map(\.message) }
      }
    }
    #expect(messages.withLock { $0 }.isEmpty)
    #expect(
      folder.files.filter { $0.hasPrefix("Show/") } == [
        "Show/.podget.ndjson", "Show/Show.m3u8", "Show/a.mp3", "Show/album.nfo", "Show/b.mp3",
      ])
  }

  @Test func `what a killed podget left is removed with the next change`() throws {
    try folder.write("Show/.podget-copy-0123456789abcdef.part", "half")
    #expect(refresh(.plain).isEmpty)
    #expect(!folder.files.contains { $0.contains("podget-copy") })
  }

  @Test func `files of another layout go, unless somebody has edited them`() throws {
    #expect(refresh(.jellyfin).isEmpty)
    try folder.write("Show/album.nfo", text("Show/album.nfo") + "<!-- mine -->\n")
    #expect(refresh(.audiobookshelf).isEmpty)
    #expect(folder.contains("Show/metadata.json") && !folder.contains("Show/Show.m3u8"))
    #expect(try text("Show/album.nfo").hasSuffix("<!-- mine -->\n"))
  }

  @Test func `a renamed folder has one playlist, and other playlists stay`() throws {
    #expect(refresh(.plain).isEmpty)
    let own = try text("Show/Show.m3u8")
    try folder.write("Show/best.m3u8", own)
    try folder.write("Show/mine.m3u8", "#EXTM3U\na.mp3\n")
    try FileManager.default.moveItem(atPath: folder.path("Show"), toPath: folder.path("Talk"))
    #expect(refresh(.plain).isEmpty)
    #expect(
      folder.files.filter { $0.hasSuffix(".m3u8") } == [
        "Talk/Talk.m3u8", "Talk/best.m3u8", "Talk/mine.m3u8",
      ])
    #expect(try text("Talk/best.m3u8") == own)
  }

  @Test func `two folders that Unicode spells alike have a playlist each`() throws {
    let names = ["Caf\u{E9}", "Cafe\u{301}"]
    for (name, key) in zip(names, ["c", "d"]) {
      try #require(mkdir(folder.path(name), 0o755) == 0)
      try folders.add(key, to: name, isThere: false)
      try #require(
        FileManager.default.createFile(
          atPath: folder.path("\(name)/\(key).mp3"), contents: Data(repeating: 1, count: 5)))
    }
    #expect(refresh(.plain).isEmpty)
    for (name, key) in zip(names, ["c", "d"]) {
      let file = try OpenFile.folder(name, in: folders.library.root, creating: false)
      let playlist = try OpenFile.ownContents("\(name).m3u8", in: file, limit: 1 << 20)
      #expect(String(decoding: playlist, as: UTF8.self).hasSuffix(",Title \(key)\n\(key).mp3\n"))
      #expect(file.entries().count { $0.hasSuffix(".m3u8") } == 1)
    }
  }

  @Test func `a name that begins with a mark is whole in the playlist`() throws {
    let podcast = Podcast(id: 7, title: "Show")
    let local = LocalEpisode(
      plan: DownloadPlan(
        key: "c", podcast: podcast,
        episode: Episode(title: "C", enclosure: Enclosure(url: "https://a.example/c.mp3")),
        folder: "Show", stem: "\u{301}c", announcedExtension: "mp3"),
      file: LocalEpisode.File(status: .complete, bytes: 1))
    #expect(refresh(.plain, [local]).isEmpty)
    let bytes = try folder.read("Show/Show.m3u8")
    #expect(bytes.suffix(9).elementsEqual("\n\u{301}c.mp3\n".utf8))
    let plan = PublicationPlan([], of: [local], LibraryPodcasts([podcast], subscriptions: []))
    #expect(plan.topFolders == ["Show"])
  }
}
