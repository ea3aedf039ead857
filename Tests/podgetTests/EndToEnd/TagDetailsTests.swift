import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Tags that only feeds know.
@Suite(.serialized) struct TagDetailsTests {
  private let folder: TemporaryFolder
  private let server: LoopbackServer
  private let picture = TestPNG.bytes(width: 8, height: 8, color: [255, 0, 0, 255])

  init() async throws {
    folder = try TemporaryFolder()
    let picture = picture
    let media = MP3Maker.bytes(seed: 1, length: 20_000)
    let (flag, stopped) = (folder.path("lost"), folder.path("stopped"))
    server = try LoopbackServer { request, connection in
      let origin = "http://\(request.first("Host") ?? "")"
      let isLost = FileManager.default.fileExists(atPath: flag)
      switch request.path {
      case "/feed.xml": connection.respond(body: Array(Self.feed(origin).utf8))
      case "/chapters.json" where !isLost: connection.respond(body: Array(Self.chapters.utf8))
      case "/cover.png" where !isLost: connection.respond(body: picture)
      case "/1.mp3" where FileManager.default.fileExists(atPath: stopped):
        connection.respond(status: 503)
      case "/1.mp3": connection.respond(body: media)
      default: connection.respond(status: 404)
      }
    }
    let result = try await run("download", "\(server.origin)/feed.xml")
    #expect(result.status == .exited(0), "\(result.error)")
  }

  private static func feed(_ origin: String) -> String {
    """
    <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
      xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>The Cast</title>
    <itunes:image href="\(origin)/cover.png"/>
    <item><title>One</title><guid>guid-1</guid><pubDate>01 Jan 2024 06:00:00 GMT</pubDate>
      <link>https://example.org/one</link>
      <description>&lt;p&gt;Words &amp;amp; more&lt;/p&gt;</description>
      <podcast:chapters url="\(origin)/chapters.json" type="application/json"/>
      <enclosure url="/1.mp3" type="audio/mpeg" length="20000"/></item>
    </channel></rss>
    """
  }

  private static let chapters = """
    {"version":"1.2.0","chapters":[{"startTime":0,"title":"Begin"},{"startTime":1.5,"title":"Last"}]}
    """

  private func run(_ arguments: String...) async throws -> RunningProcess.Result {
    let result = try await RunningProcess(
      .podget, arguments,
      environment: [
        "PODGET_ITUNES_URL": server.origin, "PODGET_LIBRARY": folder.path("library"),
        "PODGET_RETRIES": "0", "HOME": folder.path, "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
      ], folder: folder.path
    ).waitForExit()
    SchemaCheck.check(arguments, result)
    return result
  }

  private func file() throws -> [UInt8] {
    try folder.read(try #require(folder.files.first { $0.hasSuffix("One.mp3") }))
  }

  private func has(_ text: String) throws -> Bool {
    try file().firstRange(of: Array(text.utf8)) != nil
  }

  private func requests(_ path: String) -> Int { server.log(for: path).count }

  @Test func `descriptions, pages, chapters and artwork come from the feed, once`() async throws {
    let before = try file()
    let dry = try await run("tag", "--details", "--dry-run", "--json")
    #expect(dry.output.contains("\"chapters\"") && dry.output.contains("\"artwork\""))
    #expect(try file() == before)
    let result = try await run("tag", "--details")
    #expect(result.status == .exited(0), "\(result.error)")
    for text in ["TIT2", "Words & more", "https://example.org/one", "CHAP", "Last", "APIC"] {
      #expect(try has(text), "\(text)")
    }
    #expect(try file().firstRange(of: picture) != nil)
    // One table of contents at the top, in order.
    #expect(try has("CTOC") && has("toc\u{0}\u{3}\u{2}ch0\u{0}ch1\u{0}"))
    // What the file has is not asked for again.
    let asked = (requests("/chapters.json"), requests("/cover.png"))
    #expect(try await run("tag", "--details").error.contains("1 unchanged"))
    #expect((requests("/chapters.json"), requests("/cover.png")) == asked)
    #expect(try await run("verify", "--json").values("status") == ["ok"])
    #expect(try await run("tag", "--undo").status == .exited(0))
    #expect(try file() == before)
  }

  @Test func `what the library knows is written first, and undo gives back what was received`()
    async throws
  {
    let before = try file()
    #expect(try await run("tag").status == .exited(0))
    #expect(try has("TIT2") && !has("CHAP"))
    #expect(try await run("tag", "--details").status == .exited(0))
    #expect(try has("CHAP"))
    #expect(try await run("tag", "--undo").status == .exited(0))
    #expect(try file() == before)
  }

  @Test(arguments: ["download", "sync", "a later run"])
  func `a download with tags has all that the feed knows before the file has its name`(
    way: String
  ) async throws {
    let before = try file()
    try FileManager.default.removeItem(atPath: folder.path("library"))
    let feed = "\(server.origin)/feed.xml"
    switch way {
    case "download":
      let result = try await run("download", feed, "--tag")
      #expect(result.status == .exited(0), "\(result.error)")
    case "sync":
      #expect(try await run("subscribe", feed, "--tag").status == .exited(0))
      let result = try await run("sync")
      #expect(result.status == .exited(0), "\(result.error)")
    default:
      // What the feed knew is part of the plan, which is kept.
      try folder.write("stopped", "")
      #expect(try await run("download", feed, "--tag").status != .exited(0))
      try FileManager.default.removeItem(atPath: folder.path("stopped"))
      let result = try await run("resume")
      #expect(result.status == .exited(0), "\(result.error)")
    }
    for text in ["TIT2", "Words & more", "https://example.org/one", "CHAP", "Last", "APIC"] {
      #expect(try has(text), "\(text)")
    }
    #expect(try file().firstRange(of: picture) != nil)
    #expect(try await run("verify", "--json").values("status") == ["ok"])
    #expect(try await run("tag", "--undo").status == .exited(0))
    #expect(try file() == before)
  }

  @Test func `what a download cannot have for its tags is a note`() async throws {
    try FileManager.default.removeItem(atPath: folder.path("library"))
    try folder.write("lost", "")
    let result = try await run("download", "\(server.origin)/feed.xml", "--tag")
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(
      result.error.contains("One: its chapters cannot be had")
        && result.error.contains("One: its artwork cannot be had"), "\(result.error)")
    #expect(try has("Words & more") && !has("CHAP"))
  }

  @Test func `what cannot be had is a note, and the rest is written`() async throws {
    try folder.write("lost", "")
    let result = try await run("tag", "--details")
    #expect(result.status == .exited(0))
    #expect(
      result.error.contains("One: its chapters cannot be had")
        && result.error.contains("One: its artwork cannot be had"))
    #expect(try has("Words & more") && !has("CHAP"))
    #expect(try await run("tag", "--undo", "--details").status == .exited(64))
  }
}
