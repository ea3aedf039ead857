import Foundation
import TestSupport
import Testing

/// `podget resume --forget`: no more downloads of what was planned.
@Suite("podget resume --forget") struct ForgetTests {
  private let run: CommandRun

  init() throws {
    run = try CommandRun()
    for (podcast, title) in [("News", "One"), ("News", "Two"), ("Other", "Three")] {
      try plan(title, of: podcast)
    }
  }

  private func plan(_ title: String, of podcast: String, feed: String? = nil) throws {
    let key = CommandRun.key(podcast, title)
    let record: [String: Any] = [
      "version": 1, "key": key,
      "podcast": ["title": podcast, "feedUrl": feed].compactMapValues { $0 },
      "episode": ["title": title, "url": "http://127.0.0.1:1/\(title)"],
      "folder": podcast, "stem": title, "announcedExtension": "mp3",
    ]
    try run.folder.write(
      "library/.podget/partial/\(key).json",
      Array(try JSONSerialization.data(withJSONObject: record)))
    try run.folder.write("library/.podget/partial/\(key).part", "bytes")
  }

  private var partials: [String] {
    run.folder.files.filter { $0.contains("/partial/") }
  }

  @Test func `a dry run says what would be forgotten`() async throws {
    let before = partials
    let result = try await run.podget(["resume", "--forget", "--dry-run"])
    #expect(result.status == .exited(0) && result.error.contains("3 skipped"))
    #expect(
      result.error.split(separator: "\n").count { $0.contains("would be forgotten") } == 3
        && !result.error.contains("  forgotten"))
    #expect(partials == before && before.count == 6)
  }

  @Test(
    "a title of several podcasts means none of them, planned or recorded",
    arguments: [[], ["--dry-run"]])
  func ambiguous(options: [String]) async throws {
    try plan("Public", of: "Talk", feed: "https://talk.example/feed")
    try plan("Paid", of: "Talk", feed: "https://talk.example/premium")
    // Of this one only a finished episode is there.
    try run.addFinished("Four", date: nil, podcast: "Other")
    try plan("Five", of: "Other", feed: "https://other.example/feed")
    let before = partials
    for (title, names) in [
      ("talk", "https://talk.example/feed, https://talk.example/premium"),
      (
        "Other",
        "https://other.example/feed; podget list --json has the addresses, and the ids of episodes "
          + "without one"
      ),
    ] {
      let result = try await run.podget(["resume", title, "--forget"] + options)
      #expect(result.status == .exited(1))
      #expect(
        result.error.contains("\(title): 2 podcasts have this title; name one of them: \(names)."))
      #expect(partials == before)
    }
    let named = try await run.podget(["resume", "https://talk.example/feed", "--forget"])
    #expect(named.status == .exited(0) && partials.count == before.count - 2)
    #expect(!partials.contains { $0.contains(CommandRun.key("Talk", "Public")) })
  }

  @Test func `plans and bytes of a podcast are deleted, and no request is sent`() async throws {
    let result = try await run.podget(["resume", "news", "News", "--forget", "--json"])
    #expect(result.status == .exited(0))
    #expect(result.lines.count { $0.contains(#""reason":"forgotten""#) } == 2)
    #expect(partials.count == 2)
    #expect(partials.allSatisfy { $0.contains(CommandRun.key("Other", "Three")) })

    let rest = try await run.podget(["resume", "--forget"])
    #expect(rest.status == .exited(0) && partials.isEmpty)
    let nothing = try await run.podget(["resume"])
    #expect(nothing.status == .exited(0) && nothing.error.contains("Nothing to download"))
  }

  @Test("an earlier address of a subscription means the show that is there now") func reused()
    async throws
  {
    try run.folder.write(
      "library/.podget/subscriptions.opml",
      """
      <?xml version="1.0"?>
      <opml version="2.0" xmlns:podget="urn:podget:opml"><body>
      <outline type="rss" text="Talk" xmlUrl="https://new.example/feed" podget:name="talk"
        podget:first="https://old.example/feed"/></body></opml>
      """)
    try plan("Old", of: "Talk", feed: "https://old.example/feed")
    try plan("New", of: "Talk", feed: "https://new.example/feed")
    try plan("Six", of: "Another", feed: "https://old.example/feed")
    let before = partials
    _ = try await run.podget(["resume", "https://old.example/feed", "--forget"])
    #expect(
      partials == before.filter { !$0.contains(CommandRun.key("Another", "Six")) })
    _ = try await run.podget(["resume", "https://old.example/feed", "--forget"])
    #expect(partials.count == before.count - 6)
  }

  @Test func `what another podget is downloading is kept`() async throws {
    let key = CommandRun.key("News", "One")
    let part = open(run.folder.path("library/.podget/partial/\(key).part"), O_RDWR)
    defer { close(part) }
    #expect(flock(part, LOCK_EX) == 0)
    let result = try await run.podget(["resume", "--forget"])
    #expect(result.status == .exited(1))
    #expect(partials.allSatisfy { $0.contains(key) } && partials.count == 2)
  }
}
