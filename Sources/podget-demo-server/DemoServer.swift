import ArgumentParser
import FoundationEssentials
import Glibc
import LoopbackServer
internal import PodcastSystem

/// The directory and the podcast's host of the demonstration, on this machine only.
@main
struct DemoServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "podget-demo-server",
    abstract: "Serve a podcast of generated mp3 files on 127.0.0.1 until SIGTERM or SIGINT.",
    discussion: """
      /lookup and /search answer as the iTunes directory does, from a stored lookup answer whose \
      episodes, artwork and feeds are served here. /episodes lists them: path, tab, title.
      """)

  @Option(help: "The stored lookup answer (default: that in the folder of podget's source).")
  var fixtures: String?

  @Option(help: "The port; 0 takes a free one.")
  var port: UInt16 = 0

  @Option(help: "A file to write the port to once the server listens.")
  var portFile: String?

  @Option(help: "Bytes a second for each connection, with K, M, G; 0 is no limit.")
  var rate = ByteCount(bytes: 0)

  @Option(help: "The size of an episode in bytes, varied by up to an eighth, with K, M, G.")
  var size = ByteCount(bytes: 24 << 20)

  @Option(help: "A file for the request log: method, target, range, status and bytes by tabs.")
  var log: String?

  func run() throws {
    // Blocked before any thread starts, so that only `sigwait` below receives them.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT] {
      signal(number, SIG_DFL)
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    let path = fixtures ?? StoredAnswer.path
    guard var listed = try? PodcastDirectory(contentsOf: path) else {
      throw StoredAnswer(path: path)
    }
    let files = EpisodeFiles(of: listed.episodes, size: size.bytes)
    listed.takeDurations(from: files)
    let directory = listed
    let rate = Int(rate.bytes)
    let server = try LoopbackServer(port: port) { request, connection in
      Self.answer(request, on: connection, from: directory, files, rate: rate)
    }
    if let portFile { try "\(server.port)\n".write(toFile: portFile) }
    print(server.origin)
    fflush(nil)

    var received: Int32 = 0
    sigwait(&signals, &received)
    server.stop()
    if let log { try server.log.map { $0.line }.joined().write(toFile: log) }
  }

  private static func answer(
    _ request: Request, on connection: Connection, from directory: PodcastDirectory,
    _ files: EpisodeFiles, rate: Int
  ) {
    let json = [Request.Field("Content-Type", "text/javascript; charset=utf-8")]
    let origin = "http://\(request.first("Host") ?? "127.0.0.1")"
    do {
      switch request.path {
      case "/lookup":
        connection.respond(
          fields: json, body: try directory.lookup(request.query, origin: origin))
      case "/search":
        connection.respond(fields: json, body: try directory.search(request.query, origin: origin))
      case "/episodes":
        connection.respond(
          fields: [Request.Field("Content-Type", "text/plain; charset=utf-8")], body: files.index)
      case let path where PodcastFeed.podcast(at: path) != nil:
        let feed = PodcastFeed.podcast(at: path).flatMap {
          directory.feed(ofPodcast: $0, origin: origin, size: files.bytes(at:))
        }
        connection.respond(
          status: feed == nil ? 404 : 200,
          fields: [Request.Field("Content-Type", "application/rss+xml; charset=utf-8")],
          body: feed ?? "")
      case DemoArtwork.path:
        connection.respond(
          fields: [Request.Field("Content-Type", "image/png")], body: DemoArtwork.png)
      default:
        if let file = files.serving(request, rate: rate) {
          file.answer(request, on: connection)
        } else {
          connection.respond(status: 404, body: "There is no \(request.path) here.\n")
        }
      }
    } catch {
      connection.respond(status: 500, body: "\(error)\n")
    }
  }
}

/// A stored lookup answer that cannot be used.
struct StoredAnswer: Error, CustomStringConvertible {
  let path: String

  var description: String {
    "The lookup answer \(path) cannot be read; name another file with --fixtures."
  }

  /// The one of podget's source: below the folder of this program, wherever it is started, or below the
  /// current one.
  static var path: String {
    let name = "Fixtures/Lookup.json"
    var folder = URL(filePath: OperatingSystem.runningProgram).resolvingSymlinksInPath()
    while folder.path().count > 1 {
      folder.deleteLastPathComponent()
      let path = folder.appending(path: name).path(percentEncoded: false)
      if access(path, R_OK) == 0 { return path }
    }
    return name
  }
}

extension LoggedRequest {
  /// The request as a line of the log.
  var line: String {
    let range = request.first("Range") ?? "-"
    let status = status.map(String.init) ?? "-"
    return "\(request.method)\t\(request.target)\t\(range)\t\(status)\t\(bytesSent)\n"
  }
}

extension String {
  /// Writes the text to a file atomically: a reader never finds half a port number.
  func write(toFile path: String) throws {
    try Data(utf8).write(to: URL(filePath: path), options: .atomic)
  }
}
