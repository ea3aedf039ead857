import Foundation
import TestSupport
import Testing

/// An episode whose title or date a person corrected is the same one for `sync`.
@Suite struct EditedEpisodeTests {
  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": FeedHost.Feed(title: "A", (11...13).reversed().map { FeedHost.Item($0) })
    ])
  }

  /// What is corrected, and the feed's own correction of the same.
  enum Word: CaseIterable, Sendable {
    case title, date, both

    var arguments: [String] {
      switch self {
      case .title: ["--title", " Pear "]
      case .date: ["--date", "2019-05-06"]
      case .both: ["--title", "Pear", "--date", "2019-05-06"]
      }
    }

    var corrected: FeedHost.Item {
      var item = FeedHost.Item(12)
      if self != .date { item.title = "Pear" }
      if self != .title { item.date = "06 May 2019 00:00:00 GMT" }
      return item
    }
  }

  @Test(arguments: ["", "   ", "\u{3000}\u{200D}", "a\u{85}b", "a\u{202E}b", "a\nb", "a\u{2028}b"])
  func `a title that cannot be seen is a mistake of usage`(title: String) async throws {
    let result = try await follower.start(["edit", "Number 12", "--title", title]).waitForExit()
    #expect(result.status == .exited(64), "\(result.error)")
  }

  @Test(arguments: Word.allCases, [true, false])
  func `a corrected episode is not downloaded again`(word: Word, hasGUIDs: Bool) async throws {
    var items = [13, 12, 11].map { FeedHost.Item($0) }
    if !hasGUIDs { for place in items.indices { items[place].guid = nil } }
    follower.host["/a"] = FeedHost.Feed(title: "A", items)
    _ = try await follower.follow("/a")
    _ = try await follower.run("sync")
    #expect(follower.host.mediaRequests.sorted() == [11, 12, 13])
    let edited = try await follower.start(["edit", "Number 12"] + word.arguments).waitForExit()
    #expect(edited.status == .exited(0), "\(edited.error)")
    let title = word == .date ? "Number 12" : "Pear"

    func sync(_ feed: [FeedHost.Item], _ when: String) async throws {
      follower.host["/a"] = FeedHost.Feed(title: "A", feed)
      for options in [["--refresh", "a"], []] {
        let run = try await follower.start(["sync"] + options).waitForExit()
        #expect(run.status == .exited(0), "\(when): \(run.error)")
        #expect(follower.host.mediaRequests.count == 3, "\(when)")
        #expect(follower.episodes.count == 3, "\(when)")
      }
      let list = try await follower.run("list", "--json")
      #expect(try list.values("episode", "title").contains(title), "\(when)")
    }
    /// Forgets what the feed listed: only the library says what is there.
    func forget() throws {
      for file in follower.folder.files where file.hasSuffix("feeds.ndjson") {
        try FileManager.default.removeItem(atPath: follower.folder.path(file))
      }
    }
    try forget()
    try await sync(items, "unchanged")
    var corrected = items
    corrected[1] = word.corrected
    if !hasGUIDs { corrected[1].guid = nil }
    // Without a guid and with both changed it is another one, corrected or not.
    if hasGUIDs || word != .both {
      try forget()
      try await sync(corrected, "corrected by the feed")
    }
    _ = try await follower.run("remove", title)
    #expect(try await follower.run("restore", title).status == .exited(0))
    try forget()
    try await sync(items, "restored")
    // The record alone says the same.
    for file in follower.folder.files where file.contains("library.sqlite") {
      try FileManager.default.removeItem(atPath: follower.folder.path(file))
    }
    try forget()
    try await sync(items, "without the index")
    _ = try await follower.run("edit", title, "--undo")
    let list = try await follower.run("list", "--json")
    #expect(
      try list.values("episode", "title").sorted() == ["Number 11", "Number 12", "Number 13"])
  }
}
