public import LoopbackServer
import Synchronization

/// A host of feeds and their episodes on a loopback port, whose feeds a test changes between syncs.
///
/// Answers have an ETag made from the body, and 304 where a request has it, unless a test says
/// otherwise.
public final class FeedHost: Sendable {
  /// An episode of a feed.
  public struct Item: Sendable {
    /// Its path, its bytes and its title are derived from it.
    public var number: Int
    /// Its guid; nil for none.
    public var guid: String?
    /// Its title.
    public var title: String
    /// Its date as the feed writes it; nil for none.
    public var date: String?
    /// The query of its address; empty for none. The file is the same one.
    public var query = ""
    /// What its element has besides, as XML.
    public var extra = ""

    /// Makes an item; the date is that day of January 2024.
    public init(_ number: Int, guid: String? = nil, title: String? = nil, date: String? = nil) {
      self.number = number
      self.guid = guid ?? "guid-\(number)"
      self.title = title ?? "Number \(number)"
      self.date = date ?? "\(number < 10 ? "0" : "")\(number) Jan 2024 06:00:00 GMT"
    }

    /// The bytes of its file.
    public var bytes: [UInt8] { MP3Maker.bytes(seed: UInt64(number), length: 20_000) }

    /// All files have one length; making one for each mention takes long.
    private static let byteCount = Item(1).bytes.count

    var xml: String {
      let guid = guid.map { "<guid isPermaLink=\"false\">\($0)</guid>" } ?? ""
      let date = date.map { "<pubDate>\($0)</pubDate>" } ?? ""
      let address = "/media/\(number).mp3" + (query.isEmpty ? "" : "?\(query)")
      return """
        <item><title>\(title)</title>\(guid)\(date)\(extra)
        <enclosure url="\(address)" type="audio/mpeg" length="\(Self.byteCount)"/></item>
        """
    }
  }

  /// A feed, or whatever else is at an address.
  public struct Feed: Sendable {
    /// The podcast's title.
    public var title: String
    /// The items, the newest first.
    public var items: [Item]
    /// What is in the channel before the items.
    public var head = ""
    /// The body instead of the feed.
    public var body: String?
    /// The status.
    public var status = 200
    /// Header fields to add.
    public var fields: [Request.Field] = []
    /// Whether validators are sent and honored.
    public var hasValidators = true
    /// Whether each request waits until this is false.
    public var isHeld = false

    /// Makes a feed.
    public init(title: String = "The Feed", _ items: [Item] = []) {
      self.title = title
      self.items = items
    }

    /// Redirects to another address.
    public static func redirect(_ status: Int, to location: String) -> Feed {
      var feed = Feed()
      feed.status = status
      feed.fields = [Request.Field("Location", location)]
      feed.body = ""
      return feed
    }

    /// Answers with an error.
    public static func error(_ status: Int, retryAfter: String? = nil) -> Feed {
      var feed = Feed()
      feed.status = status
      feed.body = "error"
      feed.fields = retryAfter.map { [Request.Field("Retry-After", $0)] } ?? []
      return feed
    }

    /// The answer to a request.
    ///
    /// - Parameter etag: the validator that the request names; nil for none.
    public func answer(
      known etag: String?
    ) -> (status: Int, fields: [Request.Field], body: [UInt8]) {
      let body = Array(xml.utf8)
      var fields = fields
      if hasValidators, status == 200 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        fields.append(.init("ETag", "\"\(hash)\""))
        if etag == "\"\(hash)\"" { return (304, fields, []) }
      }
      return (status, fields + [.init("Content-Type", "application/rss+xml")], body)
    }

    /// The feed as XML.
    public var xml: String {
      body ?? """
        <?xml version="1.0"?>
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
          xmlns:podcast="https://podcastindex.org/namespace/1.0"
          xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>\(title)</title>\(head)
        \(items.map(\.xml).joined(separator: "\n"))
        </channel></rss>
        """
    }
  }

  private final class Shared: Sendable {
    let feeds = Mutex<[String: Feed]>([:])
    let isMediaHeld = Mutex(false)
    let heldMedia = Mutex<Set<Int>>([])
    let missingMedia = Mutex<Set<Int>>([])
    let mediaRate = Mutex(0)
    let authorization = Mutex<String?>(nil)

    /// What is at a path now.
    func feed(_ path: String) -> Feed? { feeds.withLock { $0[path] } }

    /// Whether the file of an episode is not there.
    func lacks(_ number: Int) -> Bool { missingMedia.withLock { $0.contains(number) } }

    /// Whether an episode waits.
    func holds(_ number: Int) -> Bool {
      isMediaHeld.withLock { $0 } || heldMedia.withLock { $0.contains(number) }
    }
  }

  private let shared: Shared
  private let server: LoopbackServer

  /// Starts a host.
  ///
  /// - Throws: ``LoopbackServer/StartError``.
  public init(_ feeds: [String: Feed] = [:], port: UInt16 = 0) throws {
    let shared = Shared()
    shared.feeds.withLock { $0 = feeds }
    self.shared = shared
    server = try LoopbackServer(port: port) { request, connection in
      Self.answer(request, connection, shared)
    }
  }

  /// The start of every address: `http://127.0.0.1:PORT`.
  public var origin: String { server.origin }

  /// The port.
  public var port: UInt16 { server.port }

  /// The feeds by their paths; a change takes effect with the next request.
  public subscript(path: String) -> Feed {
    get { shared.feeds.withLock { $0[path] ?? Feed() } }
    set { shared.feeds.withLock { $0[path] = newValue } }
  }

  /// Whether episodes wait: their requests are answered when this is false again.
  public var isMediaHeld: Bool {
    get { shared.isMediaHeld.withLock { $0 } }
    set { shared.isMediaHeld.withLock { $0 = newValue } }
  }

  /// The numbers of the episodes that wait: their requests are answered when they are not in it.
  public var heldMedia: Set<Int> {
    get { shared.heldMedia.withLock { $0 } }
    set { shared.heldMedia.withLock { $0 = newValue } }
  }

  /// The numbers of the episodes whose files are not there: 404.
  public var missingMedia: Set<Int> {
    get { shared.missingMedia.withLock { $0 } }
    set { shared.missingMedia.withLock { $0 = newValue } }
  }

  /// How many bytes a second an episode is sent with; zero for no limit.
  public var mediaRate: Int {
    get { shared.mediaRate.withLock { $0 } }
    set { shared.mediaRate.withLock { $0 = newValue } }
  }

  /// The value that the field `Authorization` of each request must have, such as
  /// `Basic dXNlcjpwYXNz`; nil for none.
  public var authorization: String? {
    get { shared.authorization.withLock { $0 } }
    set { shared.authorization.withLock { $0 = newValue } }
  }

  /// All requests, in order.
  public var log: [LoggedRequest] { server.log }

  /// The requests for feeds, in order.
  public var feedRequests: [LoggedRequest] {
    server.log.filter { !$0.path.hasPrefix("/media/") }
  }

  /// The numbers of the episodes that were asked for, in order.
  public var mediaRequests: [Int] {
    server.log.compactMap { entry in
      guard entry.path.hasPrefix("/media/") else { return nil }
      return Int(entry.path.dropFirst(7).prefix { $0 != "." })
    }
  }

  /// Forgets all requests so far, for tests that make very many. None may be running.
  public func forgetLog() { server.forgetLog() }

  /// Ends the host: connections are refused from now on.
  public func stop() { server.stop() }

  private static func answer(_ request: Request, _ connection: Connection, _ shared: Shared) {
    if let wanted = shared.authorization.withLock({ $0 }),
      request.first("Authorization") != wanted
    {
      connection.respond(
        status: 401, fields: [.init("WWW-Authenticate", "Basic realm=\"podcasts\"")])
      return
    }
    if request.path.hasPrefix("/media/") {
      guard let number = Int(request.path.dropFirst(7).prefix { $0 != "." }),
        !shared.lacks(number)
      else {
        connection.respond(status: 404)
        return
      }
      while shared.holds(number), connection.wait(until: .now + .milliseconds(5)) {}
      let bytes = Item(number).bytes
      let rate = shared.mediaRate.withLock { $0 }
      let fields: [Request.Field] = [
        .init("ETag", "\"\(number)\""), .init("Content-Type", "audio/mpeg"),
      ]
      if rate == 0 {
        connection.respond(fields: fields, body: bytes)
      } else {
        let length = Request.Field("Content-Length", String(bytes.count))
        connection.writeHead(status: 200, fields: fields + [length])
        connection.pace(bytes, rate: rate)
      }
      return
    }
    while shared.feeds.withLock({ $0[request.path]?.isHeld == true }),
      connection.wait(until: .now + .milliseconds(5))
    {}
    guard let feed = shared.feed(request.path) else {
      connection.respond(status: 404)
      return
    }
    let answer = feed.answer(known: request.first("If-None-Match"))
    connection.respond(status: answer.status, fields: answer.fields, body: answer.body)
  }
}
