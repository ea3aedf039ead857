import Foundation
import LoopbackServer
import PodcastFeeds
import TestSupport
import Testing

@Suite struct DemoServerTests {
  private struct Running {
    let folder: TemporaryFolder
    let process: RunningProcess
    let port: UInt16

    func get(_ target: String, _ fields: String...) throws -> (head: [String], body: [UInt8]) {
      let client = try RawClient(port: port)
      client.get(target, (fields + ["Connection: close"]).joined(separator: "\r\n"))
      return (try client.readHead(), client.readToEnd().bytes)
    }

    func results(_ target: String) throws -> [[String: Any]] {
      let answer = try JSONSerialization.jsonObject(with: Data(get(target).body))
      let members = try #require(answer as? [String: Any])
      let results = try #require(members["results"] as? [[String: Any]])
      #expect(members["resultCount"] as? Int == results.count)
      return results
    }
  }

  private func start(_ arguments: String...) async throws -> Running {
    let folder = try TemporaryFolder()
    let process = try RunningProcess(
      .demoServer,
      [
        "--fixtures", "\(packageRoot)/Fixtures/Lookup.json", "--port-file", folder.path("port"),
        "--log", folder.path("log"),
      ] + arguments)
    try await waitUntil("it listens", seen: { process.error }) { folder.contains("port") }
    let text = String(decoding: try folder.read("port"), as: UTF8.self)
    let port = try #require(UInt16(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    return Running(folder: folder, process: process, port: port)
  }

  @Test func `a lookup names episodes on its own origin, with their files' durations`()
    async throws
  {
    let server = try await start("--size", "20K")
    let lookup = "/lookup?id=1386867488&media=podcast&entity=podcastEpisode"
    let all = try server.results(lookup)
    #expect(all.count == 6)
    #expect(try server.results(lookup + "&limit=2").count == 3)
    #expect(try server.results("/lookup?id=1&entity=podcastEpisode").isEmpty)
    let stored = try #require(
      JSONSerialization.jsonObject(
        with: Data(contentsOf: URL(filePath: "\(packageRoot)/Fixtures/Lookup.json")))
        as? [String: Any])
    for (served, entry) in zip(all, try #require(stored["results"] as? [[String: Any]])) {
      var expected = entry
      for name in ["episodeUrl", "previewUrl"] {
        guard let address = entry[name] as? String else { continue }
        expected[name] = address.replacingOccurrences(
          of: "https://feeds.soundcloud.com", with: "http://127.0.0.1:\(server.port)")
      }
      // The feed is served here too: nobody on the internet is asked.
      expected["feedUrl"] = "http://127.0.0.1:\(server.port)/feed/1386867488.xml"
      for name in entry.keys where name.hasPrefix("artworkUrl") {
        expected[name] = "http://127.0.0.1:\(server.port)/artwork.png"
      }
      if entry["episodeUrl"] != nil {
        // 20 KiB, an eighth more or less, are that long at 16 bytes a millisecond.
        let milliseconds = try #require(served["trackTimeMillis"] as? Int)
        #expect((1_100...1_500).contains(milliseconds))
        expected["trackTimeMillis"] = milliseconds
      }
      #expect(NSDictionary(dictionary: served) == NSDictionary(dictionary: expected))
    }
  }

  @Test func `the feed has the same episodes on its own origin`() async throws {
    let server = try await start("--size", "20K")
    let origin = "http://127.0.0.1:\(server.port)"
    let listed = try server.results("/lookup?id=1386867488&entity=podcastEpisode").dropFirst()
    let answer = try server.get("/feed/1386867488.xml")
    #expect(answer.head.first?.contains(" 200 ") == true)
    guard case .feed(let feed) = try FeedReader.read(answer.body) else {
      Issue.record("It is no feed.")
      return
    }
    #expect(feed.podcast.title == "The Symbolic World")
    #expect(feed.episodes.map(\.title) == listed.map { $0["trackName"] as? String })
    #expect(feed.episodes.map(\.guid) == listed.map { $0["episodeGuid"] as? String })
    #expect(feed.episodes.map(\.enclosure.url) == listed.map { $0["episodeUrl"] as? String })
    for episode in feed.episodes {
      let path = String(episode.enclosure.url.dropFirst(origin.count))
      #expect(episode.enclosure.length == Int64(try server.get(path).body.count))
    }
    #expect(!String(decoding: answer.body, as: UTF8.self).contains("soundcloud.com"))
    #expect(try server.get("/feed/1.xml").head.first?.contains(" 404 ") == true)
    #expect(try server.get("/feed/01386867488.xml").head.first?.contains(" 404 ") == true)
  }

  @Test func `it starts in any folder, and says in a sentence that its fixture is missing`()
    async throws
  {
    let folder = try TemporaryFolder()
    let process = try RunningProcess(
      .demoServer, ["--port-file", folder.path("port"), "--size", "20K"], folder: folder.path)
    try await waitUntil("it listens", seen: { process.error }) { folder.contains("port") }
    process.signal(SIGTERM)
    #expect(try await process.waitForExit().status == .exited(0))
    try folder.write("wrong.json", "{}")
    for name in ["none.json", "wrong.json"] {
      let failed = try await RunningProcess(
        .demoServer, ["--fixtures", name], folder: folder.path
      ).waitForExit()
      #expect(
        failed.error
          == "Error: The lookup answer \(name) cannot be read; name another file with --fixtures.\n"
      )
      #expect(failed.status == .exited(1))
    }
  }

  @Test func `a search finds the podcast by words`() async throws {
    let server = try await start()
    #expect(try server.results("/search?term=SYMBOLIC+pageau").count == 1)
    #expect(try server.results("/search?term=symbolic+nobody").isEmpty)
    #expect(try server.results("/search?term=").isEmpty)
  }

  @Test func `the artwork is a PNG`() async throws {
    let server = try await start()
    let answer = try server.get("/artwork.png")
    #expect(answer.head.first?.contains(" 200 ") == true)
    #expect(answer.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func `episodes can be continued and are logged`() async throws {
    let server = try await start("--size", "20K")
    let lines = String(decoding: try server.get("/episodes").body, as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.count == 5)
    let path = try #require(lines.first?.split(separator: "\t").first.map(String.init))
    let whole = try server.get(path)
    let etag = try #require(whole.head.first { $0.hasPrefix("ETag: \"") }?.dropFirst(6))
    #expect(whole.head.contains("Last-Modified: Thu, 16 Feb 2023 16:00:17 GMT"))
    #expect((17_000...24_000).contains(whole.body.count))
    let rest = try server.get(path + "?rate=0", "Range: bytes=1000-", "If-Range: \(etag)")
    #expect(rest.body == Array(whole.body[1000...]))
    server.process.signal(SIGTERM)
    #expect(try await server.process.waitForExit().status == .exited(0))
    let log = String(decoding: try server.folder.read("log"), as: UTF8.self)
    #expect(
      log.hasSuffix("GET\t\(path)?rate=0\tbytes=1000-\t206\t\(whole.body.count - 1000)\n"))
  }
}
