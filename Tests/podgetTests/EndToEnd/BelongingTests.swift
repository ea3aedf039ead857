import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What `--with` stores beside episodes.
@Suite(.serialized) struct BelongingTests {
  private static let vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\nWelcome to the show.\n"
  private static let image = "RIFF\u{C}\u{0}\u{0}\u{0}WEBPVP8 \u{0}\u{0}\u{0}\u{0}"
  private let follower: Follower

  init() throws {
    follower = try Follower()
    follower.host["/a"] = FeedHost.Feed(title: "A", [Self.item(1)])
    serve()
  }

  private func serve() {
    for number in 1...3 {
      follower.host["/\(number).vtt"] = Self.document(Self.vtt)
      follower.host["/\(number).json"] = Self.document(
        #"{"version":"1.2.0","chapters":[{"startTime":0,"title":"Start","img":"http://x.example/i"}]}"#
      )
      follower.host["/\(number).webp"] = Self.document(Self.image)
    }
  }

  private static func document(_ body: String, status: Int = 200) -> FeedHost.Feed {
    var feed = FeedHost.Feed()
    (feed.body, feed.status) = (body, status)
    return feed
  }

  private static func item(_ number: Int) -> FeedHost.Item {
    var item = FeedHost.Item(number)
    item.extra = """
      <description>&lt;p&gt;About &lt;a href="https://a.example/x"&gt;this&lt;/a&gt;&lt;/p&gt;\
      &lt;script src="https://x.example/s.js"&gt;&lt;/script&gt;![x](https://x.example/i)</description>
      <podcast:transcript url="/\(number).html" type="text/html"/>
      <podcast:transcript url="/\(number).vtt" type="text/vtt"/>
      <podcast:chapters url="/\(number).json" type="application/json+chapters"/>
      <itunes:image href="/\(number).webp"/>
      """
    return item
  }

  private static let files = [
    "A/2024-01-01 - Number 1.chapters.json", "A/2024-01-01 - Number 1.md",
    "A/2024-01-01 - Number 1.mp3", "A/2024-01-01 - Number 1.vtt", "A/2024-01-01 - Number 1.webp",
  ]

  private func text(_ path: String) throws -> String {
    String(decoding: try follower.folder.read("library/\(path)"), as: UTF8.self)
  }

  /// The requests for what belongs to episodes.
  private var requests: [String] {
    follower.host.feedRequests.map(\.path).filter { $0 != "/a" && $0 != "/b" }
  }

  private func verified() async throws -> [String] {
    let result = try await follower.run("verify", "--json")
    return try result.objects.compactMap { object in
      guard let status = object["status"] as? String, status != "ok" else { return nil }
      return "\(status) \(object["path"] as? String ?? "")"
    }
  }

  private var feed: String { "\(follower.host.origin)/a" }

  @Test func `download stores what is asked for, in a form that loads nothing`() async throws {
    let result = try await follower.run("download", feed, "--with", "all", "--json")
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(follower.episodes == Self.files)
    let kinds = try result.lines.compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["event"] as? String == "belonging" ? object?["kind"] as? String : nil
    }
    #expect(Set(kinds) == ["transcript", "chapters", "notes", "artwork"])
    #expect(try text(Self.files[3]) == Self.vtt)
    #expect(try text(Self.files[0]).contains("\"title\" : \"Start\""))
    #expect(try !text(Self.files[0]).contains("x.example"))
    let notes = try text(Self.files[1])
    #expect(notes.contains("About this [1]") && notes.contains("[1]: https://a.example/x"))
    #expect(!notes.contains("<") && !notes.contains("]("))
    #expect(!notes.replacing("\\![", with: "").contains("!["))
    #expect(try await verified().isEmpty)
    // Nothing is asked twice.
    let before = requests
    _ = try await follower.run("download", feed, "--with", "all")
    #expect(requests == before && follower.episodes == Self.files)
  }

  @Test func `nothing is stored unless asked, and other values are refused`() async throws {
    _ = try await follower.run("download", feed)
    #expect(follower.episodes == [Self.files[2]] && requests.isEmpty)
    for command in [["download", feed], ["sync"], ["subscribe", feed]] {
      let result = try await follower.start(command + ["--with", "lyrics"]).waitForExit()
      #expect(result.status == .exited(64))
      #expect(result.error.contains("--with takes all, none or a list of"), "\(result.error)")
    }
    let resume = try await follower.start(["resume", "--with", "all"]).waitForExit()
    #expect(resume.status == .exited(64) && resume.error.contains("what was planned"))
    // What is there gets what it lacks when it is named.
    _ = try await follower.run("download", feed, "--with", "notes,chapters")
    #expect(follower.episodes == Array(Self.files.prefix(3)))
  }

  @Test func `an error page and a missing file are warnings, and the episode is there`()
    async throws
  {
    follower.host["/1.vtt"] = Self.document("<!DOCTYPE html><p>Not found")
    follower.host["/1.json"] = Self.document("gone", status: 404)
    follower.host["/1.webp"] = Self.document("<html>")
    let result = try await follower.run("download", feed, "--with", "all")
    #expect(result.status == .exited(0))
    #expect(follower.episodes == Array(Self.files[1...2]))
    for kind in ["transcript", "chapters", "artwork"] {
      #expect(result.error.contains("Warning: Number 1: no \(kind): "), "\(result.error)")
    }
    #expect(try await verified().isEmpty)
  }

  @Test func `a subscription has its own setting, and sync tries again later`() async throws {
    follower.host["/b"] = FeedHost.Feed(title: "B", [Self.item(2)])
    _ = try await follower.follow("/a", "--with", "transcripts")
    _ = try await follower.follow("/b", "--with", "transcripts")
    func requests() -> Int { self.requests.count { $0 == "/1.vtt" } }
    #expect(try follower.file.contains("podget:with=\"transcripts\""))
    follower.host["/1.vtt"] = Self.document("", status: 503)
    let first = try await follower.run("sync")
    #expect(first.status == .exited(0), "\(first.error)")
    #expect(first.error.contains("Warning: Number 1: no transcript: "), "\(first.error)")
    #expect(requests() == 1)
    serve()
    // Not before an hour, and never for a podcast that is not asked.
    _ = try await follower.run("sync")
    #expect(requests() == 1)
    try backdate()
    _ = try await follower.run("sync", "b")
    #expect(requests() == 1)
    _ = try await follower.run("sync")
    #expect(requests() == 2)
    #expect(follower.episodes.contains(Self.files[3]))
    _ = try await follower.run("sync")
    #expect(requests() == 2)
    // The new episodes of the next sync have theirs, too.
    follower.host["/a"].items = [Self.item(3), Self.item(1)]
    _ = try await follower.run("sync", "--with", "chapters")
    #expect(follower.episodes.contains("A/2024-01-03 - Number 3.chapters.json"))
    #expect(!follower.episodes.contains("A/2024-01-03 - Number 3.vtt"))
  }

  /// Lets the last tries be two hours ago.
  private func backdate() throws {
    let path = "library/A/.podget.ndjson"
    let record = String(decoding: try follower.folder.read(path), as: UTF8.self)
    let old = record.replacing(/"tried":"[^"]*"/, with: "\"tried\":\"2024-01-01T00:00:00Z\"")
    #expect(old != record)
    try follower.folder.write(path, old)
  }

  @Test func `what a person deletes or changes stays so until it is asked for`() async throws {
    var user = follower
    user.environment["PODGET_WITH"] = "transcripts,notes"
    _ = try await user.run("download", feed)
    try FileManager.default.removeItem(atPath: "\(follower.library)/\(Self.files[3])")
    try follower.folder.write("library/\(Self.files[1])", "my own notes")
    #expect(try await verified() == ["changed \(Self.files[1])"])
    _ = try await user.run("download", feed)
    #expect(follower.episodes == Array(Self.files[1...2]))
    _ = try await user.run("download", feed, "--with", "transcripts,notes")
    #expect(follower.episodes == Array(Self.files[1...3]))
    #expect(try text(Self.files[1]) == "my own notes")
  }

  @Test func `they share the life of their episode`() async throws {
    _ = try await follower.run("download", feed, "--with", "all")
    _ = try await follower.run("rename", "--template", "{podcast}/{title}.{ext}")
    #expect(follower.episodes == Self.files.map { $0.replacing("2024-01-01 - ", with: "") })
    _ = try await follower.run("remove", "Number 1")
    #expect(follower.episodes.isEmpty)
    let trash = try await follower.run("trash", "--json")
    #expect(try trash.objects.count == 1)
    _ = try await follower.run("restore", "Number 1")
    #expect(follower.episodes == Self.files.map { $0.replacing("2024-01-01 - ", with: "") })
    #expect(try await verified().isEmpty)
    // A new download of the episode keeps them.
    _ = try await follower.run("download", feed, "--force")
    #expect(follower.episodes.count == 5)
    #expect(try await verified().isEmpty)
  }

  @Test func `an interrupted download keeps in mind what is stored beside it`() async throws {
    follower.host.isMediaHeld = true
    let process = try follower.start(["download", feed, "--with", "all"])
    try await waitUntil("the server is asked") { !follower.host.mediaRequests.isEmpty }
    process.signal(SIGKILL)
    _ = try await process.waitForExit()
    follower.host.isMediaHeld = false
    #expect(requests.isEmpty)
    _ = try await follower.run("resume")
    #expect(follower.episodes == Self.files)
  }

  @Test(arguments: [("none", 1), ("notes", 2)])
  func `what a person says counts for a download that was planned with more`(
    kinds: String, count: Int
  ) async throws {
    follower.host.isMediaHeld = true
    let process = try follower.start(["download", feed, "--with", "all"])
    try await waitUntil("the server is asked") { !follower.host.mediaRequests.isEmpty }
    process.signal(SIGKILL)
    _ = try await process.waitForExit()
    follower.host.isMediaHeld = false
    let result = try await follower.run("download", feed, "--with", kinds)
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(follower.episodes == (count == 1 ? [Self.files[2]] : Array(Self.files[1...2])))
    #expect(requests.isEmpty)
  }

  @Test(arguments: [SIGINT, SIGKILL])
  func `notes are there before a server is asked for more`(signal: Int32) async throws {
    follower.host["/1.vtt"].isHeld = true
    let process = try follower.start(["download", feed, "--with", "transcripts,notes"])
    try await waitUntil("the server is asked") { requests.contains("/1.vtt") }
    process.signal(signal)
    _ = try await process.waitForExit()
    follower.host["/1.vtt"].isHeld = false
    #expect(follower.episodes == Array(Self.files[1...2]))
    #expect(try await verified().isEmpty)
  }

  @Test func `Ctrl-C ends a request that is waiting, and a later download tries again`()
    async throws
  {
    follower.host["/1.vtt"].isHeld = true
    let process = try follower.start(["download", feed, "--with", "transcripts"])
    try await waitUntil("the server is asked") { requests.contains("/1.vtt") }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130), "\(result.error)")
    follower.host["/1.vtt"].isHeld = false
    _ = try await follower.run("download", feed, "--with", "transcripts")
    #expect(follower.episodes == Array(Self.files[2...3]))
  }

  @Test func `show lists what is stored, and artwork brings the podcast's cover`() async throws {
    follower.host["/a"].head = "<itunes:image href=\"/cover.webp\"/>"
    follower.host["/cover.webp"] = Self.document(Self.image + "cover")
    _ = try await follower.run("download", feed, "--with", "artwork")
    #expect(follower.episodes == [Self.files[2], Self.files[4], "A/cover.webp"])
    #expect(try await verified().isEmpty)
    let text = try await follower.run("show", feed, "--details")
    #expect(text.output.contains("Stored: \(Self.files[4])"))
    let shown = try await follower.run("show", feed, "--details", "--json")
    let stored = try #require(try shown.objects.first?["stored"] as? [[String: Any]])
    #expect(stored.map { $0["path"] as? String } == [Self.files[4]])
    // Without the feed, what is stored is shown.
    _ = try await follower.run("download", feed, "--with", "notes,chapters")
    follower.host["/a"] = Self.document("", status: 503)
    let offline = try await follower.run("show", feed, "--details")
    #expect(offline.status == .exited(1))
    #expect(
      offline.output.contains("  Chapter: 0:00 Start\n  About this [1]\n"), "\(offline.output)")
    for ending in ["md", "chapters.json"] {
      try FileManager.default.removeItem(
        atPath: "\(follower.library)/A/2024-01-01 - Number 1.\(ending)")
    }
    _ = try await follower.run("rename", "--template", "B/{title}.{ext}")
    #expect(follower.episodes == ["B/Number 1.mp3", "B/Number 1.webp", "B/cover.webp"])
  }

  @Test func `two episodes with one stem have a file each`() async throws {
    var second = Self.item(2)
    second.title = "Number 1"
    second.date = FeedHost.Item(1).date ?? ""
    follower.host["/a"].items = [second, Self.item(1)]
    follower.host["/2.vtt"] = Self.document(Self.vtt)
    _ = try await follower.run("download", feed, "--with", "transcripts,artwork")
    let files = follower.episodes
    #expect(files.count == 6 && files.filter { $0.hasSuffix(".vtt") }.count == 2, "\(files)")
    _ = try await follower.run("remove", "guid-1")
    #expect(follower.episodes.count == 3)
    #expect(try await verified().isEmpty)
  }

  @Test func `nothing is stored in the space that stays free, and a later run does it`()
    async throws
  {
    _ = try await follower.run("download", feed)
    let full = try await follower.run(
      "download", feed, "--with", "all", "--keep-free", "1000000000G")
    #expect(full.status == .exited(0))
    #expect(full.error.contains("less free space than is to stay free"), "\(full.error)")
    #expect(follower.episodes == [Self.files[2]] && requests.isEmpty)
    // The feed still lists it, although nothing of it is chosen.
    _ = try await follower.run("download", feed, "--match", "another", "--with", "all")
    #expect(follower.episodes == Self.files)
  }

  @Test func `download looks up a cover although nothing is new`() async throws {
    _ = try await follower.run("download", feed)
    follower.host["/a"].head = "<itunes:image href=\"/cover.webp\"/>"
    follower.host["/cover.webp"] = Self.document(Self.image + "cover")
    for _ in 1...2 {
      _ = try await follower.run("download", feed, "--match", "another", "--with", "cover")
      #expect(follower.episodes == [Self.files[2], "A/cover.webp"])
    }
    #expect(requests == ["/cover.webp"])
  }
}
