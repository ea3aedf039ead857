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
}
