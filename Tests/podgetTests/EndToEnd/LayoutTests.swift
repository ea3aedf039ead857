import Foundation
import TestSupport
import Testing

/// Libraries that media servers read: `--layout`.
@Suite("Layouts") struct LayoutTests {
  private let run: CommandRun
  private var folder: TemporaryFolder { run.folder }

  init() throws {
    run = try CommandRun()
    try run.addFinished("One", date: "2024-03-05T12:00:00Z", podcast: "News")
    try run.addFinished("Two", date: "2024-03-06T12:00:00Z", podcast: "News")
    try run.addFinished("Three", date: nil, podcast: "Other")
  }

  private func podget(_ arguments: String..., layout: String) async throws
    -> RunningProcess.Result
  {
    var run = run
    run.more["PODGET_LAYOUT"] = layout
    return try await run.podget(arguments)
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try folder.read("library/\(path)"), as: UTF8.self)
  }

  @Test func `rename brings a library into a layout, with files about each podcast`() async throws {
    let result = try await run.podget(["rename", "--layout", "jellyfin"])
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(
      folder.files.filter { $0.hasPrefix("library/") && !$0.hasPrefix("library/.podget") } == [
        "library/News/.podget.ndjson", "library/News/2024-03-05 - One.mp3",
        "library/News/2024-03-06 - Two.mp3", "library/News/News.m3u8", "library/News/album.nfo",
        "library/Other/.podget.ndjson", "library/Other/Other.m3u8", "library/Other/Three.mp3",
        "library/Other/album.nfo",
      ])
    let playlist = try text("News/News.m3u8")
    #expect(playlist.hasSuffix("One\n2024-03-05 - One.mp3\n#EXTINF:90,Two\n2024-03-06 - Two.mp3\n"))
  }

  @Test func `a removed episode leaves the playlist, a restored one comes back`() async throws {
    _ = try await podget("rename", "--template", "{podcast}/{title}.{ext}", layout: "plain")
    #expect(try text("News/News.m3u8").contains("One.mp3"))
    _ = try await podget("remove", "One", layout: "plain")
    #expect(try !text("News/News.m3u8").contains("One.mp3"))
    _ = try await podget("restore", "One", layout: "plain")
    #expect(try text("News/News.m3u8").contains("One.mp3"))
    _ = try await podget("remove", "Three", layout: "plain")
    #expect(!folder.contains("library/Other/Other.m3u8"))
  }

  @Test func `a podcast that has another title now is one, under the title of the newest episode`()
    async throws
  {
    try run.addFinished("Old", date: "2020-01-01T12:00:00Z")
    try run.addFinished("New", date: "2024-01-01T12:00:00Z")
    let records = "library/The Symbolic World/.podget.ndjson"
    let lines = String(decoding: try folder.read(records), as: UTF8.self).split(separator: "\n")
    let renamed = lines[1].replacing("The Symbolic World\"", with: "The World\"")
    #expect(renamed != lines[1])
    try folder.write(records, Array("\(lines[0])\n\(renamed)\n".utf8))
    _ = try await podget("remove", "Two", layout: "plain")
    let playlist = try text("The Symbolic World/The Symbolic World.m3u8")
    #expect(playlist.contains("#PLAYLIST:The World\n"))
    #expect(playlist.contains("\nOld.mp3\n") && playlist.contains("\nNew.mp3\n"))
  }

  @Test func `a file of somebody else stays as it is`() async throws {
    try folder.write("library/News/metadata.json", "{\"title\": \"mine\"}")
    let result = try await podget("remove", "Two", layout: "audiobookshelf")
    #expect(try text("News/metadata.json") == "{\"title\": \"mine\"}")
    #expect(result.error.contains("News/metadata.json was not written by podget"))
    #expect(result.status == .exited(0))
    #expect(try text("Other/metadata.json").contains("\"title\": \"Other\""))
  }

  @Test(arguments: [
    ("/>", true), ("podget:user=\"ann\" podget:password-command=\"echo pw\"/>", false),
    ("></body>", false),
  ])
  func `the address of a feed is written if the podcast is known to be public`(
    end: String, isWritten: Bool
  ) async throws {
    let records = "library/News/.podget.ndjson"
    let lines = String(decoding: try folder.read(records), as: UTF8.self)
    let title = "\"podcast\":{\"title\":\"News\""
    #expect(lines.contains(title))
    let feed = "https://host.example/feed"
    try folder.write(
      records, lines.replacing(title, with: "\(title),\"feedUrl\":\"\(feed)\""))
    try folder.write(
      "library/.podget/subscriptions.opml",
      """
      <?xml version="1.0"?>
      <opml version="2.0" xmlns:podget="urn:podget:opml"><body>
      <outline type="rss" text="News" xmlUrl="\(feed)" \(end)
      </body></opml>
      """)
    _ = try await podget("remove", "Two", layout: "audiobookshelf")
    let text = try text("News/metadata.json")
    #expect(text.contains("\"title\": \"News\"") && text.contains(feed) == isWritten)
  }

  @Test func `verify does not list them, and a folder that is left vanishes`() async throws {
    _ = try await run.podget(["rename", "--layout", "jellyfin"])
    let verified = try await run.podget(["verify", "--json"])
    #expect(!verified.output.contains("untracked"))
    _ = try await podget("rename", "--template", "{title}.{ext}", layout: "jellyfin")
    #expect(!folder.files.contains { $0.hasPrefix("library/Other/") })
  }

  @Test func `a layout has covers, unless something else is to be stored`() async throws {
    #expect(try await podget("config", "get", "with", layout: "jellyfin").output == "cover\n")
    #expect(try await run.podget(["config", "get", "with"]).output == "none\n")
    var other = run
    other.more = ["PODGET_LAYOUT": "jellyfin", "PODGET_WITH": "notes"]
    #expect(try await other.podget(["config", "get", "with"]).output == "notes\n")
  }

  @Test func `a dry run writes nothing, and an unknown layout is a wrong command line`()
    async throws
  {
    _ = try await run.podget(["rename", "--layout", "plain", "--dry-run"])
    #expect(!folder.contains("library/News/News.m3u8"))
    #expect(try await run.podget(["rename", "--layout", "plex"]).status == .exited(64))
  }
}
