import Foundation
import LoopbackServer
import PodcastFeeds
import PodcastKit
import TestSupport
import Testing

/// `publish`: a folder that a web server serves.
@Suite("Publishing") struct PublishTests {
  private static let base = "https://example.org/p"
  private let run: CommandRun
  private var folder: TemporaryFolder { run.folder }

  init() throws {
    run = try CommandRun()
    try run.addFinished("One", date: "2024-03-05T12:00:00Z", podcast: "News", guid: "tag:1")
    try run.addFinished("Two", date: "2024-03-06T12:00:00Z", podcast: "News", bytes: 2000)
    try run.addFinished("Gone", date: nil, podcast: "News", isMissing: true)
    try run.addFinished("Three", date: nil, podcast: "Other & <more>")
  }

  private func publish(_ more: String...) async throws -> RunningProcess.Result {
    try await run.podget(["publish", folder.path("public"), "--base-url", Self.base] + more)
  }

  /// The served files with what identifies each.
  private func served() throws -> [String: String] {
    var files: [String: String] = [:]
    for path in folder.files where path.hasPrefix("public/") {
      var status = stat()
      try #require(lstat(folder.path(path), &status) == 0)
      files[String(path.dropFirst(7))] =
        "\(status.st_ino) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec) \(status.st_size)"
    }
    return files
  }

  /// The name of a podcast's folder.
  private func name(_ stem: String) throws -> String {
    try #require(
      FileManager.default.contentsOfDirectory(atPath: folder.path("public")).first {
        $0.hasPrefix("\(stem)-")
      })
  }

  private func feed(_ name: String) throws -> FeedDocument {
    guard case .feed(let document) = try FeedReader.read(folder.read("public/\(name)/feed.xml"))
    else { throw PodgetError(.decoding, "It is no feed.") }
    return document
  }

  @Test func `a feed has the complete episodes of the library, and files are linked`() async throws
  {
    let result = try await publish("--json")
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(try result.values("podcast", "title") == ["News", "Other & <more>"])
    #expect(try result.values("episodes") == ["2", "1"])
    let news = try name("news")
    #expect(try result.values("feed")[0] == "\(Self.base)/\(news)/feed.xml")
    let document = try feed(news)
    let listed = try await run.podget(["list", "--json", "--status", "complete", "News"])
    #expect(document.episodes.map(\.title) == ["Two", "One"])
    #expect(try listed.values("episode", "title") == ["Two", "One"])
    let guids = document.episodes.map { $0.guid ?? "" }
    #expect(guids == [CommandRun.key("News", "Two"), "tag:1"])
    let dates = document.episodes.compactMap { $0.date?.timestamp }
    #expect(try listed.values("episode", "date") == dates)
    let lengths = document.episodes.map { String($0.enclosure.length ?? 0) }
    #expect(try listed.values("bytes") == lengths)
    #expect(document.episodes.map(\.duration) == [.seconds(90), .seconds(90)])
    for episode in document.episodes {
      let file = episode.enclosure.url.dropFirst(Self.base.utf8.count + 1)
      var (here, there) = (stat(), stat())
      #expect(stat(folder.path("public/\(file)"), &here) == 0)
      #expect(stat(folder.path("library/News/\(episode.title).mp3"), &there) == 0)
      #expect(here.st_ino == there.st_ino)
    }
    let count = folder.files.count { $0.hasPrefix("public/") }
    #expect(count == 10, "\(folder.files)")
    let index = String(decoding: try folder.read("public/index.html"), as: UTF8.self)
    #expect(index.contains("Other &amp; &lt;more&gt;") && !index.contains("<script"))
    let list = try OPMLDocument(reading: folder.read("public/subscriptions.opml"))
    #expect(list.outlines.map { $0["text"] } == ["News", "Other & <more>"])
  }

  @Test func `a second run writes nothing, and says so`() async throws {
    _ = try await publish()
    let before = try served()
    let again = try await publish()
    #expect(again.error == "2 podcasts: 0 files written, 0 removed\n")
    #expect(try served() == before)
    let other = try await publish("--index")
    #expect(other.error == "2 podcasts: 5 files written, 0 removed\n")
  }

  @Test func `a dry run writes nothing`() async throws {
    let result = try await publish("--dry-run")
    #expect(result.status == .exited(0) && !folder.contains("public"))
    #expect(result.error == "2 podcasts: 9 files to be written, 0 to be removed\n")
    #expect(result.output.hasPrefix("would publish  News: 2 episodes, 2.9 KiB, \(Self.base)/news-"))
    _ = try await publish()
    let before = try served()
    let second = try await publish("--dry-run", "News")
    #expect(second.error == "1 podcast: 2 files to be written, 3 to be removed\n")
    #expect(try served() == before)
  }

  @Test func `stale files go, and files of others stay`() async throws {
    _ = try await publish()
    let (news, other) = (try name("news"), try name("other-more"))
    try folder.write("public/\(other)/mine.txt", "mine")
    try folder.write("public/mine.html", "mine")
    _ = try await run.podget(["remove", "One"])
    let result = try await publish("News")
    #expect(result.error == "1 podcast: 4 files written, 4 removed\n")
    #expect(try feed(news).episodes.map(\.title) == ["Two"])
    let left = folder.files.filter { $0.hasPrefix("public/") && !$0.contains(news) }.sorted()
    #expect(
      left == [
        "public/.podget-publish", "public/index.html", "public/mine.html",
        "public/\(other)/mine.txt", "public/subscriptions.opml",
      ])
    try FileManager.default.removeItem(atPath: folder.path("public/\(other)/mine.txt"))
  }

  @Test func `a file of another origin is never replaced`() async throws {
    try folder.write("public/index.html", "mine")
    let result = try await publish()
    #expect(result.status == .exited(1))
    let path = folder.path("public/index.html")
    let message = "\(path) is not a file of podget; move it away, or choose another folder."
    #expect(result.error == "podget: \(message)\n")
    #expect(folder.files.filter { $0.hasPrefix("public/") } == ["public/index.html"])
    // A record that names other files gives podget no right to them.
    try folder.write("outside/feed.xml", "mine")
    try folder.write(
      "public/.podget-publish",
      "podget publish 1\n../outside/feed.xml\n/etc/passwd\na/b/c\n.hidden\n\(UInt8.max)\n")
    #expect(try await publish().status == .exited(1))
    #expect(try folder.read("outside/feed.xml") == Array("mine".utf8))
    try folder.write("public/.podget-publish", "something else\n")
    #expect(
      try await publish().error.contains(".podget-publish is not a list that this podget writes"))
  }

  @Test func `no link in the folder leads elsewhere`() async throws {
    _ = try await publish()
    let news = try name("news")
    try FileManager.default.moveItem(
      atPath: folder.path("public/\(news)"), toPath: folder.path("elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("public/\(news)"), withDestinationPath: folder.path("elsewhere"))
    let before = folder.files.filter { $0.hasPrefix("elsewhere/") }
    let result = try await publish("--index")
    #expect(result.status == .exited(1), "\(result.error)")
    #expect(folder.files.filter { $0.hasPrefix("elsewhere/") } == before)
  }

  @Test(arguments: ["library", "library/public", "library/News", "", "library/News/x/y"])
  func `no library is served with its records`(name: String) async throws {
    let before = folder.files.filter { !$0.contains("library.sqlite") }
    let result = try await run.podget(
      ["publish", folder.path(name), "--base-url", Self.base])
    #expect(result.status == .exited(1))
    #expect(result.error.contains("it is a library, or in one or above one"), "\(result.error)")
    #expect(folder.files.filter { !$0.contains("library.sqlite") } == before)
    #expect(!folder.contains("library/public") && !folder.contains("library/News/x"))
  }

  @Test func `copies have the bytes and the times, and only links share a file`() async throws {
    let result = try await publish("--copy")
    #expect(result.status == .exited(0), "\(result.error)")
    let news = try name("news")
    let file = "public/\(news)/\(CommandRun.key("News", "Two")).mp3"
    #expect(try folder.read(file) == folder.read("library/News/Two.mp3"))
    let before = try served()
    #expect(try await publish("--copy").error == "2 podcasts: 0 files written, 0 removed\n")
    #expect(try served() == before)
    #expect(try await publish().error == "2 podcasts: 3 files written, 0 removed\n")
    #expect(try await publish("--copy").error == "2 podcasts: 3 files written, 0 removed\n")
  }

  @Test func `a file that is no media for a feed is left out`() async throws {
    let records = folder.path("library/News/.podget.ndjson")
    let text = try String(contentsOfFile: records, encoding: .utf8)
    try text.replacing("Two.mp3", with: "Two.php").write(
      toFile: records, atomically: true, encoding: .utf8)
    try FileManager.default.moveItem(
      atPath: folder.path("library/News/Two.mp3"), toPath: folder.path("library/News/Two.php"))
    let result = try await publish()
    #expect(result.status == .exited(0))
    let path = folder.path("library/News/Two.php")
    #expect(
      result.error.contains("\(path) is left out: no feed can say of which type it is."),
      "\(result.error)")
    #expect(try feed(name("news")).episodes.map(\.title) == ["One"])
    #expect(!folder.files.contains { $0.hasPrefix("public/") && $0.hasSuffix(".php") })
  }

  @Test func `a folder that cannot be read takes nothing out of the feeds`() async throws {
    _ = try await publish()
    let before = try served()
    let records = folder.path("library/News/.podget.ndjson")
    try FileManager.default.removeItem(atPath: records)
    try FileManager.default.createSymbolicLink(
      atPath: records, withDestinationPath: "/nowhere")
    let result = try await publish()
    #expect(result.status == .exited(1), "\(result.error)")
    #expect(try served() == before)
  }

  @Test(arguments: [
    [], ["--base-url", "example.org"], ["--base-url", "https://a:b@example.org/"],
  ])
  func `a base address is needed`(options: [String]) async throws {
    let result = try await run.podget(["publish", folder.path("public")] + options)
    #expect(result.status == .exited(64) && !folder.contains("public"))
  }
}

/// The published folder behind a real server.
@Suite(.serialized) struct ServedPublicationTests {
  @Test(.enabled(if: NginxServer.isInstalled, "nginx or openssl is not installed"))
  func `podget follows a published feed through nginx, and gets every byte`() async throws {
    let host = try ArtworkHost()
    let first = InProcess(environment: host.environment)
    for arguments in [
      ["subscribe", host.feed, "--name", "talk", "--all"], ["sync"],
      ["artwork", "--export", host.folder.path("covers")],
    ] {
      let result = await first.run(arguments)
      #expect(result.status == .exited(0), "\(arguments): \(result.error)")
    }
    let folder = try TemporaryFolder()
    let nginx = try await NginxServer(root: folder.path)
    let published = await first.run(
      [
        "publish", host.folder.path("public"), "--base-url", "\(nginx.origin)/", "--artwork",
        host.folder.path("covers"),
      ])
    #expect(published.status == .exited(0), "\(published.error)")
    for name in try FileManager.default.contentsOfDirectory(atPath: host.folder.path("public")) {
      try FileManager.default.moveItem(
        atPath: host.folder.path("public/\(name)"), toPath: folder.path(name))
    }
    #expect(
      try folder.read("talk/artwork.png") == host.folder.read("covers/The Feed.png"))
    let other = try TemporaryFolder()
    let second = InProcess(environment: [
      "PODGET_LIBRARY": other.path("library"), "HOME": other.path, "no_proxy": "127.0.0.1",
      "PODGET_RETRIES": "0", "LANG": "C.UTF-8", "PODGET_MAX_NEW": "none",
    ])
    for arguments in [["subscribe", "\(nginx.origin)/talk/feed.xml", "--all"], ["sync"]] {
      let result = await second.run(arguments)
      #expect(result.status == .exited(0), "\(arguments): \(result.error)")
    }
    let (own, theirs) = (
      await first.run(["list", "--json"]), await second.run(["list", "--json"])
    )
    for path in [["sha256"], ["episode", "guid"], ["episode", "title"], ["episode", "date"]] {
      #expect(try own.values(at: path) == theirs.values(at: path))
    }
    #expect(try theirs.objects.count == 9)
    #expect(nginx.accessLog.allSatisfy { $0.contains("\" 200 ") })
  }
}

extension RunningProcess.Result {
  fileprivate func values(at path: [String]) throws -> [String] {
    try path.count == 1 ? values(path[0]) : values(path[0], path[1])
  }
}
