import Foundation
import Glibc
import TestSupport
import Testing

/// `podget sync --watch`: its rounds, and what it reads again.
@Suite(.serialized) struct WatchTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let follower: Follower

  init() throws {
    var follower = try Follower([
      "/a": Feed(title: "A", [Item(1)]), "/b": Feed(title: "B", [Item(20)]),
    ])
    // The configuration names the library.
    follower.environment = ["PODGET_LIBRARY": ""]
    self.follower = follower
  }

  private var log: String {
    String(decoding: (try? follower.folder.read("log")) ?? [], as: UTF8.self)
  }

  /// Follows a feed in a library.
  private func follow(_ path: String, in library: String) async throws {
    var other = follower
    other.environment = ["PODGET_LIBRARY": follower.folder.path(library)]
    let result = try await other.follow(path, "--latest", "1")
    #expect(result.status == .exited(0), "\(result.error)")
  }

  /// Writes a configuration whose commands write their name and the library into a log.
  private func configure(library: String, commands name: String) throws {
    let script = try follower.folder.writeProgram(
      "hook",
      "#!/bin/sh\nprintf '%s %s\\n' \"$1\" \"$PODGET_LIBRARY\" >> \(follower.folder.path)/log\n")
    try follower.folder.write(
      ".config/podget/config.yaml",
      """
      library: \(follower.folder.path(library))
      after-download: \(script) \(name)
      after-sync: \(script) \(name)-sync

      """)
  }

  @Test func `SIGHUP takes other commands and another library`() async throws {
    let folder = follower.folder
    try configure(library: "library", commands: "first")
    try await follow("/a", in: "library")
    try await follow("/b", in: "other")
    let watching = try follower.start(["sync", "--watch", "--interval", "1", "--json"])
    try await waitUntil("the first commands", seen: { watching.error + log }) {
      log == "first \(follower.library)\nfirst-sync \(follower.library)\n"
    }
    try configure(library: "other", commands: "second")
    watching.signal(SIGHUP)
    let other = folder.path("other")
    try await waitUntil("the other library", seen: { watching.error + log }) {
      log.hasSuffix("second \(other)\nsecond-sync \(other)\n")
    }
    #expect(follower.host.mediaRequests == [1, 20])

    // A library that cannot be opened changes nothing but the commands.
    try folder.write("file", "")
    try configure(library: "file", commands: "third")
    watching.signal(SIGHUP)
    try await waitUntil("the complaint", seen: { watching.error }) {
      watching.error.contains(
        "podget: The library stays \(other): Cannot open the library \(folder.path("file")):")
    }
    follower.host["/b"].items.insert(Item(21), at: 0)
    try await waitUntil("the commands in the old library", seen: { watching.error + log }) {
      log.hasSuffix("third \(other)\nthird-sync \(other)\n")
    }
    watching.signal(SIGTERM)
    #expect(try await watching.waitForExit().status == .exited(143))
  }

  @Test func `a library that cannot have partial files changes nothing`() async throws {
    try configure(library: "library", commands: "first")
    try await follow("/a", in: "library")
    let watching = try follower.start(["sync", "--watch", "--interval", "1", "--json"])
    try await waitUntil("the first commands", seen: { watching.error + log }) {
      log.contains("first-sync")
    }
    let other = follower.folder.path("other")
    try FileManager.default.createDirectory(
      atPath: "\(other)/.podget", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(other)/.podget/partial", withDestinationPath: "/tmp")
    try configure(library: "other", commands: "second")
    watching.signal(SIGHUP)
    try await waitUntil("the complaint", seen: { watching.error }) {
      watching.error.contains(
        "podget: The library stays \(follower.library): The library \(other) cannot be used.")
    }
    follower.host["/a"].items.insert(Item(2), at: 0)
    try await waitUntil("the commands in the old library", seen: { watching.error + log }) {
      log.hasSuffix("second \(follower.library)\nsecond-sync \(follower.library)\n")
    }
    watching.signal(SIGTERM)
    #expect(try await watching.waitForExit().status == .exited(143))
  }

  @Test func `other settings give no more bytes to the day`() async throws {
    try configure(library: "library", commands: "first")
    try await follow("/a", in: "library")
    let watching = try follower.start([
      "sync", "--watch", "--interval", "1", "--json", "--max-bytes", "1K",
    ])
    try await waitUntil("the first episode", seen: { watching.error + log }) {
      log.contains("first-sync")
    }
    // With another number of jobs, the run begins again.
    try follower.folder.write(
      ".config/podget/config.yaml", "library: \(follower.library)\njobs: 7\n")
    follower.host["/a"].items.insert(Item(2), at: 0)
    watching.signal(SIGHUP)
    try await waitUntil("the second episode", seen: { watching.output + watching.error }) {
      watching.output.contains("maxBytes") || follower.episodes.count == 2
    }
    watching.signal(SIGTERM)
    #expect(try await watching.waitForExit().status == .exited(143))
    #expect(follower.episodes.count == 1)
  }

  @Test func `a configuration with a mistake changes nothing`() async throws {
    try configure(library: "library", commands: "first")
    try await follow("/a", in: "library")
    let watching = try follower.start(["sync", "--watch", "--interval", "1", "--json"])
    try await waitUntil("the first commands", seen: { watching.error + log }) {
      log.contains("first-sync")
    }
    try follower.folder.write(".config/podget/config.yaml", "since: yesterdays\n")
    watching.signal(SIGHUP)
    try await waitUntil("the complaint", seen: { watching.error }) {
      watching.error.contains("podget: The configuration stays as it was: ")
    }
    follower.host["/a"].items.insert(Item(2), at: 0)
    try await waitUntil("the old commands", seen: { watching.error + log }) {
      log.components(separatedBy: "first-sync").count == 3
    }
    watching.signal(SIGTERM)
    #expect(try await watching.waitForExit().status == .exited(143))
  }

  @Test func `a slow download delays no check, and each round has its summary`() async throws {
    try configure(library: "library", commands: "hook")
    try await follow("/a", in: "library")
    follower.host["/b"].items = []
    try await follow("/b", in: "library")
    follower.host.heldMedia = [1]
    let watching = try follower.start([
      "sync", "--watch", "--interval", "1", "--json", "--stall-timeout", "600",
    ])
    try await waitUntil("the slow download", seen: { watching.error }) {
      follower.host.mediaRequests == [1]
    }
    follower.host["/b"].items = [Item(20)]
    try await waitUntil("the other podcast", seen: { watching.error + watching.output }) {
      log.contains("hook-sync") && watching.output.contains("\"summary\"")
    }
    #expect(follower.host.mediaRequests == [1, 20])
    #expect(follower.episodes == ["B/2024-01-20 - Number 20.mp3"])
    let round = try watching.output.split(separator: "\n").map { try EventLine(String($0)) }.filter
    { $0.name == "summary" }
    #expect(round.count == 1 && round.first?["finished"] == 1 && round.first?["failed"] == 0)

    follower.host.heldMedia = []
    try await waitUntil("the slow download's end", seen: { watching.error + watching.output }) {
      log.components(separatedBy: "hook-sync").count == 3
    }
    follower.host.heldMedia = [2]
    follower.host["/a"].items.insert(Item(2), at: 0)
    try await waitUntil("another slow download", seen: { watching.error }) {
      follower.host.mediaRequests == [1, 20, 2]
    }
    watching.signal(SIGTERM)
    let result = try await watching.waitForExit()
    #expect(result.status == .exited(143))
    let events = try result.lines.map(EventLine.init)
    #expect(events.count { $0.name == "planned" } == 3)
    #expect(events.count { $0.name == "failed" || $0.name == "skipped" } == 0)
    let summaries = events.filter { $0.name == "summary" }
    #expect(summaries.count == 3 && summaries[1]["finished"] == 1)
    #expect(events.last?.name == "summary" && summaries.last?["cancelled"] == 1)
  }

  @Test func `other limits continue what is being downloaded`() async throws {
    try configure(library: "library", commands: "hook")
    try await follow("/a", in: "library")
    follower.host.heldMedia = [1]
    let watching = try follower.start([
      "sync", "--watch", "--interval", "1", "--json", "--stall-timeout", "600",
    ])
    try await waitUntil("the slow download", seen: { watching.error }) {
      follower.host.mediaRequests == [1]
    }
    // Other commands let it go on.
    try configure(library: "library", commands: "other")
    watching.signal(SIGHUP)
    follower.host["/a"].items.insert(Item(2), at: 0)
    try await waitUntil("the other command", seen: { watching.error }) {
      log.contains("other \(follower.library)")
    }
    #expect(!watching.output.contains("\"cancelled\",\"podcast\""))
    let path = follower.folder.path(".config/podget/config.yaml")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try follower.folder.write(".config/podget/config.yaml", text + "limit-rate: 900M\n")
    watching.signal(SIGHUP)
    try await waitUntil("the next run", seen: { watching.error + watching.output }) {
      follower.host.mediaRequests == [1, 2, 1]
    }
    follower.host.heldMedia = []
    try await waitUntil("the episode", seen: { watching.error + watching.output }) {
      follower.episodes.count == 2
    }
    watching.signal(SIGTERM)
    let result = try await watching.waitForExit()
    #expect(result.status == .exited(143))
    #expect(try result.lines.map(EventLine.init).count { $0.name == "cancelled" } == 1)
  }

  @Test func `checks go on during a pause, and downloads after it`() async throws {
    try configure(library: "library", commands: "hook")
    try await follow("/a", in: "library")
    follower.host["/b"].items = []
    try await follow("/b", in: "library")
    follower.host.heldMedia = [1]
    let watching = try PseudoTerminalProcess(
      .podget, ["sync", "--watch", "--interval", "1", "--stall-timeout", "600"],
      environment: follower.variables)
    try await waitUntil("the slow download", seen: { watching.output }) {
      follower.host.mediaRequests == [1]
    }
    watching.type("p")
    try await watching.waitForScreen("the pause") { $0.text.contains("p resume") }
    follower.host["/b"].items = [Item(20)]
    let checks = follower.host.feedRequests.count
    try await waitUntil("checks", seen: { watching.output }) {
      follower.host.feedRequests.count >= checks + 4
    }
    #expect(follower.host.mediaRequests == [1])
    follower.host.heldMedia = []
    watching.type("p")
    try await waitUntil("both episodes", seen: { watching.output }) {
      follower.episodes.count == 2
    }
    watching.type("q")
    #expect(try await watching.waitForExit() == .exited(130))
  }
}
