import Foundation
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel

/// The downloads whose commands wait for the next run.
@Suite struct PendingCommandsTests {
  private let folder: TemporaryFolder
  private let pending: PendingCommands

  init() throws {
    folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    pending = PendingCommands(library)
  }

  private func download(_ path: String) throws -> FinishedDownload {
    let text = """
      {"path":"\(path)","title":"T","podcast":"P","date":"","id":"","bytes":1,"sha256":""}
      """
    return try JSONDecoder().decode(FinishedDownload.self, from: Data(text.utf8))
  }

  private func lines() throws -> Int {
    try folder.read("library/.podget/commands.ndjson").split(separator: 0x0A).count
  }

  @Test func `one is taken at a time, and the others stay in the file`() throws {
    for name in ["a", "b", "c"] { try folder.write("library/\(name).mp3", name) }
    try pending.add(["a.mp3", "gone.mp3", "b.mp3"].map(download))
    #expect(try pending.take(for: ["exec"])?.path == "a.mp3")
    #expect(try lines() == 2)
    try pending.add([download("c.mp3")])
    #expect(try pending.take(for: ["exec"])?.path == "b.mp3")
    #expect(try pending.take(for: ["exec"])?.path == "c.mp3")
    #expect(try pending.take(for: ["exec"]) == nil)
    #expect(try folder.read("library/.podget/commands.ndjson").isEmpty)
  }

  @Test func `lines that cannot be read hide no others`() throws {
    try folder.write("library/a.mp3", "a")
    try pending.add([download("a.mp3")])
    let good = try folder.read("library/.podget/commands.ndjson")
    for wrong in ["{\"path\":\"../x\"}\n", "{\n", "\0\n", "[1]\n\n"] {
      try folder.write("library/.podget/commands.ndjson", Array(wrong.utf8) + good)
      #expect(try pending.take(for: ["exec"])?.path == "a.mp3")
      #expect(try pending.take(for: ["exec"]) == nil)
    }
  }

  @Test func `one stays until a run has its command`() throws {
    for name in ["a", "b"] { try folder.write("library/\(name).mp3", name) }
    var first = try download("a.mp3")
    first.waitingCommands = ["exec"]
    var second = try download("b.mp3")
    second.endedCommands = ["after-download"]
    try pending.add([first, second])
    #expect(try pending.take(for: ["after-download"]) == nil)
    #expect(try lines() == 2)
    #expect(try pending.take(for: ["after-download", "exec"])?.path == "a.mp3")
    #expect(try pending.take(for: ["exec"])?.path == "b.mp3")
    #expect(try pending.take(for: ["exec"]) == nil)
    #expect(try folder.read("library/.podget/commands.ndjson").isEmpty)
  }
}
