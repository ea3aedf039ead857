import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Names that are taken in a library") struct LibraryNamesTests {
  private let folders: LibraryFolders
  private let podcast = Podcast(id: 7, title: "P")

  init() throws { folders = try LibraryFolders() }

  private func episode(_ key: String) -> Episode {
    Episode(
      guid: "guid of \(key)", title: key, enclosure: Enclosure(url: "https://a.example/\(key).mp3"))
  }

  private func paths(
    _ names: LibraryNames, _ reading: LibraryReading, _ chosen: [String], among listed: [String],
    _ template: String = "{podcast}/{title}.{ext}"
  ) throws -> [String] {
    let listing = PodcastListing(podcast: podcast, episodes: listed.map(episode))
    return try names.plans(
      for: chosen.map(episode), of: EpisodeLookup(reading.episodes).identify(listing),
      template: FilenameTemplate(parsing: template)
    ).map { $0.path.replacing(/\[[0-9a-f]+\]/, with: "[…]") }
  }

  @Test("the reading is enough: no record is read again") func records() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    try folders.add("gone", to: "P", isThere: false)
    try folders.folder.write("P/mine.mp3", "")
    let reading = folders.library.reading()
    let record = folders.folder.path("P/\(FolderRecords.name)")
    try FileManager.default.removeItem(atPath: record)
    try FileManager.default.createDirectory(atPath: record, withIntermediateDirectories: false)
    let names = LibraryNames(folders.library, reading)
    #expect(try paths(names, reading, ["a"], among: ["a", "b"]) == ["P/a.mp3"])
    // podget's own names, other people's files and the names of this run are all taken.
    let other = Podcast(id: 8, title: "P")
    let listing = PodcastListing(
      podcast: other, episodes: ["A", "gone", "mine", "new"].map { episode($0) })
    let plans = try names.plans(
      for: listing.episodes, of: EpisodeLookup([]).identify(listing),
      template: FilenameTemplate(parsing: "{podcast}/{title}.{ext}"))
    #expect(
      plans.map { $0.path.replacing(/\[[0-9a-f]+\]/, with: "[…]") }
        == ["P/A […].mp3", "P/gone […].mp3", "P/mine […].mp3", "P/new.mp3"])
    #expect(try paths(names, reading, ["new"], among: ["new"]) == ["P/new […].mp3"])
  }

  @Test("if all chosen episodes are known, no folder is opened") func known() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    let reading = folders.library.reading()
    let names = LibraryNames(folders.library, reading)
    // A folder that may not be opened is an error if a new name is planned in it.
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path("P/link"), withDestinationPath: folders.folder.path)
    let template = "{podcast}/link/{title}.{ext}"
    #expect(
      try paths(names, reading, ["b", "a"], among: ["a", "b", "c"], template)
        == ["P/b.mp3", "P/a.mp3"])
    #expect(throws: PodgetError.self) {
      _ = try paths(names, reading, ["c"], among: ["a", "b", "c"], template)
    }
  }

  @Test("files move to names without conflicts with others and each other")
  func moves() throws {
    for key in ["a", "b", "c"] { try folders.add(key, to: "P") }
    try folders.add("gone", to: "Q", isThere: false)
    try folders.folder.write("Q/mine.ogg", "")
    func moves(_ template: String, keeping kept: String? = nil) throws -> [String] {
      let reading = folders.library.reading()
      return try folders.library.moves(
        to: FilenameTemplate(parsing: template),
        of: reading.episodes.filter { $0.status == .complete && $0.path != kept }, in: reading
      ).map { "\($0.from) \($0.to)".replacing(/\[[0-9a-f]+\]/, with: "[…]") }
    }
    #expect(
      try moves("Q/{title}.{ext}")
        == ["P/a.mp3 Q/Title a.mp3", "P/b.mp3 Q/Title b.mp3", "P/c.mp3 Q/Title c.mp3"])
    #expect(
      try moves("q/gone.{ext}")
        == ["P/a.mp3 Q/gone […].mp3", "P/b.mp3 Q/gone […].mp3", "P/c.mp3 Q/gone […].mp3"])
    #expect(try moves("Q/mine.{ext}").allSatisfy { $0.contains("[…]") })
    // A file that does not move keeps its name.
    #expect(
      try moves("P/a.{ext}", keeping: "P/a.mp3")
        == ["P/b.mp3 P/a […].mp3", "P/c.mp3 P/a […].mp3"])
  }
}
