import Foundation
import LoopbackServer
import TestSupport

/// A host of a podcast's feed and its episodes on a loopback port, and a listener who uses it.
struct FeedServer {
  /// An episode as the feed lists it and the host serves it.
  struct Item {
    var number: Int
    var guid: String?
    var title: String

    init(_ number: Int, guid: String? = nil) {
      self.number = number
      self.guid = guid ?? "guid-\(number)"
      title = "Number \(number)"
    }

    var path: String { "/media/\(number).mp3" }
    var bytes: [UInt8] { MP3Maker.bytes(seed: UInt64(number), length: 20_000) }
    var day: String { number < 10 ? "0\(number)" : "\(number)" }

    /// The item, with an address that is relative to the feed's.
    var xml: String {
      let guid = guid.map { "<guid isPermaLink=\"false\">\($0)</guid>" } ?? ""
      return """
        <item><title>\(title)</title>\(guid)<pubDate>\(day) Jan 2024 06:00:00 GMT</pubDate>
        <enclosure url="\(path)" type="audio/mpeg" length="\(bytes.count)"/></item>
        """
    }
  }

  let server: LoopbackServer
  let folder: TemporaryFolder
  var environment: [String: String] = [:]

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - items: the episodes that it serves.
  ///   - respond: responses for paths of no episode; nil for an episode of `items`.
  init(
    _ items: [Item] = [],
    respond: @escaping @Sendable (Request, String) -> (status: Int, type: String, body: String)?
  ) throws {
    folder = try TemporaryFolder()
    let files = Dictionary(uniqueKeysWithValues: items.map { ($0.path, $0.bytes) })
    server = try LoopbackServer { request, connection in
      let origin = "http://\(request.first("Host") ?? "")"
      if let answer = respond(request, origin) {
        var fields = [Request.Field("Content-Type", answer.type)]
        if (300..<400).contains(answer.status) { fields = [.init("Location", answer.body)] }
        connection.respond(
          status: answer.status, fields: fields,
          body: Array((answer.status < 300 ? answer.body : "").utf8))
        return
      }
      guard let bytes = files[request.path] else {
        connection.respond(status: 404)
        return
      }
      connection.respond(fields: [.init("ETag", "\"\(request.path)\"")], body: bytes)
    }
  }

  /// A server of one feed at `/feed.xml`.
  init(feedOf items: [Item], suffix: String = "</channel></rss>") throws {
    let feed = Self.feed(items, suffix: suffix)
    try self.init(items) { request, _ in
      request.path == "/feed.xml" ? (200, "application/rss+xml", feed) : nil
    }
  }

  /// A feed of items, the newest first.
  static func feed(
    _ items: [Item], title: String = "The Feed", head: String = "",
    suffix: String = "</channel></rss>"
  ) -> String {
    """
    <?xml version="1.0"?>
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>\(title)</title>\(head)
    \(items.map(\.xml).joined(separator: "\n"))
    """ + suffix
  }

  var origin: String { server.origin }
  var library: String { folder.path("library") }

  /// Runs podget to its end.
  func run(_ arguments: String...) async throws -> RunningProcess.Result {
    try await run(arguments)
  }

  /// Runs podget with a list of arguments to its end.
  func run(_ arguments: [String]) async throws -> RunningProcess.Result {
    let standard = [
      "PODGET_ITUNES_URL": server.origin, "PODGET_LIBRARY": library, "PODGET_RETRY_DELAY": "0",
      "HOME": folder.path, "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
    ]
    let result = try await RunningProcess(
      .podget, arguments, environment: standard.merging(environment) { $1 }, folder: folder.path
    ).waitForExit()
    SchemaCheck.check(arguments, result)
    return result
  }

  /// The names of the complete episodes, sorted.
  var names: [String] {
    folder.files.filter { $0.hasPrefix("library/") && !$0.contains("/.") }
      .map { String($0.split(separator: "/").last ?? "") }.sorted()
  }

  /// Requests by their paths, in their order.
  var paths: [String] { server.log.map(\.request.path) }
}
