import Foundation
import TestSupport
import Testing

/// A podcast whose title or folder a person corrected.
@Suite struct EditedPodcastTests {
  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": FeedHost.Feed(title: "A", [13, 12, 11].map { FeedHost.Item($0) }),
      "/b": FeedHost.Feed(title: "B", [FeedHost.Item(21)]),
    ])
  }

  private func podget(_ arguments: String..., status: Int32 = 0) async throws -> String {
    let result = try await follower.start(arguments).waitForExit()
    SchemaCheck.check(arguments, result)
    #expect(result.status == .exited(status), "\(arguments): \(result.output)\(result.error)")
    return result.output + result.error
  }

  private func begin() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    _ = try await follower.follow("/b", "--name", "b")
    _ = try await podget("sync")
  }

  private func publish(_ numbers: ClosedRange<Int>) {
    follower.host["/a"] = FeedHost.Feed(title: "A", numbers.reversed().map { FeedHost.Item($0) })
  }

  private func titles() async throws -> Set<String> {
    Set(try await follower.run("list", "--json").values("podcast", "title"))
  }

  /// The folders of the podcasts with how many files each has.
  private var folders: [String: Int] {
    Dictionary(grouping: follower.episodes) { String($0.split(separator: "/")[0]) }
      .mapValues(\.count)
  }

  @Test func `a title is shown, and the feed's own one decides what is known`() async throws {
    try await begin()
    #expect(try await podget("edit", "a", "--title", " Pear ").contains("edited       Pear"))
    #expect(try await titles() == ["Pear", "B"])
    let shown = try await follower.run("show", "a", "--json")
    #expect(Set(try shown.values("podcast", "title")) == ["Pear"])
    publish(11...14)
    _ = try await podget("sync")
    // As after a new title of the feed: new files go to the new folder, and others stay.
    #expect(folders == ["A": 3, "B": 1, "Pear": 1])
    for file in follower.folder.files where file.hasSuffix("feeds.ndjson") {
      try FileManager.default.removeItem(atPath: follower.folder.path(file))
    }
    _ = try await podget("sync", "--refresh", "a")
    _ = try await podget("download", follower.host.origin + "/a")
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13, 14, 21])
    #expect(try await podget("list", "Pear", "--group-by", "podcast").contains("Pear"))
    _ = try await podget("rename", "--template", "{podcast}/{date} - {title}.{ext}")
    #expect(folders == ["Pear": 4, "B": 1])
    _ = try await podget("edit", "Pear", "--undo")
    #expect(try await titles() == ["A", "B"])
  }

  @Test func `a folder gets the files, and new ones, until it is taken back`() async throws {
    try await begin()
    let before = follower.episodes
    let dry = try await podget("edit", "a", "--folder", "Fruit", "--dry-run")
    #expect(dry.contains("3 files would be renamed"), "\(dry)")
    #expect(follower.episodes == before)
    let moved = try await podget("edit", "a", "--folder", "Fruit")
    #expect(moved.contains("3 files renamed. To undo: podget rename --undo"), "\(moved)")
    #expect(folders == ["Fruit": 3, "B": 1])
    #expect(try await titles() == ["A", "B"])
    publish(11...14)
    _ = try await podget("sync")
    #expect(folders == ["Fruit": 4, "B": 1])
    // A template names the folder alike.
    _ = try await podget("rename", "--template", "{podcast}/{title}.{ext}", "b", "a")
    #expect(folders == ["Fruit": 4, "B": 1])
    _ = try await podget("rename", "--template", "{podcast}/{date} - {title}.{ext}")
    _ = try await podget("edit", "a", "--folder", "Berries")
    #expect(folders == ["Berries": 4, "B": 1])
    _ = try await podget("edit", "a", "--undo")
    // What came in between never was in another folder.
    #expect(folders == ["A": 3, "Fruit": 1, "B": 1])
    #expect(follower.episodes.filter { !$0.hasPrefix("Fruit") } == before)
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13, 14, 21])
    publish(11...15)
    _ = try await podget("sync")
    #expect(folders == ["A": 4, "Fruit": 1, "B": 1])
  }

  @Test(arguments: ["a/b", "..", ".podget", " x", "x.", "con", "a:b", "x\u{202E}y", ""])
  func `what is no name of a folder is a mistake of usage`(name: String) async throws {
    let result = try await follower.start(["edit", "a", "--folder", name]).waitForExit()
    #expect(result.status == .exited(64), "\(name): \(result.error)")
  }

  @Test func `what cannot be done is refused with the reason`() async throws {
    _ = try await follower.follow("/a", "--name", "a", "--folder", "Own")
    _ = try await follower.follow("/b", "--name", "b", "--template", "{title}.{ext}")
    _ = try await podget("sync")
    let own = try await podget("edit", "a", "--folder", "Fruit", status: 1)
    #expect(own.contains("subscribe"), "\(own)")
    let flat = try await podget("edit", "b", "--folder", "Fruit", status: 1)
    #expect(flat.contains("{podcast}"), "\(flat)")
    #expect(try await podget("edit", "nobody", "--folder", "X", status: 1).contains("nobody"))
    #expect(!follower.folder.files.contains { $0.hasSuffix("podcasts.ndjson") })
  }

  @Test func `a name of a podcast and of an episode is answered with names that can be typed`()
    async throws
  {
    follower.host["/a"] = FeedHost.Feed(
      title: "Twins", [FeedHost.Item(11, guid: "one", title: "Twins")])
    _ = try await follower.follow("/a", "--name", "a")
    _ = try await podget("sync")
    let refused = try await podget("edit", "Twins", "--title", "Pear", status: 1)
    #expect(refused.contains(": a, one."), "\(refused)")
    _ = try await podget("edit", "one", "--title", "Pear")
    _ = try await podget("edit", "a", "--title", "Plum")
    let list = try await follower.run("list", "--json")
    #expect(try list.values("podcast", "title") == ["Plum"])
    #expect(try list.values("episode", "title") == ["Pear"])
  }

  @Test func `a library without corrections is only read`() async throws {
    try await begin()
    _ = try await podget("list")
    #expect(!follower.folder.files.contains { $0.contains("podcasts") })
  }

  @Test func `a folder that takes no file changes nothing`() async throws {
    try await begin()
    try follower.folder.write("library/Fruit", "a file")
    _ = try await podget("edit", "a", "--folder", "Fruit", status: 1)
    // A link that leads nowhere is found out with the first file only.
    let link = follower.folder.path("library/Nuts")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    let failed = try await podget("edit", "a", "--folder", "Nuts", "--title", "Nut", status: 1)
    #expect(failed.contains("was not renamed"), "\(failed)")
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.removeItem(atPath: follower.folder.path("library/Fruit"))
    publish(11...14)
    _ = try await podget("sync")
    #expect(folders == ["A": 4, "B": 1])
    #expect(try await titles() == ["A", "B"])
  }

  @Test func `an episode is not edited by a dry run`() async throws {
    try await begin()
    _ = try await podget("edit", "Number 11", "--title", "Mine")
    _ = try await podget("edit", "Number 11", "--undo", "--dry-run", status: 64)
    let shown = try await follower.run("list", "--json").values("episode", "title")
    #expect(shown.contains("Mine"))
  }
}
