import Foundation
import TestSupport
import Testing

/// Which episodes are adopted when the library knows them already, and under which names.
@Suite(.serialized) struct AdoptChoiceTests {
  private let episodes = (1...3).map {
    PodcastServer.Episode(Int64($0), "Number \($0)", size: 600_000)
  }

  /// A user with all episodes in another tool's folder.
  private func listener(_ episodes: [PodcastServer.Episode]) throws -> Listener {
    let listener = try Listener(PodcastServer(episodes))
    for episode in episodes { try listener.folder.write("old/\(episode.id).mp3", episode.bytes) }
    return listener
  }

  /// The status of each file.
  private func adopt(_ listener: Listener, _ arguments: String...) async throws -> [String: String]
  {
    let result = try await RunningProcess(
      .podget, ["adopt", "old", listener.podcast, "--json"] + arguments,
      environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
    return Dictionary(
      uniqueKeysWithValues: zip(
        try result.values("file").map { String($0.dropFirst("old/".count)) },
        try result.values("status")))
  }

  private func allAre(_ status: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: episodes.map { ("\($0.id).mp3", status) })
  }

  /// Nothing is fetched, since everything is there.
  private func expectWhole(_ listener: Listener) async throws {
    let requests = listener.server.downloads.count
    let download = try await listener.run("download", listener.podcast, "--all", "--json")
    let names = Set(try download.events().map(\.name))
    #expect(
      names.contains("skipped") && names.isDisjoint(with: ["finished", "failed", "cancelled"]))
    #expect(listener.server.downloads.count == requests && listener.partials.isEmpty)
    let verify = try await listener.run("verify", "--json")
    #expect(Set(try verify.values("status")).isSubset(of: ["ok", "warning"]))
  }

  @Test func `a template names adopted files`() async throws {
    var listener = try listener(episodes)
    let dry = try await listener.run(
      "adopt", "old", listener.podcast, "--template", "{podcast}/{id} {title}.{ext}",
      "--dry-run")
    #expect(dry.lines[0] == "planned    old/1.mp3 -> The Symbolic World/1 Number 1.mp3")
    listener.environment["PODGET_TEMPLATE"] = "{date:%Y}/{title}.{ext}"
    #expect(try await adopt(listener) == allAre("adopted"))
    #expect(listener.files == (1...3).map { "2024/Number \($0).mp3" })
    try await expectWhole(listener)
    let wrong = try await listener.run("adopt", "old", listener.podcast, "--template", "{name}")
    #expect(wrong.status == .exited(64))
  }

  @Test func `episodes of one title get the names that a download gives them`() async throws {
    let same = (1...3).map { PodcastServer.Episode($0, "Same", date: "2024-01-01T06:00:00Z") }
    let downloaded = try listener(same)
    _ = try await downloaded.run("download", downloaded.podcast, "--json")
    let adopted = try listener(same)
    #expect(try await adopt(adopted) == allAre("adopted"))
    #expect(adopted.files == downloaded.files && adopted.files.count == 3)
    for file in adopted.files { #expect(try adopted.read(file) == downloaded.read(file)) }
    try await expectWhole(adopted)
  }

  @Test func `an episode that is known from a feed is known`() async throws {
    let listener = try listener(episodes)
    try listener.recordFromFeed(Array(episodes[..<2]))
    var expected = allAre("known")
    expected["3.mp3"] = "adopted"
    #expect(try await adopt(listener) == expected)
    #expect(listener.files.count == 3)
    try await expectWhole(listener)
  }

  @Test func `an episode that was removed on purpose is not adopted, unless forced`() async throws {
    let listener = try listener(episodes)
    _ = try await listener.run("download", listener.podcast, "--json")
    _ = try await listener.run("remove", "Number 2", "--now")
    var expected = allAre("known")
    expected["2.mp3"] = "unmatched"
    #expect(try await adopt(listener) == expected)
    let text = try await listener.run("adopt", "old", listener.podcast)
    #expect(text.status == .exited(1))
    #expect(
      text.output
        == "unmatched  old/2.mp3: The episode was removed on purpose; --force adopts it.\n")
    #expect(!listener.holds(episodes[1]))
    expected["2.mp3"] = "adopted"
    #expect(try await adopt(listener, "--force") == expected)
    #expect(listener.holds(episodes[1]))
    try await expectWhole(listener)
  }

  @Test(arguments: [false, true])
  func `partial and missing episodes become complete under their names`(
    moving: Bool
  ) async throws {
    let listener = try listener(episodes)
    _ = try await listener.run("download", listener.podcast, "--latest", "1", "--json")
    _ = try await listener.run("star", "Number 3")
    try FileManager.default.removeItem(
      atPath: "\(listener.library)/\(listener.path(of: episodes[2]))")
    listener.server.hold = 200_000
    let process = try listener.start(
      "download", listener.podcast, "--episode", "1", "--episode", "2", "--json")
    try await waitUntil("both have begun") { listener.server.downloads.count == 3 }
    process.signal(SIGKILL)
    _ = try await process.waitForExit()
    listener.server.hold = nil
    // Names are planned already, so the template changes none of them.
    let more = ["--template", "{title} new.{ext}"] + (moving ? ["--move"] : [])
    let result = try await RunningProcess(
      .podget, ["adopt", "old", listener.podcast] + more, environment: listener.variables,
      folder: listener.folder.path
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.output)")
    for episode in episodes { #expect(listener.holds(episode)) }
    #expect(listener.files.count == 3)
    #expect(listener.folder.contains("old/1.mp3") == !moving, "\(result.output)\(result.error)")
    let starred = try await listener.run("list", "--starred", "--json")
    #expect(try starred.values("episode", "title") == ["Number 3"])
    try await expectWhole(listener)
  }

  @Test func `without a source, all podcasts that are followed or known are looked at`()
    async throws
  {
    let follower = try Follower([
      "/a": FeedHost.Feed(title: "A", [FeedHost.Item(11)]),
      "/b": FeedHost.Feed(title: "B", [FeedHost.Item(22), FeedHost.Item(21)]),
      "/c": FeedHost.Feed(title: "C", [FeedHost.Item(31)]),
    ])
    for path in ["/a", "/c"] { _ = try await follower.follow(path) }
    _ = try await follower.run("download", "\(follower.host.origin)/b", "--latest", "1")
    try follower.folder.write("old/A/2024-01-11 - Number 11.mp3", FeedHost.Item(11).bytes)
    try follower.folder.write("old/B/2024-01-21 - Number 21.mp3", FeedHost.Item(21).bytes)
    var broken = FeedHost.Feed()
    broken.body = "nothing"
    follower.host["/c"] = broken
    let result = try await follower.start(["adopt", "old", "--json"]).waitForExit()
    #expect(try result.values("status") == ["adopted", "adopted"], "\(result.error)")
    // The one that cannot be read is reported.
    #expect(result.status == .exited(1) && result.error.contains("/c"), "\(result.error)")
    #expect(follower.episodes.count == 3)
  }
}
