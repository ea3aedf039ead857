import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Lines of a folder's record, old and new") struct FolderFactTests {
  private func fact(_ line: String) throws -> FolderFact {
    try JSONDecoder().decode(FolderFact.self, from: Data(line.utf8))
  }

  private func line(_ fact: FolderFact) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(fact), as: UTF8.self)
  }

  private static let key = EpisodeKey(named: "a").text
  private static let episode = #""episode":{"title":"T","url":"https://a.example/1.mp3"}"#
  private static let podcast = #""podcast":{"id":1,"title":"P"}"#
  private static let sum = String(repeating: "ab", count: 32)

  @Test("a line of the first version means the same in the second one") func firstVersion() throws {
    let old = try fact(
      #"{"fact":"finished","version":1,"key":"\#(Self.key)",\#(Self.podcast),\#(Self.episode),"#
        + #""file":"T.mp3","bytes":9,"sha256":"\#(Self.sum)","#
        + #""downloadedAt":"2024-03-01T10:00:00Z"}"#)
    #expect(old.file?.text == "T.mp3" && old.bytes == 9 && old.sha256 == Self.sum)
    #expect(old.receivedSHA256 == nil && old.otherFiles.isEmpty)
    var new = try fact(try line(old))
    #expect(new.version == 2)
    new.version = 1
    #expect(new == old)
    let entry = try #require(FolderContents([old]).entries.first)
    #expect(entry == FolderContents([new]).entries.first)
  }

  @Test("a line names all files of an episode, and what was received") func secondVersion() throws {
    let text =
      #"{"episode":{"title":"T","url":"https://a.example/1.mp3"},"fact":"finished","files":["#
      + #"{"bytes":12,"path":"T.mp3","role":"media","sha256":"\#(Self.sum)"},"#
      + #"{"path":"T.jpg","role":"artwork"},"#
      + #"{"bytes":3,"path":"T.dream","role":"something new"}],"#
      + #""key":"\#(Self.key)","podcast":{"id":1,"title":"P"},"receivedSha256":"cd","version":2}"#
    let fact = try fact(text)
    #expect(fact.file?.text == "T.mp3" && fact.bytes == 12 && fact.sha256 == Self.sum)
    #expect(fact.receivedSHA256 == "cd")
    #expect(fact.otherFiles.map(\.role) == ["artwork", "something new"])
    #expect(try line(fact) == text)
    // A file that gets another name, or a star, takes the rest of the line along.
    let entry = try #require(FolderContents([fact]).entries.first)
    let renamed = FolderContents(entry.arrival(as: "New.mp3")).entries.first
    #expect(renamed?.file?.text == "New.mp3")
    #expect(renamed?.receivedSHA256 == "cd" && renamed?.otherFiles == fact.otherFiles)
    let starred = FolderContents([fact, FolderFact(.starred, entry, at: Date())]).entries.first
    #expect(starred?.otherFiles == fact.otherFiles && starred?.isStarred == true)
  }

  @Test(
    "a member that is nested too deep to be written again is left out, and its line stays",
    arguments: [(100, true), (500, false), (511, false)])
  func deep(levels: Int, isKept: Bool) throws {
    let value =
      String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
    let fact = try fact(
      #"{"fact":"starred","version":3,"key":"\#(Self.key)",\#(Self.podcast),\#(Self.episode),"#
        + #""written":"2026-01-01T00:00:00.000001Z","starred":true,"mood":\#(value)}"#)
    let entry = try #require(FolderContents([fact]).entries.first)
    #expect(entry.isStarred && (entry.parts.others["mood"] != nil) == isKept)
    #expect((fact.version > FolderFact.currentVersion) != isKept)
    let line = try RecordEncoder.data(FolderFact(.unstarred, entry, at: Date()), for: "test")
    #expect(try JSONDecoder().decode(FolderFact.self, from: line).state?.star.value == false)
  }

  @Test(
    "files that lead out of the folder or have no length are refused",
    arguments: [
      #"{"role":"media","path":"../a.mp3"}"#, #"{"role":"artwork","path":"b/a.jpg"}"#,
      #"{"role":"artwork","path":".podget.ndjson"}"#, #"{"role":"media","path":"a","bytes":-1}"#,
    ])
  func hostile(file: String) throws {
    #expect(throws: RecordProblem.self) {
      try fact(
        #"{"fact":"finished","version":2,"key":"\#(Self.key)",\#(Self.podcast),"#
          + #"\#(Self.episode),"files":[\#(file)]}"#)
    }
  }
}
