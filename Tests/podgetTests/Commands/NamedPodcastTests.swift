import Foundation
import TestSupport
import Testing

@Suite("A named podcast, and no other") struct NamedPodcastTests {
  private let run: CommandRun
  private static let beta = "https://host.example/premium"

  /// Two subscriptions with one title; alpha's feed moved, and its show had another title before.
  init() throws {
    run = try CommandRun()
    try run.folder.write(
      "library/.podget/subscriptions.opml",
      """
      <?xml version="1.0"?>
      <opml version="2.0" xmlns:podget="urn:podget:opml"><body>
      <outline type="rss" text="News" xmlUrl="https://host.example/feed/a/" podget:name="alpha"
        podget:first="https://old.example/feed"/>
      <outline type="rss" text="News" xmlUrl="\(Self.beta)" podget:name="beta"/>
      </body></opml>
      """)
    try add("A1", day: 1, title: "Old News", feed: "https://old.example/feed")
    try add("A2", day: 2, title: "Old News", feed: "http://www.host.example/feed/a")
    try add("A3", day: 3, title: "News", feed: "https://host.example/feed/a/")
    for day in 1...3 { try add("B\(day)", day: day, title: "News", feed: Self.beta) }
  }

  private func add(
    _ name: String, day: Int, title: String, feed: String? = nil, id: Int? = nil
  ) throws {
    let folder = "library/\(title) \(name.prefix(1))"
    let podcast: [String: Any?] = ["title": title, "feedUrl": feed, "id": id]
    let line: [String: Any] = [
      "fact": "finished", "version": 1, "key": CommandRun.key(title, name),
      "podcast": podcast.compactMapValues { $0 },
      "episode": [
        "title": name, "date": "2024-01-0\(day)T12:00:00Z", "url": "https://example.org/\(name)",
      ],
      "file": "\(name).mp3", "bytes": 9, "sha256": "ab12", "downloadedAt": "2024-03-01T10:00:00Z",
    ]
    let records = "\(folder)/.podget.ndjson"
    let before = run.folder.contains(records) ? try run.folder.read(records) : []
    try run.folder.write(
      records, before + JSONSerialization.data(withJSONObject: line) + [0x0A])
    try run.folder.write("\(folder)/\(name).mp3", [UInt8](repeating: 1, count: 9))
  }

  private func titles(_ arguments: String...) async throws -> [String] {
    let result = try await run.podget(arguments + ["--json"])
    #expect(result.status == .exited(0), "\(arguments): \(result.error)")
    return try result.values("episode", "title").sorted()
  }

  private func listed() async throws -> [String] { try await titles("list") }

  @Test("a rule for one subscription leaves the other one with its title alone") func prune()
    async throws
  {
    _ = try await run.podget(["prune", "alpha", "--keep", "1"])
    #expect(try await listed() == ["A3", "B1", "B2", "B3"])
  }

  @Test func `a podcast that has moved stays one when nobody follows it any more`() async throws {
    let present = "https://host.example/feed/a/"
    for _ in 1...2 {
      let result = try await run.podget(["unsubscribe", "alpha"])
      // The second time, there is no such subscription.
      #expect(result.output.isEmpty == (result.status == .exited(1)))
      #expect(try await titles("list", present) == ["A1", "A2", "A3"])
    }
    #expect(try await titles("list", "--group-by", "podcast").count == 6)
    // A word about it is one about all of it, whichever address names it.
    let edited = try await run.podget(["edit", "https://old.example/feed", "--title", "Mine"])
    #expect(edited.status == .exited(0), "\(edited.error)")
    // Another show may have its old address by now.
    try add("C1", day: 4, title: "Chess", feed: "https://old.example/feed")
    #expect(try await titles("list", present) == ["A1", "A2", "A3"])
    #expect(try await titles("list", "Chess") == ["C1"])
    #expect(try await titles("list", "Mine") == ["A1", "A2", "A3"])
    #expect(try await titles("list", "Chess") == ["C1"])
    _ = try await run.podget(["prune", present, "--keep", "1"])
    #expect(try await listed() == ["A3", "B1", "B2", "B3", "C1"])
  }

  @Test("a name means all addresses and titles that the podcast ever had") func names()
    async throws
  {
    #expect(try await titles("list", "alpha") == ["A1", "A2", "A3"])
    #expect(try await titles("list", "beta") == ["B1", "B2", "B3"])
    #expect(try await titles("list", "https://old.example/feed/") == ["A1", "A2", "A3"])
    #expect(try await titles("list", "Old News") == ["A1", "A2", "A3"])
    #expect(
      try await titles("rename", "beta", "--template", "{title}.{ext}", "--dry-run").count == 3)
    let wrong = try await run.podget(["remove", "A1", "--source", "beta"])
    #expect(wrong.status == .exited(1))
    let verified = try await run.podget(["verify", "beta", "--json"])
    #expect(try verified.values("episode", "title").sorted() == ["B1", "B2", "B3"])
  }

  @Test("another show at an address that a subscription had before is none of it")
  func reusedAddress() async throws {
    let old = "https://old.example/feed"
    for day in 1...2 { try add("O\(day)", day: day, title: "Talk", feed: old) }
    #expect(try await titles("list", old) == ["O1", "O2"])
    #expect(try await titles("list", "alpha") == ["A1", "A2", "A3"])
    let before = try await listed()
    _ = try await run.podget(["prune", old, "--keep", "1"])
    #expect(try await listed() == before.filter { $0 != "O1" })
    _ = try await run.podget(["prune", "alpha", "--keep", "0"])
    #expect(try await listed() == ["B1", "B2", "B3", "O2"])
  }

  @Test("one podcast is one group, and two podcasts are two") func groups() async throws {
    let text = try await run.podget(["list", "--group-by", "podcast"]).output
    #expect(text.split(separator: "\n").count { $0.contains("3 episodes, 27 B") } == 2)
    _ = try await run.podget(["prune", "--keep", "1"])
    #expect(try await listed() == ["A3", "B3"])
  }

  @Test("a title of several podcasts is an error for what changes, and lists their names")
  func ambiguous() async throws {
    for arguments in [
      ["prune", "News", "--keep", "1"], ["verify", "News", "--repair"],
      ["star", "A3", "--source", "news"], ["rename", "News", "--template", "{title}.{ext}"],
    ] {
      let result = try await run.podget(arguments)
      #expect(result.status == .exited(1), "\(arguments)")
      #expect(
        result.error
          == "podget: \(arguments.last == "news" ? "news" : "News"): 2 podcasts have this title; "
          + "name one of them: alpha, beta.\n")
    }
    #expect(try await listed().count == 6)
    #expect(try await titles("list", "News").count == 6)
  }

  @Test("what only has the title of a subscription is left out, with a line") func leftOut()
    async throws
  {
    try add("C1", day: 9, title: "Talk", feed: "https://other.example/talk?token=1")
    try add("D1", day: 9, title: "Talk")
    let opml = String(
      decoding: try run.folder.read("library/.podget/subscriptions.opml"), as: UTF8.self)
    try run.folder.write(
      "library/.podget/subscriptions.opml",
      opml.replacing(
        "</body>",
        with: #"<outline type="rss" text="Talk" xmlUrl="https://talk.example/" "#
          + #"podget:name="talk"/></body>"#))
    try add("E1", day: 1, title: "Talk", feed: "https://talk.example")
    try add("E2", day: 2, title: "Talk", feed: "https://talk.example")
    let result = try await run.podget(["prune", "talk", "--keep", "0"])
    #expect(result.status == .exited(0))
    #expect(
      result.error.contains(
        "talk: 1 episode of another podcast with its title is left out: "
          + "https://other.example/talk?…."))
    #expect(result.error.contains("left out: records without an id and an address."))
    #expect(try await listed() == ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "D1"])
    // Nothing else has this title any more, so it can only be the subscription's.
    _ = try await run.podget(["remove", "C1"])
    try FileManager.default.removeItem(atPath: run.folder.path("library/Talk C"))
    #expect(try await titles("list", "talk") == ["D1"])
  }
}
