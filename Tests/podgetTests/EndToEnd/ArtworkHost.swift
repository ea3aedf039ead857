import LoopbackServer
import Synchronization
import TestSupport

/// A host of a feed with artwork, which may be held or missing.
final class ArtworkHost: Sendable {
  private struct State: Sendable {
    var isHeld = false
    var isMissing = false
  }

  private final class Shared: Sendable { let state = Mutex(State()) }

  private let shared = Shared()
  let server: LoopbackServer
  /// The home of the podget that uses this host, with its library.
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let shared = shared
    let image = TestPNG.bytes(width: 400, height: 400, color: [255, 0, 0, 255])
    server = try LoopbackServer { request, connection in
      let origin = "http://\(request.first("Host") ?? "")"
      switch request.path {
      case "/feed.xml": connection.respond(body: Array(Self.feed(origin).utf8))
      case let path where path.hasPrefix("/search"):
        let podcast =
          #"{"collectionId":7,"collectionName":"The Feed","feedUrl":"\#(origin)/feed.xml"}"#
        connection.respond(body: Array(#"{"resultCount":1,"results":[\#(podcast)]}"#.utf8))
      case "/art.png":
        while shared.state.withLock({ $0.isHeld }),
          connection.wait(until: .now + .milliseconds(5))
        {}
        if shared.state.withLock({ $0.isMissing }) {
          connection.respond(status: 404)
        } else {
          connection.respond(fields: [.init("ETag", "\"1\"")], body: image)
        }
      default:
        connection.respond(
          fields: [.init("ETag", "\"1\"")], body: MP3Maker.bytes(seed: 1, length: 20_000))
      }
    }
  }

  private static func feed(_ origin: String) -> String {
    let items = (1...9).reversed().map { number in
      """
      <item><title>Number \(number)</title><guid>\(number)</guid>
      <pubDate>0\(number) Jan 2024 06:00:00 GMT</pubDate>
      <enclosure url="\(origin)/\(number).mp3" type="audio/mpeg" length="20000"/></item>
      """
    }
    return """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title>The Feed</title><itunes:author>Ann</itunes:author>
      <itunes:image href="\(origin)/art.png"/>\(items.joined())</channel></rss>
      """
  }

  var isHeld: Bool {
    get { shared.state.withLock { $0.isHeld } }
    set { shared.state.withLock { $0.isHeld = newValue } }
  }

  var isMissing: Bool {
    get { shared.state.withLock { $0.isMissing } }
    set { shared.state.withLock { $0.isMissing = newValue } }
  }

  /// The address of the feed.
  var feed: String { "\(server.origin)/feed.xml" }

  /// What a podget needs to use this host.
  var environment: [String: String] {
    [
      "PODGET_LIBRARY": folder.path("library"), "PODGET_RETRIES": "0", "HOME": folder.path,
      "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
    ]
  }

  var imageRequests: Int { server.log.count { $0.path == "/art.png" } }
}
