import Foundation
import TestSupport
import Testing

/// Two podcasts that a person makes one, and two again.
@Suite struct MergedPodcastTests {
  private let follower: Follower
  private var old: String { follower.host.origin + "/old" }

  init() throws {
    follower = try Follower([
      "/old": FeedHost.Feed(title: "Old", [13, 12, 11].map { FeedHost.Item($0) }),
      "/new": FeedHost.Feed(title: "New", [14, 13, 12].map { FeedHost.Item($0) }),
      "/other": FeedHost.Feed(title: "Other", [21].map { FeedHost.Item($0) }),
    ])
  }

  private func podget(_ arguments: String..., status: Int32 = 0) async throws -> String {
    let result = try await follower.start(arguments).waitForExit()
    SchemaCheck.check(arguments, result)
    #expect(result.status == .exited(status), "\(arguments): \(result.output)\(result.error)")
    return result.output + result.error
  }

  /// Downloads the old podcast, and follows the new one and another one.
  private func begin() async throws {
    _ = try await podget("download", old)
    _ = try await follower.follow("/new", "--name", "new")
    _ = try await follower.follow("/other", "--name", "other")
  }

  /// The records of the library.
  private var records: [String: [UInt8]] {
    get throws {
      var records: [String: [UInt8]] = [:]
      for file in follower.folder.files where file.hasSuffix("/.podget.ndjson") {
        records[file] = try follower.folder.read(file)
      }
      return records
    }
  }

  private func titles(_ arguments: String...) async throws -> [String] {
    let result = try await follower.start(["list", "--json"] + arguments).waitForExit()
    return try result.values("episode", "title").sorted()
  }

  @Test func `what both have is not downloaded again, and all commands take them as one`()
    async throws
  {
    try await begin()
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13])
    #expect(try await podget("merge", old, "new").contains("merged"))
    #expect(try await podget("merge", old, "new").contains("unchanged"))
    _ = try await podget("sync")
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13, 14, 21])
    // The old feed may be read too.
    _ = try await podget("download", old)
    #expect(follower.host.mediaRequests.count == 5)

    let groups = try await podget("list", "--group-by", "podcast")
    #expect(groups.contains("New") && groups.contains("Other") && !groups.contains("Old"))
    let own = ["Number 11", "Number 12", "Number 13", "Number 14"]
    for name in ["new", "New", old, follower.host.origin + "/new"] {
      #expect(try await titles(name) == own, "\(name)")
      let verified = try await follower.run("verify", name, "--json")
      #expect(try verified.values("status").count == 4, "\(name)")
    }
    _ = try await podget("prune", "--keep", "2")
    #expect(try await titles() == ["Number 13", "Number 14", "Number 21"])
  }

  @Test func `they are two again, exactly as they were`() async throws {
    try await begin()
    _ = try await podget("sync")
    let before = (try records, try await podget("list", "--json"), follower.episodes)
    _ = try await podget("merge", old, "new")
    #expect(try await podget("list", "--json") != before.1)
    #expect(try await podget("merge", "--undo", old, "new").contains("separated"))
    #expect(try await podget("list", "--json") == before.1)
    #expect(try records == before.0)
    #expect(follower.episodes == before.2)
    #expect(try await podget("merge", "--undo", old, "new", status: 1).contains("not merged"))
    _ = try await podget("prune", "--keep", "2")
    // Two of each, and one of the other.
    #expect(try await titles().count == 5)
  }

  @Test func `of two that are followed one stays so, if the person says that`() async throws {
    _ = try await follower.follow("/old", "--name", "old")
    _ = try await follower.follow("/new", "--name", "new")
    let refused = try await podget("merge", "old", "new", status: 1)
    #expect(refused.contains("podget merge --unsubscribe old new"), "\(refused)")
    #expect(!follower.folder.files.contains { $0.hasSuffix("podcasts.ndjson") })
    _ = try await podget("sync", "old")
    _ = try await podget("merge", "--unsubscribe", "old", "new")
    let followed = try await follower.run("subscriptions", "--json")
    #expect(try followed.values("name") == ["new"])
    _ = try await podget("sync")
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13, 14])
    #expect(try await titles("new").count == 4)
  }

  @Test func `rules of a subscription count for what is merged into it, and for nothing else`()
    async throws
  {
    try await begin()
    _ = try await follower.follow("/new", "--name", "new", "--keep", "2")
    _ = try await podget("sync")
    // The episodes of the old one are another podcast's.
    #expect(try await titles("Old").count == 3)
    _ = try await podget("merge", old, "new")
    _ = try await podget("sync")
    #expect(try await titles() == ["Number 13", "Number 14", "Number 21"])
    #expect(try await titles("other") == ["Number 21"])
  }

  @Test func `what is no podcast of the library is not merged`() async throws {
    try await begin()
    for names in [["nothing", "new"], [old, "nothing"], ["new", "new"], [old, "Old"]] {
      let result = try await follower.start(["merge"] + names).waitForExit()
      #expect(result.status == .exited(1), "\(names)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func `episodes of two shows that number their guids stay two`() async throws {
    // Both publish on the same days, and begin with 1.
    let numbered = { (base: Int) in
      (1...3).reversed().map {
        var item = FeedHost.Item(base + $0, guid: "\($0)", title: "Show \(base), number \($0)")
        item.date = "0\($0) Jan 2024 06:00:00 GMT"
        return item
      }
    }
    follower.host["/old"] = FeedHost.Feed(title: "Old", numbered(10))
    follower.host["/new"] = FeedHost.Feed(title: "New", numbered(30))
    try await begin()
    _ = try await podget("merge", old, "new")
    _ = try await podget("sync")
    let all = [11, 12, 13, 21, 31, 32, 33]
    #expect(follower.host.mediaRequests.sorted() == all)
    #expect(try await titles("new").count == 6)
    #expect(try await podget("verify", "new").contains("6 files checked"))
    _ = try await podget("merge", "--undo", old, "new")
    _ = try await podget("sync", "--refresh", "new")
    _ = try await podget("download", old)
    #expect(follower.host.mediaRequests.sorted() == all)
    #expect(try await titles("New").count == 3)
    #expect(try await titles("Old").count == 3)
  }

  @Test func `a line that podget never writes stops what would download again or remove`()
    async throws
  {
    try await begin()
    _ = try await podget("merge", old, "new")
    let name = try #require(follower.folder.files.first { $0.hasSuffix("podcasts.ndjson") })
    let lines = String(decoding: try follower.folder.read(name), as: UTF8.self)
    try follower.folder.write(
      name, lines.replacing(#""into":"#, with: #""moves":["../x"],"into":"#))
    for command in [
      ["sync"], ["prune", "--keep", "1"], ["download", old], ["verify", "--repair"],
    ] {
      let result = try await follower.start(command).waitForExit()
      #expect(result.status != .exited(0), "\(command)")
      let text = result.output + result.error
      #expect(text.contains("podcasts.ndjson"), "\(command): \(text)")
    }
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13])
    try follower.folder.write(name, lines)
    _ = try await podget("sync")
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13, 14, 21])
  }

  @Test func `a part is neither followed again nor edited`() async throws {
    try await begin()
    _ = try await podget("merge", old, "new")
    let followed = try await podget("subscribe", old, status: 1)
    #expect(followed.contains("one podcast with New (new)"), "\(followed)")
    let edited = try await podget("edit", old, "--folder", "Elsewhere", status: 1)
    #expect(edited.contains("part of New"), "\(edited)")
    _ = try await podget("merge", "--undo", old, "new")
    _ = try await podget("subscribe", old)
  }
}
