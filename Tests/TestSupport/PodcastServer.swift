import Foundation
public import LoopbackServer
import Synchronization

/// A directory with one podcast, and the host of its episodes, on a loopback port.
///
/// `/lookup` answers as the iTunes directory does; every episode has a path of its own.
public final class PodcastServer: Sendable {
  /// The podcast's id in the directory.
  public static let id: Int64 = 1_386_867_488

  /// One episode as the directory lists it and the host serves it.
  public struct Episode: Sendable {
    /// Its track id; its path and its bytes are derived from it.
    public var id: Int64
    /// Its title.
    public var title: String
    /// Its date as the directory writes it; nil leaves it out.
    public var date: String?
    /// The entity tag that it is served with; nil is none.
    public var etag: String?
    /// The date that it is served with; nil is none.
    public var lastModified: String?
    /// Where it is, as a path of this server.
    public var path: String
    /// Its bytes.
    public var bytes: [UInt8]
    /// How it is served.
    public var behaviour: @Sendable (Request) -> Behaviour

    /// Makes an episode of about so many bytes of audio; each id gives other bytes.
    public init(
      _ id: Int64, _ title: String, date: String? = nil, size: Int64 = 64 << 10,
      behaviour: @escaping @Sendable (Request) -> Behaviour = { _ in Behaviour() }
    ) {
      self.id = id
      self.title = title
      self.date = date ?? "2024-01-0\(max(1, min(9, id)))T06:00:00Z"
      etag = "\"\(id)\""
      lastModified = Representation.longAgo
      path = "/\(id).mp3"
      bytes = MP3Maker.bytes(seed: UInt64(bitPattern: id), length: size)
      self.behaviour = behaviour
    }

    fileprivate var serving: FileServing {
      let version = Representation(bytes, etag: etag, lastModified: lastModified)
      return FileServing(version: { _ in version }, behaviour: behaviour)
    }

    fileprivate func record(origin: String, podcast: String) -> [String: Any] {
      var record: [String: Any] = [
        "wrapperType": "podcastEpisode", "kind": "podcast-episode", "trackId": id,
        "collectionId": PodcastServer.id, "collectionName": podcast, "trackName": title,
        "trackTimeMillis": 60_000, "episodeUrl": origin + path, "episodeFileExtension": "mp3",
        "episodeContentType": "audio",
      ]
      record["releaseDate"] = date
      return record
    }
  }

  private struct State {
    var title: String
    var author: String
    var episodes: [Episode]
    var lookup: @Sendable (Request) -> Behaviour.Answer? = { _ in nil }
    var rate = 0
    var hold: Int64?
  }

  private final class Shared: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }

  private let shared: Shared
  private let server: LoopbackServer

  /// Starts a server.
  /// - Throws: ``LoopbackServer/StartError``.
  public init(
    title: String = "The Symbolic World", author: String = "Jonathan Pageau",
    _ episodes: [Episode]
  ) throws {
    let shared = Shared(State(title: title, author: author, episodes: episodes))
    self.shared = shared
    server = try LoopbackServer { request, connection in
      if request.path == "/lookup" {
        Self.lookUp(request, shared, connection)
      } else if let episode = shared.state.withLock({ state in
        state.episodes.first { $0.path == request.path }
      }) {
        let rate = shared.state.withLock { $0.rate }
        var paced = episode
        paced.behaviour = { request in
          var behaviour = episode.behaviour(request)
          if behaviour.rate == 0 { behaviour.rate = rate }
          return behaviour
        }
        var serving = paced.serving
        serving.isHeld = { offset in
          shared.state.withLock { state in state.hold.map { offset >= $0 } ?? false }
        }
        serving.answer(request, on: connection)
      } else {
        connection.respond(status: 404, body: "There is no \(request.path) here.\n")
      }
    }
  }

  /// The start of every address: `http://127.0.0.1:PORT`.
  public var origin: String { server.origin }

  /// The offset in bytes at which episodes stop, also those that are being sent, so that a test
  /// can look for as long as it needs; nil continues them. One piece more than that may be sent.
  public var hold: Int64? {
    get { shared.state.withLock { $0.hold } }
    set { shared.state.withLock { $0.hold = newValue } }
  }

  /// What is listed and served; a change takes effect with the next request.
  public var episodes: [Episode] {
    get { shared.state.withLock { $0.episodes } }
    set { shared.state.withLock { $0.episodes = newValue } }
  }

  /// Bytes a second of every further answer whose behaviour names no rate; 0 is no limit.
  public var rate: Int {
    get { shared.state.withLock { $0.rate } }
    set { shared.state.withLock { $0.rate = newValue } }
  }

  /// Answers lookups with something else; nil answers them as the directory does.
  public func answerLookups(_ answer: @escaping @Sendable (Request) -> Behaviour.Answer?) {
    shared.state.withLock { $0.lookup = answer }
  }

  /// The lookups so far, in order.
  public var lookups: [LoggedRequest] { server.log(for: "/lookup") }

  /// The requests for episodes so far, in order.
  public var downloads: [LoggedRequest] { server.log.filter { $0.path != "/lookup" } }

  /// Waits until everything from clients that have ended has arrived: the request of a killed
  /// one may have been sent, and not been read yet.
  /// - Throws: ``RawClient/Failure``, ``TimedOut``.
  public func settle() async throws {
    // Connections are accepted in order, so all earlier ones have been accepted when this one ends.
    do {
      let client = try RawClient(port: server.port)
      client.get("/lookup", "Connection: close")
      _ = client.readToEnd()
    }
    try await waitUntil("all connections are over") { server.openConnections == 0 }
  }

  /// The requests for one episode so far, in order.
  public func downloads(of episode: Episode) -> [LoggedRequest] { server.log(for: episode.path) }

  private static func lookUp(_ request: Request, _ shared: Shared, _ connection: Connection) {
    let state = shared.state.withLock { state in
      (state.title, state.author, state.episodes, state.lookup)
    }
    let (title, author, episodes, lookup) = state
    if let answer = lookup(request) {
      connection.respond(status: answer.status, fields: answer.fields, body: answer.body)
      return
    }
    let origin = "http://\(request.first("Host") ?? "")"
    let podcast: [String: Any] = [
      "wrapperType": "track", "kind": "podcast", "collectionId": id, "collectionName": title,
      "artistName": author, "trackCount": episodes.count,
    ]
    let isKnown = request.query["id"] == String(id)
    let results =
      isKnown ? [podcast] + episodes.map { $0.record(origin: origin, podcast: title) } : []
    let answer: [String: Any] = ["resultCount": results.count, "results": results]
    let body = (try? JSONSerialization.data(withJSONObject: answer)) ?? Data()
    connection.respond(
      fields: [Request.Field("Content-Type", "text/javascript; charset=utf-8")], body: body)
  }
}
