import Foundation
import TestSupport
import Testing

/// All episodes of a podcast at once.
@Suite("--source and --all") struct WholePodcastTests {
  private let run: CommandRun

  init() throws {
    run = try CommandRun()
    for title in ["One", "Two"] { try run.addFinished(title, date: nil, podcast: "News") }
    try run.addFinished("Three", date: nil, podcast: "Other")
  }

  private func titles(_ arguments: String...) async throws -> [String] {
    let result = try await run.podget(arguments + ["--json"])
    #expect(result.status == .exited(0), "\(result.error)")
    return try result.values("episode", "title").sorted()
  }

  @Test func `star, remove and restore take a podcast whole`() async throws {
    #expect(try await titles("star", "--source", "news", "--all") == ["One", "Two"])
    #expect(try await titles("unstar", "--source", "News", "--all") == ["One", "Two"])
    #expect(try await titles("remove", "--source", "News", "--all") == ["One", "Two"])
    #expect(try await titles("list") == ["Three"])
    #expect(try await titles("restore", "--source", "News", "--all") == ["One", "Two"])
    #expect(try await titles("list") == ["One", "Three", "Two"])
  }

  @Test func `the title of a podcast is no episode, and the message says what to type`()
    async throws
  {
    let result = try await run.podget(["remove", "news"])
    #expect(result.status == .exited(1))
    #expect(
      result.error
        == "podget: \"news\" is a podcast and no episode; --source with its name and --all mean all "
        + "of its episodes.\n")
  }

  @Test(arguments: [[], ["One", "--all"], ["--all"], ["One", "--source", "News", "--all"]])
  func `all needs a source, and no episodes`(arguments: [String]) async throws {
    #expect(try await run.podget(["remove"] + arguments).status == .exited(64))
    #expect(try await titles("list").count == 3)
  }

  @Test func `restore of what is there does not depend on what else was removed`() async throws {
    #expect(try await run.podget(["restore", "One"]).status == .exited(0))
    #expect(try await run.podget(["remove", "Three"]).status == .exited(0))
    #expect(try await run.podget(["restore", "One"]).status == .exited(0))
    // A removed episode comes before one that is there.
    #expect(try await run.podget(["remove", "Two"]).status == .exited(0))
    #expect(try await titles("restore", "Three", "o") == ["Three", "Two"])
  }

  @Test func `restore takes what was removed last, and only what is in the trash`() async throws {
    #expect(try await run.podget(["restore", "--last"]).status == .exited(1))
    #expect(try await run.podget(["remove", "Three"]).status == .exited(0))
    try await nextSecond()
    #expect(try await titles("remove", "--source", "News", "--all") == ["One", "Two"])
    #expect(try await titles("restore", "--last") == ["One", "Two"])
    try await nextSecond()
    // What is deleted at once cannot come back.
    #expect(try await run.podget(["remove", "One", "--now"]).status == .exited(0))
    #expect(try await titles("restore", "--last") == ["Three"])
    #expect(try await titles("list") == ["Three", "Two"])
    for wrong in [["One"], ["--source", "News"], ["--source", "News", "--all"]] {
      #expect(try await run.podget(["restore", "--last"] + wrong).status == .exited(64))
    }
  }

  /// The records have whole seconds.
  private func nextSecond() async throws {
    let now = Int(Date().timeIntervalSince1970)
    try await waitUntil("the next second") { Int(Date().timeIntervalSince1970) > now }
  }
}
