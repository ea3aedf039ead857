import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What `podget sync` does about files that somebody deleted without podget.
@Suite(.serialized) struct DeletedFilesTests {
  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": FeedHost.Feed(title: "A", (1...3).reversed().map { FeedHost.Item($0) })
    ])
  }

  private func deleteFirst() throws -> String {
    let file = try #require(follower.episodes.first)
    try FileManager.default.removeItem(atPath: follower.folder.path("library/\(file)"))
    return file
  }

  @Test(arguments: [[], ["--match", "."]])
  func `a deleted file is not downloaded again, whatever the feed answers`(
    settings: [String]
  ) async throws {
    _ = try await follower.follow("/a")
    _ = try await follower.run("sync")
    let file = try deleteFirst()
    // Other settings need the whole feed; the same ones are answered with 304.
    if !settings.isEmpty {
      let changed = try await follower.start(["subscribe", "a"] + settings).waitForExit()
      #expect(changed.status == .exited(0))
    }
    let result = try await follower.run("sync", "--json")
    #expect(result.status == .exited(0))
    #expect(try result.lines(named: "finished") == 0)
    #expect(!follower.episodes.contains(file))
    let list = try await follower.run("list", "--missing", "--json")
    #expect(try list.values("status") == ["missing"])
  }

  @Test(arguments: ["option", "variable", "subscription"])
  func `it is downloaded again where the user wants that`(place: String) async throws {
    _ = try await follower.follow("/a")
    _ = try await follower.run("sync")
    let file = try deleteFirst()
    var arguments = ["sync", "--json"]
    var user = follower
    switch place {
    case "option": arguments.append("--refetch-missing")
    case "variable": user.environment["PODGET_REFETCH_MISSING"] = "true"
    default: _ = try await follower.run("subscribe", "a", "--refetch-missing")
    }
    let dry = try await user.start(arguments + ["--dry-run"]).waitForExit()
    #expect(try dry.lines(named: "planned") == 1)
    let result = try await user.start(arguments).waitForExit()
    #expect(result.status == .exited(0))
    #expect(try result.lines(named: "finished") == 1)
    #expect(follower.episodes.contains(file))
    // What was removed with podget stays removed.
    _ = try await user.run("remove", "--all", "--source", "a")
    let again = try await user.start(arguments).waitForExit()
    #expect(try again.lines(named: "finished") == 0)
  }

  @Test func `podcasts whose titles differ in case share one folder`() async throws {
    follower.host["/b"] = FeedHost.Feed(title: "News", [FeedHost.Item(21)])
    follower.host["/c"] = FeedHost.Feed(title: "NEWS", [FeedHost.Item(31)])
    _ = try await follower.follow("/b")
    _ = try await follower.run("sync")
    _ = try await follower.follow("/c")
    let result = try await follower.run("sync")
    #expect(result.status == .exited(0))
    #expect(follower.episodes.count == 2)
    #expect(follower.episodes.allSatisfy { $0.hasPrefix("News/") }, "\(follower.episodes)")
    let rename = try await follower.run("rename", "--template", "{podcast}/{title}.{ext}")
    #expect(rename.status == .exited(0))
    #expect(follower.episodes.allSatisfy { $0.hasPrefix("News/") }, "\(follower.episodes)")
    let list = try await follower.run("list", "--json")
    #expect(try list.values("status") == ["complete", "complete"])
    let verified = try await follower.run("verify")
    #expect(verified.status == .exited(0))
  }
}

extension RunningProcess.Result {
  /// How many lines of events have a name.
  fileprivate func lines(named name: String) throws -> Int {
    try lines.map(EventLine.init).count { $0.name == name }
  }
}
