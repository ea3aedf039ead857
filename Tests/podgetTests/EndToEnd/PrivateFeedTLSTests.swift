import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Private feeds over TLS: two origins, with redirects between them.
@Suite(.serialized, .enabled(if: NginxServer.isInstalled, "nginx is missing"))
struct PrivateFeedTLSTests {
  /// What a host was asked for, and with which Authorization.
  private final class Log: Sendable {
    let entries = Mutex<[(path: String, authorization: String?)]>([])
  }

  /// A host over TLS in front of a handler, by a name of its own.
  private struct Host {
    let server: LoopbackServer
    let proxy: NginxServer
    let log: Log
    let origin: String

    init(
      _ name: String, _ answer: @escaping @Sendable (Request, Connection, String?) -> Void
    ) async throws {
      let log = Log()
      server = try LoopbackServer { request, connection in
        let authorization = request.first("Authorization")
        log.entries.withLock { $0.append((request.path, authorization)) }
        answer(request, connection, authorization)
      }
      proxy = try await NginxServer(
        root: "/nonexistent", tls: true,
        directives: "location / { proxy_pass \(server.origin); proxy_http_version 1.1; }")
      self.log = log
      origin = proxy.origin.replacing("127.0.0.1", with: name)
    }

    var authorizations: [String?] { log.entries.withLock { $0.map(\.authorization) } }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let expected = "Basic \(Data("ada:secret".utf8).base64EncodedString())"

  /// A private origin whose feed lists one episode there and one on the other origin, and which
  /// redirects the episode to the other one.
  private func hosts() async throws -> (own: Host, other: Host) {
    let other = try await Host("localhost") { request, connection, _ in
      let number = UInt64(request.path.dropFirst().prefix { $0 != "." }) ?? 0
      connection.respond(
        fields: [.init("ETag", "\"x\"")], body: MP3Maker.bytes(seed: number, length: 20_000))
    }
    let elsewhere = other.origin
    let own = try await Host("127.0.0.1") { request, connection, authorization in
      guard authorization == Self.expected else {
        connection.respond(status: 401)
        return
      }
      switch request.path {
      case "/start.xml":
        connection.respond(status: 302, fields: [.init("Location", "/feed.xml")])
      case "/feed.xml":
        connection.respond(
          body: """
            <rss version="2.0"><channel><title>Private</title>
            <item><title>Here</title><guid>1</guid><enclosure url="/1.mp3" type="audio/mpeg"/></item>
            <item><title>There</title><guid>2</guid>
            <enclosure url="\(elsewhere)/2.mp3" type="audio/mpeg"/></item>
            <item><title>Moved</title><guid>3</guid><enclosure url="/3" type="audio/mpeg"/></item>
            </channel></rss>
            """)
      case "/3":
        connection.respond(status: 302, fields: [.init("Location", "\(elsewhere)/3.mp3")])
      default:
        connection.respond(
          fields: [.init("ETag", "\"y\"")], body: MP3Maker.bytes(seed: 1, length: 20_000))
      }
    }
    return (own, other)
  }

  private func run(
    _ arguments: [String], trusting hosts: [Host]
  ) async throws -> RunningProcess.Result {
    let certificates = try hosts.map { host in
      try String(contentsOfFile: host.proxy.certificateAuthority ?? "", encoding: .utf8)
    }
    let trusted = try folder.write("trusted.pem", certificates.joined())
    let environment = [
      "HOME": folder.path, "PODGET_LIBRARY": folder.path("library"), "LANG": "C.UTF-8",
      "PODGET_RETRIES": "0", "no_proxy": "127.0.0.1,localhost", "PODGET_CACERT": trusted,
    ]
    return try await RunningProcess(
      .podget, arguments, environment: environment, folder: folder.path
    ).waitForExit()
  }

  /// All that podget wrote anywhere, as one text.
  private var written: String {
    folder.files.filter { $0.hasPrefix("library/") && !$0.hasSuffix(".mp3") }.map { path in
      path + String(decoding: (try? folder.read(path)) ?? [], as: UTF8.self)
    }.joined()
  }

  private func expectPrivate(
    _ result: RunningProcess.Result, _ own: Host, _ other: Host, sourceLocation: SourceLocation
  ) {
    #expect(result.status == .exited(0), "\(result.error)", sourceLocation: sourceLocation)
    let names = folder.files.filter { $0.hasSuffix(".mp3") }
    #expect(names.count == 3, sourceLocation: sourceLocation)
    #expect(
      own.authorizations.contains(Self.expected), sourceLocation: sourceLocation)
    #expect(other.authorizations == [nil, nil], sourceLocation: sourceLocation)
    for text in [result.output, result.error] {
      #expect(!text.contains("secret"), sourceLocation: sourceLocation)
    }
  }

  @Test func `userinfo reaches its origin alone`() async throws {
    let (own, other) = try await hosts()
    let address = "https://ada:secret@\(own.origin.dropFirst("https://".count))/start.xml"
    let result = try await run(["download", address, "--all", "--json"], trusting: [own, other])
    expectPrivate(result, own, other, sourceLocation: #_sourceLocation)
    #expect(!written.contains("secret"))
  }

  /// For all ports of the host, for that of the feed, and for all hosts; the last is used for the
  /// origin that is named, although the feed and a redirect name another one.
  @Test(arguments: ["machine 127.0.0.1", "machine 127.0.0.1:PORT", "default"])
  func `a password of netrc reaches its host alone`(entry: String) async throws {
    let (own, other) = try await hosts()
    let port = own.origin.split(separator: ":").last ?? ""
    let netrc = try folder.write(
      ".netrc", "\(entry.replacing("PORT", with: port)) login ada password secret\n")
    #expect(chmod(netrc, 0o600) == 0)
    let result = try await run(
      ["download", "\(own.origin)/start.xml", "--all", "--json"], trusting: [own, other])
    expectPrivate(result, own, other, sourceLocation: #_sourceLocation)
    #expect(!written.contains("secret"))
  }

  @Test func `a subscription logs in with its command`() async throws {
    let (own, other) = try await hosts()
    let subscribed = try await run(
      [
        "subscribe", "\(own.origin)/start.xml", "--user", "ada", "--password-command",
        "echo secret", "--all",
      ], trusting: [own, other])
    #expect(subscribed.status == .exited(0), "\(subscribed.error)")
    let result = try await run(["sync", "--json", "-v"], trusting: [own, other])
    expectPrivate(result, own, other, sourceLocation: #_sourceLocation)
    // The command is stored, what it prints is not.
    #expect(!written.replacing("echo secret", with: "").contains("secret"))
    let names = folder.files.filter { $0.contains("secret") || $0.contains("ada") }
    #expect(names.isEmpty)
  }

  @Test func `an authority that is not trusted is an error of TLS`() async throws {
    let (own, other) = try await hosts()
    let result = try await run(
      ["download", "\(own.origin)/start.xml", "--json"], trusting: [other])
    #expect(result.status == .exited(1) && result.output.contains("\"code\":\"tls\""))
    #expect(own.authorizations.isEmpty)
  }
}
