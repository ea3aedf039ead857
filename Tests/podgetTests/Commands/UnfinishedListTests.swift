import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What is planned or partial is seen, and means the same for `list`, `resume` and other commands.
@Suite("list and unfinished downloads") struct UnfinishedListTests {
  private let run: CommandRun

  init() throws {
    run = try CommandRun()
    try run.addFinished("Old", date: "2024-01-01T00:00:00Z", podcast: "News")
  }

  /// Writes the plan of a download as podget does, with the bytes that have arrived.
  private func plan(
    _ title: String, of podcast: String = "News", bytes: Int = 0, more: [String: Any] = [:]
  ) throws {
    let key = CommandRun.key(podcast, title)
    let record: [String: Any] = [
      "version": 1, "key": key, "podcast": ["title": podcast],
      "episode": [
        "title": title, "date": "2024-02-01T00:00:00Z", "url": "http://127.0.0.1:1/\(title)",
      ],
      "folder": podcast, "stem": title, "announcedExtension": "mp3",
    ]
    let data = try JSONSerialization.data(withJSONObject: record.merging(more) { $1 })
    try run.folder.write("library/.podget/partial/\(key).json", Array(data))
    if bytes > 0 {
      try run.folder.write(
        "library/.podget/partial/\(key).part", [UInt8](repeating: 1, count: bytes))
    }
  }

  /// The title and the status of each episode that `list --json` writes.
  private func statuses(_ options: String...) async throws -> [String] {
    let result = try await run.podget(["list", "--json"] + options)
    #expect(result.status == .exited(0))
    return zip(try result.values("episode", "title"), try result.values("status"))
      .map { "\($0) \($1)" }
  }

  @Test func `they are the last group, whatever the groups are`() async throws {
    try plan("Begun", bytes: 2048)
    try plan("Planned")
    let table = try await run.podget(["list"])
    #expect(
      table.output == """
        Status    Date        Title    Duration     Size
        complete  2024-01-01  Old          1:30   1000 B

        Unfinished: 2 episodes, 2.0 KiB, 1 partial, 1 planned
        partial   2024-02-01  Begun              2.0 KiB
        planned   2024-02-01  Planned

        3 episodes, 3.0 KiB, 1 partial, 1 planned

        """)
    for group in ["podcast", "day", "year"] {
      let output = try await run.podget(["list", "--group-by", group, "--reverse"]).output
      #expect(output.contains("\n\nUnfinished: 2 episodes"))
      #expect(
        try #require(output.range(of: "Old")).lowerBound
          < #require(output.range(of: "Unfinished")).lowerBound)
    }
    let json = try await run.podget(["list", "--json", "--latest", "2", "news"])
    #expect(try json.values("path") == ["News/Begun.mp3", "News/Planned.mp3"])
    #expect(try json.values("bytes") == ["2048", "0"])
    #expect(try json.values("total") == ["null", "null"])
  }

  @Test func `a library with nothing but plans is not empty`() async throws {
    try FileManager.default.removeItem(atPath: run.folder.path("library/News"))
    try plan("Planned")
    let table = try await run.podget(["list"])
    #expect(table.output.contains("planned  2024-02-01  Planned") && table.error == "")
    #expect(!table.output.contains("Unfinished"))
  }

  @Test func `filters for partial and missing ones`() async throws {
    try plan("Begun", bytes: 10)
    try plan("Planned")
    try run.addFinished(
      "Gone", date: "2024-01-02T00:00:00Z", podcast: "News", isMissing: true)
    #expect(try await statuses("--partial") == ["Begun partial", "Planned planned"])
    #expect(try await statuses("--missing") == ["Gone missing"])
    #expect(
      try await statuses("--missing", "--partial")
        == ["Gone missing", "Begun partial", "Planned planned"])
    #expect(try await statuses("--missing", "--latest", "1") == ["Gone missing"])
    let wrong = try await run.podget(["list", "--removed", "--partial"])
    #expect(wrong.status == .exited(64) && wrong.error.contains("--partial exclude each other"))
  }

  @Test func `a file that is gone or was removed is planned if resume fetches it`() async throws {
    for title in ["Gone", "Asked", "Kept"] {
      try run.addFinished(
        title, date: "2024-01-02T00:00:00Z", podcast: "News", isMissing: title == "Gone")
    }
    #expect(try await run.podget(["remove", "Asked", "Kept"]).status == .exited(0))
    let record = String(
      decoding: try run.folder.read("library/News/.podget.ndjson"), as: UTF8.self)
    let line = try #require(record.split(separator: "\n").last { $0.contains("Asked") })
    let fact = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    try plan("Gone")
    // The user has named it after its removal; a killed `remove` has left the plan of the other.
    try plan("Asked", more: ["overridesRemoval": try #require(fact?["at"])])
    try plan("Kept")
    #expect(try await statuses("--partial") == ["Asked planned", "Gone planned"])
    #expect(try await statuses("--removed") == ["Kept removed"])
  }

  @Test func `a complete file that is downloaded again stays complete, with a note`() async throws {
    try plan("Old", bytes: 10, more: ["replaces": "News/Old.mp3"])
    #expect(try await statuses() == ["Old complete"])
    #expect(try await statuses("--partial") == [])
    let table = try await run.podget(["list"])
    #expect(
      table.error
        == "podget: 1 episode of these is being downloaded again; podget resume finishes that.\n")
  }

  @Test func `what failed for good is listed, and a note says how to try it again`() async throws {
    try plan("Refused", more: ["failure": "httpStatus", "failureStatus": 404])
    #expect(try await statuses("--partial") == ["Refused planned"])
    let table = try await run.podget(["list"])
    #expect(table.error.contains("1 episode failed for good; podget resume with the name"))
  }

  @Test func `a planned episode can be starred and removed, and show says planned`() async throws {
    try plan("Planned")
    #expect(try await run.podget(["star", "Planned"]).status == .exited(0))
    #expect(try await statuses("--starred") == ["Planned planned"])
    #expect(try await run.podget(["remove", "Planned", "--force"]).status == .exited(0))
    #expect(try await statuses("--partial") == [])
    #expect(try await statuses("--removed") == ["Planned removed"])
    #expect(!run.folder.files.contains { $0.contains("/partial/") })
  }

  @Test func `during a download and after a kill, list and resume name the same`() async throws {
    let episodes = (1...2).map {
      PodcastServer.Episode($0, "Number \($0)", size: 1 << 20) { _ in
        .cut(.stall, .afterBody(600_000))
      }
    }
    let listener = try Listener(PodcastServer(episodes))
    let process = try listener.start("download", listener.podcast, "--json", "--jobs", "1")
    try await waitUntil("it has begun", seen: { process.output }) {
      listener.partSizes.contains { $0 > 0 }
        && process.events.count { $0.name == "planned" } == 2
    }
    let during = try await listener.run("list", "--json")
    #expect(Set(try during.values("status")) == ["partial", "planned"])
    let shown = try await listener.run("show", listener.podcast, "--json")
    #expect(Set(try shown.values("status")) == ["partial", "planned"])
    process.signal(SIGKILL)
    _ = try await process.waitForExit()
    let after = try await listener.run("list", "--partial", "--json")
    let resumed = try await listener.run("resume", "--dry-run", "--json")
    let planned = Set(try resumed.events().compactMap(\.title))
    #expect(Set(try after.values("episode", "title")) == planned && planned.count == 2)
  }
}
