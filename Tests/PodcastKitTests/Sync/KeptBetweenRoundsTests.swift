import Foundation
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// What a run of rounds keeps in memory: it is read again when the file has changed.
@Suite("What is kept between rounds") struct KeptBetweenRoundsTests {
  private let harness: SyncHarness
  private let memory = FeedStateMemory()

  init() throws { harness = try SyncHarness() }

  private func states() throws -> [String: Int] {
    try FeedStateLog.states(of: harness.library, keptIn: memory).mapValues(\.failures)
  }

  private func append(_ feed: String, failures: Int) throws {
    var state = FeedState()
    state.failures = failures
    try FeedStateLog(harness.library).append([FeedLine(feed, state)])
  }

  @Test func `states are read on, and again when the file is another one`() throws {
    #expect(try states().isEmpty)
    try append("a", failures: 1)
    #expect(try states() == ["a": 1])
    try append("b", failures: 2)
    try append("a", failures: 3)
    #expect(try states() == ["a": 3, "b": 2])
    #expect(try states() == ["a": 3, "b": 2])
    let path = harness.folder.path("library/.podget/feeds.ndjson")
    // A line that another process is writing.
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(#"{"feed":"c","#.utf8))
    #expect(try states() == ["a": 3, "b": 2])
    try file.write(contentsOf: Data(#""state":{"failures":4}}"#.utf8 + [0x0A]))
    #expect(try states() == ["a": 3, "b": 2, "c": 4])
    try FileManager.default.removeItem(atPath: path)
    #expect(try states().isEmpty)
    for number in 0..<9 { try append("d\(number)", failures: number) }
    #expect(try states().count == 9)
  }

  @Test func `a file that is cut is read again`() throws {
    for number in 0..<5 { try append("a", failures: number) }
    #expect(try states() == ["a": 4])
    let path = harness.folder.path("library/.podget/feeds.ndjson")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(lines[0].utf8.count + lines[1].utf8.count + 2))
    #expect(try states() == ["a": 1])
  }

  @Test func `a file that is overwritten in place is read again`() throws {
    for feed in ["a", "b"] { try append(feed, failures: 1) }
    #expect(try states() == ["a": 1, "b": 1])
    let path = harness.folder.path("library/.podget/feeds.ndjson")
    func overwrite(_ old: String, _ new: String) throws {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains(old))
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.write(contentsOf: Data(text.replacing(old, with: new).utf8))
    }
    // The same size.
    try overwrite(#""feed":"b""#, #""feed":"c""#)
    #expect(try states() == ["a": 1, "c": 1])
    // A longer one.
    try overwrite(#""feed":"c""#, #""feed":"long""#)
    #expect(try states() == ["a": 1, "long": 1])
    try append("d", failures: 2)
    #expect(try states() == ["a": 1, "long": 1, "d": 2])
  }

  @Test func `the list of subscriptions is read again when it has changed`() throws {
    try harness.follow("a", "/a")
    let list = SubscriptionMemory()
    func names() throws -> [String] {
      try harness.file.readTrusted(keptIn: list).list.subscriptions.map(\.name)
    }
    let path = harness.folder.path("library/.podget/subscriptions.opml")
    #expect(try names() == ["a"])
    try harness.follow("b", "/b")
    #expect(try names() == ["a", "b"])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // In place, with the same size and the same time.
    let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: Data(text.replacing(#":name="b""#, with: #":name="c""#).utf8))
    try FileManager.default.setAttributes([.modificationDate: before as Any], ofItemAtPath: path)
    #expect(try names() == ["a", "c"])
    try FileManager.default.removeItem(atPath: path)
    #expect(try names() == [])
  }
}
