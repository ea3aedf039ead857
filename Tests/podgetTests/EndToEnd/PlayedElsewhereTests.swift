import Foundation
import TestSupport
import Testing

/// Episodes that are marked as played while only their feed has them.
@Suite(.serialized) struct PlayedElsewhereTests {
  let host: FeedHost
  let folder: TemporaryFolder

  init() async throws {
    host = try FeedHost(["/feed.xml": FeedHost.Feed((1...7).reversed().map { FeedHost.Item($0) })])
    folder = try TemporaryFolder()
    try await run("subscribe", feed, "--name", "radio", "--latest", "1", "--max-new", "1")
    try await run("sync")
    host["/feed.xml"] = FeedHost.Feed((1...9).reversed().map { FeedHost.Item($0) })
    // Number 8 and 9 wait.
    try await run("sync")
  }

  private var feed: String { "\(host.origin)/feed.xml" }

  private var environment: [String: String] {
    [
      "PODGET_ITUNES_URL": host.origin, "PODGET_LIBRARY": folder.path("library"),
      "PODGET_RETRY_DELAY": "0", "HOME": folder.path, "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
    ]
  }

  @discardableResult private func run(
    _ arguments: String..., expecting status: Int32 = 0
  ) async throws -> RunningProcess.Result {
    let done = try await RunningProcess(
      .podget, arguments, environment: environment, folder: folder.path
    ).waitForExit()
    #expect(done.status == .exited(status), "\(arguments): \(done.error)")
    return done
  }

  /// The titles that a command lists.
  private func titles(_ arguments: String...) async throws -> [String] {
    let done = try await RunningProcess(
      .podget, arguments + ["--json"], environment: environment, folder: folder.path
    ).waitForExit()
    let list = try JSONSerialization.jsonObject(with: Data(done.output.utf8)) as? [[String: Any]]
    return (list ?? []).compactMap { element in
      (element["episode"] as? [String: Any])?["title"] as? String
    }.sorted()
  }

  @Test func `it is no longer new, and nothing downloads it by itself`() async throws {
    #expect(try await titles("new") == ["Number 7", "Number 8", "Number 9"])
    let marked = try await run("mark", "--played", "Number 9")
    #expect(marked.output.contains("Number 9"))
    #expect(try await titles("new") == ["Number 7", "Number 8"])
    #expect(try await titles("list") == ["Number 7"])
    #expect(try await titles("list", "--removed") == ["Number 9"])
    // Also when the index is made again from the records.
    try FileManager.default.removeItem(atPath: folder.path("library/.podget/library.sqlite"))
    #expect(try await titles("new") == ["Number 7", "Number 8"])
    try await run("sync", "--accept", "radio")
    try await run("resume")
    #expect(!host.mediaRequests.contains(9) && host.mediaRequests.contains(8))
    #expect(try await titles("new") == ["Number 7", "Number 8"])
    let pruned = try await run("prune", "--played")
    #expect(!pruned.output.contains("Number 9"))
    try await run("verify")
    // It is not in the trash.
    let restored = try await run("restore", "Number 9", expecting: 1)
    #expect(restored.error.contains("podget download --episode"))
    #expect(try await run("restore", "--last", expecting: 1).error.contains("no removed episode"))
    #expect(try await titles("list", "--unplayed") == ["Number 7", "Number 8"])
  }

  @Test func `who names it gets it`() async throws {
    try await run("mark", "--played", "Number 9", "Number 8")
    #expect(try await titles("new") == ["Number 7"])
    let skipped = try await run("download", "radio", "--latest", "1")
    #expect(!host.mediaRequests.contains(9), "\(skipped.output)")
    try await run("download", "radio", "--episode", try #require(FeedHost.Item(9).guid))
    #expect(host.mediaRequests.contains(9))
    #expect(try await titles("list") == ["Number 7", "Number 9"])
    // It was played all the same, and is removed and restored as any other.
    #expect(try await titles("new") == ["Number 7"])
    try await run("mark", "--unplayed", "Number 9")
    #expect(try await titles("new") == ["Number 7", "Number 9"])
    try await run("remove", "Number 9")
    try await run("mark", "--played", "Number 9")
    try await run("mark", "--unplayed", "Number 9")
    #expect(try await titles("new") == ["Number 7"])
    try await run("restore", "--last")
    #expect(try await titles("new") == ["Number 7", "Number 9"])
  }

  @Test func `marking it as unplayed forgets that`() async throws {
    try await run("mark", "--played", "Number 9")
    try await run("mark", "--unplayed", "Number 9")
    #expect(try await titles("new") == ["Number 7", "Number 8", "Number 9"])
    #expect(try await titles("list", "--removed").isEmpty)
    try FileManager.default.removeItem(atPath: folder.path("library/.podget/library.sqlite"))
    #expect(try await titles("new") == ["Number 7", "Number 8", "Number 9"])
    #expect(try await titles("list") == ["Number 7"])
    try await run("verify")
    // And once more.
    try await run("mark", "--played", "Number 9")
    #expect(try await titles("new") == ["Number 7", "Number 8"])
    try await run("mark", "--unplayed", "Number 9")
    try await run("sync", "--accept", "radio")
    #expect(host.mediaRequests.contains(9))
  }

  @Test func `a position in between does not keep it from that`() async throws {
    try await run("mark", "--played", "Number 9")
    try await run("mark", "--position", "10", "Number 9")
    try await run("mark", "--position", "0", "Number 9")
    try await run("mark", "--unplayed", "Number 9")
    #expect(try await titles("new") == ["Number 7", "Number 8", "Number 9"])
  }

  @Test func `a removed episode with that name is not meant`() async throws {
    try await run("remove", "Number 7")
    let several = try await run("mark", "--played", "Number", expecting: 1)
    #expect(several.error.contains("matches 2 episodes"))
    #expect(try await titles("new") == ["Number 8", "Number 9"])
  }

  @Test func `a disk of another podcast that is not there does not keep it from that`() async throws
  {
    host["/other.xml"] = FeedHost.Feed(title: "Other", [FeedHost.Item(21)])
    let other = "\(host.origin)/other.xml"
    try await run("subscribe", other, "--name", "other", "--latest", "1", "--max-new", "1")
    try await run("sync")
    host["/other.xml"] = FeedHost.Feed(
      title: "Other", (21...23).reversed().map { FeedHost.Item($0) })
    try await run("sync")
    let home = folder.path("library/Other")
    for name in try FileManager.default.contentsOfDirectory(atPath: home) {
      try FileManager.default.removeItem(atPath: "\(home)/\(name)")
    }
    // It is said, as by each reading of the library.
    let marked = try await run("mark", "--played", "Number 9", expecting: 1)
    #expect(marked.output.contains("Number 9") && marked.error.contains("Other is empty"))
    #expect(try await titles("list", "--removed") == ["Number 9"])
    let refused = try await run("mark", "--played", "Number 23", expecting: 1)
    #expect(refused.error.contains("Other"))
  }

  @Test func `who removes it means that`() async throws {
    try await run("mark", "--played", "Number 9")
    try await run("remove", "Number 9")
    try await run("mark", "--unplayed", "Number 9")
    #expect(try await titles("new") == ["Number 7", "Number 8"])
    #expect(try await titles("list", "--removed") == ["Number 9"])
  }

  @Test func `a name that nothing has changes nothing`() async throws {
    let wrong = try await run("mark", "--played", "Number 9", "none such", expecting: 1)
    #expect(wrong.error.contains("none such"))
    // The library's own comes first, and a part of several titles is refused.
    #expect(try await run("mark", "--played", "Number", expecting: 0).output.contains("Number 7"))
    #expect(try await titles("new") == ["Number 8", "Number 9"])
    let unknown = try await run("mark", "--unplayed", "Number 9", expecting: 1)
    #expect(unknown.error.contains("no episode"))
  }

  @Test func `on the screen it is marked in New and in the list of its podcast`() async throws {
    let process = try PseudoTerminalProcess(
      .podget, ["browse", "--images", "none"], environment: environment, folder: folder.path)
    try await process.waitForScreen("the podcast is there") { $0.lines[3].contains("The Feed") }
    process.type("\t\t")
    try await process.waitForScreen("what is new") { $0.lines[1].hasSuffix(" 3 episodes") }
    process.type("m")
    try await process.waitForScreen("it is no longer new") { screen in
      screen.lines[1].hasSuffix(" 2 episodes") && !screen.text.contains("Number 9")
    }
    process.type("u")
    try await process.waitForScreen("it is new again") { $0.lines[1].hasSuffix(" 3 episodes") }
    process.type("\t\t\r")
    // New has it in this row too.
    try await process.waitForScreen("the episodes") { screen in
      screen.lines[1].hasPrefix(" The Feed") && screen.lines[4].contains("Number 8")
    }
    process.type("jm")
    try await process.waitForScreen("it is marked") { $0.lines[4].hasSuffix("played") }
    process.type("r")
    try await process.waitForScreen("it stays so") { screen in
      screen.lines[4].hasSuffix("played") && screen.lines[1].hasSuffix(" 9 episodes")
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    #expect(try await titles("new") == ["Number 7", "Number 9"])
    #expect(!host.mediaRequests.contains(8))
  }
}
