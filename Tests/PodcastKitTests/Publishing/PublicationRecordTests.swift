import Foundation
import PodcastFeeds
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// What the record of a published folder says, and the names that podcasts keep there.
@Suite("The record of what is published") struct PublicationRecordTests {
  private static let key = String(repeating: "0f", count: 16)
  private static let digest = String(repeating: "a", count: 64)

  private static func record(_ lines: String...) throws -> PublicationRecord {
    let folder = try TemporaryFolder()
    let text = (["podget publish 1"] + lines).joined(separator: "\n")
    try folder.write(PublicationRecord.name, text + "\n")
    return try PublicationRecord(
      in: OpenFile.folder(folder.path, creating: false), at: folder.path)
  }

  private static func names(
    _ podcasts: [(String, [String])], _ earlier: [PublishedName: Set<String>] = [:]
  ) throws -> PublicationNames {
    PublicationNames(
      try podcasts.map { (try #require(PublishedName($0.0)), $0.1) }, earlier: earlier)
  }

  @Test func `a record reads back equal`() throws {
    var record = PublicationRecord()
    record.identities[try #require(PublishedName("talk"))] = [PublicationRecord.hash("feed x")]
    record.insert("index.html", FilePrint(text: Array("one".utf8)))
    record.insert("index.html", FilePrint(text: Array("two".utf8)))
    let print = try #require(FilePrint("7,-3,\(Self.digest),12.-5"))
    record.insert("talk/\(Self.key).mp3", print)
    let link = try #require(FilePrint("7,-3,-,12"))
    record.insert("talk/\(Self.key).ogg", link)
    record.insert("talk/\(Self.key).m4a", link)
    record.guids = ["talk/\(Self.key)": .key, "other/\(Self.key)": .own("a b\u{E9}%")]
    record.library = PublicationRecord.hash("/srv/library")
    let lines = String(decoding: record.bytes, as: UTF8.self).split(separator: "\n").map(
      String.init)
    let folder = try TemporaryFolder()
    try folder.write(PublicationRecord.name, record.bytes)
    #expect(lines.count == 10)
    let read = try PublicationRecord(
      in: OpenFile.folder(folder.path, creating: false), at: folder.path)
    #expect(read == record)
  }

  @Test(arguments: [
    "../feed.xml", "/etc/passwd", "a/b/feed.xml", "a/../index.html", "talk/photo.jpg",
    "talk/.podget.ndjson", "mine.html", "talk/notes.html", "talk/\(key)", "talk/\(key).php",
    "talk/\(key).mp3/", "Talk/feed.xml", "feed.xml", "talk/\(key).mp3.mp3", "talk//feed.xml", ".",
  ])
  func `a record names only what podget makes`(path: String) throws {
    #expect(try Self.record("file \(path) 1,1,-,-").files.isEmpty)
  }

  @Test func `lines that podget does not write are ignored`() throws {
    let record = try Self.record(
      "file index.html", "file index.html 1,-,-,-", "file index.html -1,1,-,-", "podcast ../x 1",
      "podcast talk xyz", "podcast talk", "other", "guid talk", "guid ../\(Self.key)",
      "guid talk/\(Self.key) %0Aa", "guid talk/\(Self.key) %FF", "guid talk/\(Self.key) a%20",
      "guid talk/\(Self.key) %00", "guid talk/feed.xml a", "guid Talk/\(Self.key) a",
      // A password in an address.
      "guid talk/\(Self.key) https://u:pw@h/",
      "file talk/\(Self.key).mp3 1,2,-,-")
    #expect(Array(record.files.keys) == ["talk/\(Self.key).mp3"])
    #expect(record.identities.allSatisfy { $0.value.isEmpty } && record.guids.isEmpty)
  }

  @Test func `a podcast keeps its name, and equal names are numbered`() throws {
    let first = try Self.names([("talk", ["feed a"]), ("talk", ["feed b"]), ("talk", ["id 3"])])
    #expect(first.names.map(\.text) == ["talk", "talk-2", "talk-3"])
    // The first one is gone, and the others have new titles; another one has the old title.
    let second = try Self.names(
      [("news", ["feed b", "id 7"]), ("talk", ["feed z"]), ("talk", ["id 3"])], first.identities)
    #expect(second.names.map(\.text) == ["talk-2", "talk-4", "talk-3"])
    // By now only the other identity is known.
    let third = try Self.names([("x", ["id 7"]), ("y", ["feed a"])], second.identities)
    #expect(third.names.map(\.text) == ["talk-2", "talk"])
    // Two that were one do not share a name.
    let fourth = try Self.names([("x", ["id 7"]), ("y", ["feed b"])], third.identities)
    #expect(fourth.names.map(\.text) == ["talk-2", "y"])
  }

  @Test func `two that are made one, and two again, have their own names`() throws {
    let first = try Self.names([("one", ["feed a"]), ("two", ["feed b"])])
    // Two is made a part of one, or one of two.
    for (whole, name) in [(["feed a", "feed b"], "one"), (["feed b", "feed a"], "two")] {
      let second = try Self.names([("x", whole)], first.identities)
      #expect(second.names.map(\.text) == [name])
      let third = try Self.names([("x", ["feed b"]), ("y", ["feed a"])], second.identities)
      #expect(third.names.map(\.text) == ["two", "one"] && third.identities == first.identities)
    }
  }

  @Test func `a long name has room for its number`() throws {
    let name = try #require(PublishedName(String(repeating: "a", count: 64)))
    #expect(PublishedName.isName(name.numbered(99_999).text.utf8))
  }
}
