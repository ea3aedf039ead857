import Foundation
import TestSupport
import Testing

/// Libraries of the version before, and of two machines that share one.
@Suite(.serialized) struct SharedRecordTests {
  private let run: CommandRun

  init() throws {
    run = try CommandRun()
    try FileManager.default.copyItem(
      at: Fixtures.root.appending(path: "Fixtures/Library-0.1.0"),
      to: URL(filePath: run.folder.path("library")))
  }

  private func list(_ arguments: String...) async throws -> [String] {
    let result = try await run.podget(["list", "--json"] + arguments)
    return try result.objects.compactMap { object in
      let episode = try #require(object["episode"] as? [String: Any])
      let title = try #require(episode["title"] as? String).prefix(3)
      let isStarred = object["starred"] as? Bool == true ? " starred" : ""
      return "\(title) \(object["status"] as? String ?? "")\(isStarred)"
    }.sorted()
  }

  private var record: String { "library/The Symbolic World/.podget.ndjson" }

  @Test func `a library of events opens, changes, and keeps its lines`() async throws {
    let before = String(decoding: try run.folder.read(record), as: UTF8.self)
    #expect(
      try await list() == [
        "271 complete", "273 complete", "274 complete starred", "275 complete starred",
      ])
    #expect(try await list("--removed") == ["272 removed"])
    for command in [
      ["restore", "272"], ["star", "272"], ["unstar", "275"], ["remove", "273", "--now"],
      ["rename", "--template", "{podcast}/{title}.{ext}"],
    ] {
      let result = try await run.podget(command)
      #expect(result.status == .exited(0), "\(command) \(result.error)")
    }
    #expect(
      try await list() == [
        "271 complete", "272 complete starred", "274 complete starred", "275 complete",
      ])
    #expect(try await list("--removed") == ["273 removed"])
    let verified = try await run.podget(["verify"])
    #expect(verified.status == .exited(0), "\(verified.output)")
    // The version before reads events, and each line names one.
    let after = String(decoding: try run.folder.read(record), as: UTF8.self)
    #expect(after.hasPrefix(before))
    for line in after.dropFirst(before.count).split(separator: "\n") {
      let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let fact = members?["fact"] as? String ?? ""
      #expect(["finished", "moved", "starred", "unstarred", "removed"].contains(fact))
      #expect(members?["written"] is String && members?["writer"] is String)
    }
  }

  @Test(arguments: [["prune", "--keep", "100"], ["unstar", "271"], ["restore", "271"]])
  func `a conflict copy of a record is merged, with a line that says so`(
    command: [String]
  ) async throws {
    // The other machine has the library of before, stars one episode and removes another one.
    let other = try CommandRun()
    try FileManager.default.copyItem(
      atPath: run.folder.path("library"), toPath: other.folder.path("library"))
    #expect(try await other.podget(["star", "273"]).status == .exited(0))
    #expect(try await other.podget(["remove", "275", "--force"]).status == .exited(0))
    #expect(try await run.podget(["unstar", "274"]).status == .exited(0))
    let copy = "library/The Symbolic World/.podget.sync-conflict-20261126-220000-ABCDEFG.ndjson"
    try run.folder.write(copy, try other.folder.read(record))
    try FileManager.default.removeItem(
      atPath: run.folder.path(
        "library/The Symbolic World/2023-02-16 - 275 - Michael Legaspi - Subjectivity and the "
          + "Psalms.mp3"))
    let merged = ["271 complete", "273 complete starred", "274 complete"]
    #expect(try await list() == merged)
    #expect(run.folder.contains(copy))
    let result = try await run.podget(command)
    #expect(result.status == .exited(0))
    #expect(result.error.contains("A conflict copy of "), "\(result.error)")
    #expect(!run.folder.contains(copy))
    #expect(try await list() == merged)
    #expect(try await list("--removed") == ["272 removed", "275 removed starred"])
  }
}
