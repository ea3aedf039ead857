import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// `podget artwork`, from the command line to the cache.
@Suite(.serialized) struct ArtworkTests {
  /// A host of three podcasts, `/a` to `/c`, with images `/a.png` to `/c.png`.
  private final class Host: Sendable {
    private let held = Mutex<Set<String>>([])
    private let images = Mutex<[String: [UInt8]]>([:])
    let folder: TemporaryFolder
    let server: LoopbackServer

    init() throws {
      folder = try TemporaryFolder()
      let box = Box()
      server = try LoopbackServer { request, connection in
        while box.host?.held.withLock({ $0.contains(request.path) }) == true,
          connection.wait(until: .now + .milliseconds(5))
        {}
        let origin = "http://\(request.first("Host") ?? "")"
        if let image = box.host?.images.withLock({ $0[request.path] }) {
          connection.respond(fields: [.init("ETag", "\"\(request.path)\"")], body: image)
        } else if request.path.hasSuffix(".mp3") {
          connection.respond(
            fields: [.init("ETag", "\"1\"")], body: MP3Maker.bytes(seed: 1, length: 20_000))
        } else if request.path.count == 2 {
          connection.respond(body: Array(Self.feed(request.path, origin).utf8))
        } else {
          connection.respond(status: 404)
        }
      }
      images.withLock { images in
        for (name, side) in [("a", 40), ("b", 600), ("c", 10)] {
          images["/\(name).png"] = TestPNG.bytes(
            width: side, height: side / 2, color: [255, 0, 0, 255])
        }
      }
      box.set(self)
    }

    /// The server lives as long as its host, so its handler must not keep the host.
    private final class Box: Sendable {
      private struct Reference: Sendable { weak var host: Host? }
      private let reference = Mutex(Reference())
      var host: Host? { reference.withLock { $0.host } }
      func set(_ host: Host) { reference.withLock { $0.host = host } }
    }

    private static func feed(_ path: String, _ origin: String) -> String {
      """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title>Show \(path.dropFirst())</title>
      \(path == "/d" ? "" : "<itunes:image href=\"\(origin)\(path).png\"/>")
      <item><title>One</title><guid>\(path)</guid><pubDate>01 Jan 2024 06:00:00 GMT</pubDate>
      <enclosure url="\(origin)\(path).mp3" type="audio/mpeg" length="20000"/></item>
      </channel></rss>
      """
    }

    subscript(image path: String) -> [UInt8]? {
      get { images.withLock { $0[path] } }
      set { images.withLock { $0[path] = newValue } }
    }

    func hold(_ path: String) { held.withLock { _ = $0.insert(path) } }

    func start(
      _ arguments: [String], with program: String = BuiltBinary.podget.path,
      environment: [String: String] = [:]
    ) throws -> RunningProcess {
      let standard = [
        "PODGET_LIBRARY": folder.path("library"), "PODGET_RETRIES": "0", "HOME": folder.path,
        "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
      ]
      return try RunningProcess(
        program, arguments, environment: standard.merging(environment) { $1 }, folder: folder.path)
    }

    func run(_ arguments: String...) async throws -> RunningProcess.Result {
      let result = try await start(arguments).waitForExit()
      SchemaCheck.check(arguments, result)
      return result
    }

    /// The paths that were asked for since the last call's number, sorted.
    func paths(from count: Int = 0) -> [String] {
      server.log.dropFirst(count).map(\.path).sorted()
    }
  }

  private let host: Host

  init() throws { host = try Host() }

  private func address(_ path: String) -> String { host.server.origin + path }

  @Test func `subscriptions get their artworks once`() async throws {
    _ = try await host.run("subscribe", address("/a"), address("/b"))
    let first = try await host.run("artwork", "--json")
    #expect(first.status == .exited(0), "\(first.error)")
    let events = try first.events()
    #expect(events.map(\.name).sorted() == ["artwork", "artwork", "summary"])
    #expect(events.last?.name == "summary" && events.last?["finished"] == 2)
    let large = try #require(events.first { $0["url"] == address("/b.png") })
    #expect(large["width"] == 300 && large["height"] == 150)
    #expect(large["bytes"] == host[image: "/b.png"]?.count)
    let small = try #require(events.first { $0["url"] == address("/a.png") })
    #expect(small["width"] == 40 && small["height"] == 20)
    let cache = host.folder.files.filter { $0.hasPrefix("library/.podget/artwork/") }
    #expect(cache.count == 2)
    let count = host.server.log.count
    let again = try await host.run("artwork", "--json")
    #expect(try again.events().count { $0.name == "artwork" } == 2)
    // The feeds say where the images are; the images are there.
    #expect(host.paths(from: count) == ["/a", "/b"])
    // The folder may be deleted.
    try FileManager.default.removeItem(atPath: host.folder.path("library/.podget/artwork"))
    #expect(try await host.run("artwork").status == .exited(0))
    #expect(host.folder.files.filter { $0.hasPrefix("library/.podget/artwork/") }.count == 2)
  }

  @Test func `a podcast that moved counts once, and another one with its title too`() async throws {
    _ = try await host.run("subscribe", address("/a"))
    let file = "library/.podget/subscriptions.opml"
    let list = String(decoding: try host.folder.read(file), as: UTF8.self)
    try host.folder.write(
      file,
      list.replacing(
        "xmlUrl=", with: "podget:first=\"\(address("/old"))\" xmlUrl="))
    for (name, number) in [("old", "a"), ("b", "b")] {
      let podcast =
        "{\"artworkUrl\":\"\(address("/\(number).png"))\",\"feedUrl\":\"\(address("/\(name)"))\","
        + "\"title\":\"Show a\"}"
      try host.folder.write(
        "library/\(name)/.podget.ndjson",
        """
        {"fact":"finished","key":"475e9397da80a77aacde541a109e178\(number)","version":1,\
        "podcast":\(podcast),"downloadedAt":"2024-01-01T00:00:00Z","file":"x.mp3","bytes":1,\
        "episode":{"guid":"g","title":"One","url":"http://h/x.mp3"}}

        """)
    }
    let count = host.server.log.count
    let result = try await host.run("artwork", "--json")
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(try result.events().count { $0.name == "artwork" } == 2)
    #expect(host.paths(from: count) == ["/a.png", "/b.png"])
  }

  @Test func `podcasts of the library count once, and known addresses need no feed`() async throws {
    _ = try await host.run("download", address("/c"))
    _ = try await host.run("subscribe", address("/a"))
    func record(_ name: String, artwork: String) -> String {
      let podcast =
        "{\"artworkUrl\":\"\(artwork)\",\"feedUrl\":\"\(address(name))\",\"title\":\"T\"}"
      return """
        {"fact":"finished","key":"475e9397da80a77aacde541a109e178\(name.last ?? "0")","version":2,"podcast":\(podcast),\
        "downloadedAt":"2024-01-01T00:00:00Z","files":[{"bytes":1,"path":"x.mp3","role":"media"}],\
        "episode":{"guid":"g","title":"One","url":"http://h/x.mp3"}}

        """
    }
    try host.folder.write("library/A/.podget.ndjson", record("/a", artwork: address("/a.png")))
    try host.folder.write("library/B/.podget.ndjson", record("/b", artwork: address("/b.png")))
    let count = host.server.log.count
    let result = try await host.run("artwork")
    #expect(result.status == .exited(0), "\(result.error)")
    let lines = result.lines.sorted()
    #expect(lines.count == 3 && lines[0].hasPrefix("Show a: 40x20, from "), "\(lines)")
    // Records of downloads do not keep the address.
    #expect(host.paths(from: count) == ["/a.png", "/b.png", "/c", "/c.png"])
  }

  @Test func `failures stand between the others`() async throws {
    host[image: "/b.png"] = Array("GIF89a......".utf8)
    host[image: "/c.png"] = nil
    let result = try await host.run(
      "artwork", address("/a"), address("/b"), address("/c"), address("/d"), "nothing", "--json")
    #expect(result.status == .exited(1))
    let events = try result.events()
    #expect(events.last?["finished"] == 1 && events.last?["failed"] == 4)
    let codes = events.filter { $0.name == "failed" }.compactMap(\.code).sorted()
    #expect(codes == ["decoding", "httpStatus", "notFound", "notFound"])
    #expect(events.contains { $0["source"] == "nothing" })
    #expect(result.error.contains("Show b: The image cannot be used: it is a GIF"))
    #expect(result.error.contains("Show d: Its feed names no artwork."))
    // Without a library there is no cache.
    #expect(!host.folder.contains("library"))
    let text = try await host.run("artwork", address("/a"), address("/c"))
    #expect(text.status == .exited(1) && text.lines.count == 1)
  }

  @Test func `thumbnails are exported`() async throws {
    let result = try await host.run(
      "artwork", address("/a"), address("/b"), "--size", "8", "--export", "covers", "--json")
    #expect(result.status == .exited(0), "\(result.error)")
    let paths = try result.events().compactMap { $0["path"] as String? }.sorted()
    #expect(paths == ["covers/Show a.png", "covers/Show b.png"])
    for path in paths {
      // Its own decoder reads what podget writes.
      let decoder = try await RunningProcess(
        "/bin/sh",
        [
          "-c",
          "'\(BuiltBinary.podget.path)' --thumbnail 300 < '\(host.folder.path(path))' | wc -c",
        ]
      ).waitForExit()
      #expect(decoder.output == "\(12 + 8 * 4 * 4)\n" || decoder.output == "\(12 + 8 * 4 * 3)\n")
      let png = try host.folder.read(path)
      #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]) && png[19] == 8 && png[23] == 4)
    }
  }

  @Test func `each image is reported when it has arrived, and a signal ends the rest`() async throws
  {
    host.hold("/b.png")
    let process = try host.start(["artwork", address("/a"), address("/b"), "--json"])
    try await waitUntil("the first image is reported", seen: { process.output + process.error }) {
      process.events.map(\.name) == ["artwork"]
    }
    try await waitUntil("the second image is asked for") { host.paths().contains("/b.png") }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    let events = try result.events()
    #expect(events.map(\.name) == ["artwork", "summary"])
    #expect(events.last?["finished"] == 1 && events.last?["failed"] == 0)
  }

  @Test(arguments: [
    ["--size", "0"], ["--size", "1025"], ["--size", "x"], ["--export", ""], [""],
  ])
  func `wrong values are refused`(arguments: [String]) async throws {
    #expect(try await host.start(["artwork"] + arguments).waitForExit().status == .exited(64))
  }

  @Test func `nothing to do is success`() async throws {
    let result = try await host.run("artwork", "--json")
    #expect(result.status == .exited(0))
    #expect(try result.events().map(\.name) == ["summary"])
    #expect(!host.folder.contains("library"))
  }
}
