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
    let script = try follower.folder.write(
      "hook",
      "#!/bin/sh\nprintf '%s %s\\n' \"$1\" \"$PODGET_LIBRARY\" >> \(follower.folder.path)/log\n")
    #expect(chmod(script, 0o755) == 0)
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
}
