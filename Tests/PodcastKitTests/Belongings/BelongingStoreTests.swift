import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Storing files beside episodes") struct BelongingStoreTests {
  private let folders: LibraryFolders
  private let store: BelongingStore
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let offer = PlannedBelonging(.transcript, url: "https://a.example/1.vtt")

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
    store = BelongingStore(folders.library)
  }

  private func path(_ key: String, _ ending: String = "mp3") throws -> RelativePath {
    try #require(RelativePath("P/\(key).\(ending)"))
  }

  private func put(_ key: String, _ kind: Belonging, _ text: String, _ ending: String) throws
    -> String?
  {
    try store.store(
      [.init(kind, bytes: Array(text.utf8), ending: ending)], of: EpisodeKey(named: key),
      at: path(key))[kind]
  }

  private func needed(
    _ offers: [PlannedBelonging]?, isAsked: Bool = false, after seconds: Double = 0
  )
    throws -> [PlannedBelonging]
  {
    try store.needed(
      offers, .all, of: EpisodeKey(named: "a"), at: path("a"), isAsked: isAsked, now: now + seconds)
  }

  @Test("what is stored is recorded, and not wanted any more") func stored() throws {
    #expect(try needed([offer]) == [offer])
    #expect(folders.recorded.map(\.isWanting) == [true])
    #expect(try put("a", .transcript, "WEBVTT", ".vtt") == "P/a.vtt")
    #expect(folders.others("a") == ["P/a.vtt"] && folders.recorded.map(\.isWanting) == [false])
    #expect(folders.indexed == folders.recorded)
    #expect(try needed([offer]).isEmpty)
    #expect(folders.visible == ["P/a.mp3", "P/a.vtt"])
    #expect(!folders.folder.files.contains { $0.contains("podget-copy") })
  }

  @Test("what does not come is wanted again after an hour, a day and a week, five times")
  func tries() throws {
    let hour = 3_600.0
    let failed: Set<Belonging> = [.transcript]
    func fail(isGone: Bool = false) throws {
      _ = try store.store(
        [], gone: isGone ? failed : [], failed: failed, of: EpisodeKey(named: "a"), at: path("a"))
    }
    var time = 0.0
    for (number, wait) in [0, hour, 24 * hour, 7 * 24 * hour, 7 * 24 * hour].enumerated() {
      if number > 0 { #expect(try needed(nil, after: time + wait - 1).isEmpty) }
      time += wait
      #expect(try needed(number == 0 ? [offer] : nil, after: time) == [offer], "try \(number)")
      try fail()
    }
    #expect(folders.recorded.map(\.isWanting) == [false])
    // It stays given up, unless a person asks for it or the feed has another address.
    let year = 365 * 24 * hour
    #expect(try needed([offer], after: time + year).isEmpty)
    #expect(try needed(nil, after: time + year).isEmpty)
    #expect(try needed([offer], isAsked: true, after: time + year) == [offer])
    try fail()
    #expect(try needed([offer], after: time + 2 * year).isEmpty)
    let other = PlannedBelonging(.transcript, url: "https://a.example/2.vtt")
    time += 3 * year
    #expect(try needed([other], after: time) == [other])
    try fail(isGone: true)
    #expect(folders.recorded.map(\.isWanting) == [true])
    #expect(try needed(nil, after: time + hour) == [other])
    try fail(isGone: true)
    #expect(folders.recorded.map(\.isWanting) == [false])
    for days in 1...30 {
      #expect(try needed([other], after: time + Double(days) * 24 * hour).isEmpty)
    }
  }

  @Test("what the feed has itself is written before its episode is recorded, also beside a twin")
  func texts() throws {
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    var names = OwnedNames()
    func write(
      _ key: String, as name: EntryName, mayBeThere: Bool = false
    ) throws -> [EpisodeFile] {
      var plan = DownloadPlan(
        key: EpisodeKey(named: key).text, podcast: Podcast(title: "P"),
        episode: Episode(title: key, enclosure: Enclosure(url: "https://a.example/\(key)")),
        folder: "P", stem: "n", announcedExtension: "mp3")
      plan.belongings = [
        offer, try #require(PlannedBelonging(.notes, text: "words")),
        try #require(PlannedBelonging(.chapters, text: "[]")),
      ]
      return store.writeTexts(
        of: plan, beside: name, in: there, &names, mayBeThere: mayBeThere)
    }
    #expect(try write("x", as: "n.mp3").map(\.path.text) == ["n.md", "n.chapters.json"])
    let suffix = " [\(EpisodeKey(named: "y").text.prefix(6))]"
    #expect(
      try write("y", as: "n.m4a").map(\.path.text) == ["n\(suffix).md", "n\(suffix).chapters.json"])
    // A killed podget has written them.
    names = OwnedNames()
    #expect(
      try write("x", as: "n.mp3", mayBeThere: true).map(\.path.text) == [
        "n.md", "n.chapters.json",
      ])
    #expect(try folders.text("P/n.md") == "words")
    // Nobody has: a person may have.
    let own = " [\(EpisodeKey(named: "x").text.prefix(6))]"
    #expect(
      try write("x", as: "n.mp3").map(\.path.text) == ["n\(own).md", "n\(own).chapters.json"])
  }

  @Test("what stays behind of an episode whose file was deleted is not put into the trash alone")
  func withoutFile() throws {
    _ = try put("a", .transcript, "WEBVTT", ".vtt")
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.mp3"))
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: now + 86_400, now: now)
    #expect(remover.remove(folders.recorded) == [.removed])
    #expect(folders.visible == ["P/a.vtt"] && folders.library.trashedFiles.isEmpty)
    #expect(
      folders.library.inventory(of: folders.library.reading()).untracked.map(\.path) == ["P/a.vtt"])
  }

  @Test("what a person deleted is needed only if somebody asks for it") func deleted() throws {
    _ = try put("a", .transcript, "WEBVTT", ".vtt")
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.vtt"))
    #expect(try needed([offer]).isEmpty)
    #expect(try needed([offer], isAsked: true) == [offer])
    #expect(try put("a", .transcript, "WEBVTT again", ".vtt") == "P/a.vtt")
    #expect(folders.others("a") == ["P/a.vtt"])
  }

  @Test("a foreign file keeps its name, and what a killed podget wrote is taken over")
  func names() throws {
    try folders.folder.write("P/a.vtt", "mine")
    let suffix = EpisodeKey(named: "a").text.prefix(6)
    #expect(try put("a", .transcript, "WEBVTT", ".vtt") == "P/a [\(suffix)].vtt")
    #expect(try folders.text("P/a.vtt") == "mine")
    // With the same bytes, it is the word of an earlier try that tells them apart.
    let notes = try #require(PlannedBelonging(.notes, text: "notes"))
    let chapters = try #require(PlannedBelonging(.chapters, text: "[]"))
    try folders.folder.write("P/a.md", "notes")
    #expect(try needed([notes]) == [notes])
    #expect(try put("a", .notes, "notes", ".md") == "P/a [\(suffix)].md")
    #expect(try needed([chapters]) == [chapters])
    try folders.folder.write("P/a.chapters.json", "[]")
    #expect(try needed([chapters], after: 60) == [chapters])
    #expect(try put("a", .chapters, "[]", ".chapters.json") == "P/a.chapters.json")
    #expect(!folders.visible.contains("P/a [\(suffix)].chapters.json"))
  }

  @Test(
    "two episodes with one stem and one image have a file each, also if one file was deleted",
    arguments: [true, false])
  func twins(isDeleted: Bool) throws {
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    try folders.add("b", to: "P")
    let entry = try #require(
      FolderContents(try FolderRecords.read(in: there)).entry(EpisodeKey(named: "b")))
    try FileManager.default.moveItem(
      atPath: folders.folder.path("P/b.mp3"), toPath: folders.folder.path("P/a.m4a"))
    try FolderRecords.append(entry.arrival(as: "a.m4a", after: entry), in: there)
    _ = folders.library.episodes()
    #expect(try put("a", .artwork, "image", ".jpg") == "P/a.jpg")
    if isDeleted { try FileManager.default.removeItem(atPath: folders.folder.path("P/a.jpg")) }
    let stored = try store.store(
      [.init(.artwork, bytes: Array("image".utf8), ending: ".jpg")], of: EpisodeKey(named: "b"),
      at: path("a", "m4a"))
    #expect(stored[.artwork] == "P/a [\(EpisodeKey(named: "b").text.prefix(6))].jpg")
  }

  @Test("nothing is stored beside an episode that was removed meanwhile") func removed() throws {
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: now + 86_400, now: now)
    _ = remover.remove(folders.recorded)
    #expect(try put("a", .transcript, "WEBVTT", ".vtt") == nil)
    #expect(folders.visible.isEmpty)
  }

  @Test("adoption takes along what is beside a file, and widens no mode", arguments: [true, false])
  func adopted(isInPlace: Bool) throws {
    let place = isInPlace ? "P" : "Old"
    try folders.folder.write("\(place)/a.srt", "1\n00:00 --> 00:01\nWords")
    try folders.folder.write("\(place)/a.info.json", "{}")
    chmod(folders.folder.path("\(place)/a.srt"), 0o600)
    let found = FoundFile(
      path: folders.folder.path("\(place)/a.mp3"), bytes: 5, fileExtension: "mp3")
    AdoptedBelongings(folders.library).take(
      beside: found, of: EpisodeKey(named: "a"), at: "P/a.mp3", isInPlace: isInPlace, isMoving: true
    )
    #expect(folders.others("a") == ["P/a.srt"])
    #expect(folders.folder.contains("\(place)/a.info.json"))
    #expect(isInPlace || !folders.folder.contains("Old/a.srt"))
    var status = stat()
    #expect(stat(folders.folder.path("P/a.srt"), &status) == 0 && status.st_mode & 0o777 == 0o600)
  }
}
