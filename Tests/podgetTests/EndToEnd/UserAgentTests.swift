import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The `User-Agent` of a subscription: a publisher refuses everybody else.
@Suite(.serialized) struct UserAgentTests {
  private let follower: Follower
  private let server: LoopbackServer
  /// Whether the server fails to deliver episodes.
  private let isBroken: FlagBox

  /// A flag that a server reads.
  private final class FlagBox: Sendable {
    private let state = Mutex(false)
    var value: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  init() throws {
    follower = try Follower()
    let isBroken = FlagBox()
    self.isBroken = isBroken
    server = try LoopbackServer { request, connection in
      guard request.first("User-Agent") == "Player/7.0" else {
        connection.respond(status: 403)
        return
      }
      switch request.path {
      case "/feed", "/moved":
        connection.respond(status: 302, fields: [.init("Location", "/feed.xml")])
      case "/feed.xml":
        let items = (1...3).reversed().map { number in
          """
          <item><title>Number \(number)</title><guid>g\(number)</guid>
          <pubDate>0\(number) Jan 2024 06:00:00 GMT</pubDate>
          <enclosure url="/\(number).mp3" type="audio/mpeg"/></item>
          """
        }
        connection.respond(
          body: """
            <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
            <title>Picky</title><itunes:image href="/cover"/>\(items.joined())</channel></rss>
            """)
      case "/cover": connection.respond(status: 302, fields: [.init("Location", "/cover.png")])
      case "/cover.png": connection.respond(body: "no image")
      case let path where path.hasPrefix("/cdn/"):
        if isBroken.value {
          connection.respond(status: 503)
        } else {
          let number = Int(path.dropFirst(5).prefix(1)) ?? 0
          connection.respond(
            fields: [.init("ETag", "\"\(path)\"")], body: FeedHost.Item(number).bytes)
        }
      default:
        connection.respond(status: 302, fields: [.init("Location", "/cdn\(request.path)")])
      }
    }
  }

  private func succeed(_ arguments: String...) async throws {
    let result = try await follower.start(arguments).waitForExit()
    #expect(result.status == .exited(0), "\(arguments): \(result.error)")
  }

  @Test func `every request for the podcast has it`() async throws {
    try await succeed(
      "subscribe", "\(server.origin)/feed", "--name", "picky", "--latest", "1", "--user-agent",
      "Player/7.0")
    try await succeed("sync")
    #expect(follower.episodes == ["Picky/2024-01-03 - Number 3.mp3"])
    try await succeed("download", "picky", "--latest", "2")
    #expect(follower.episodes.count == 2)
    try await succeed("show", "picky")
    let feed = try await follower.run("sync", "--user-agent", "Other/1.0")
    #expect(feed.status == .exited(1) && feed.error.contains("403"))

    isBroken.value = true
    let broken = try await follower.run("download", "picky", "--latest", "3")
    #expect(broken.status == .exited(1), "\(broken.error)")
    isBroken.value = false
    try await succeed("resume")
    #expect(follower.episodes.count == 3)

    _ = try await follower.start(["artwork", "picky"]).waitForExit()
    let log = server.log
    #expect(log.contains { $0.path == "/cover.png" })
    let refused = log.filter { $0.status == 403 }
    #expect(refused.count == 1 && refused.first?.request.first("User-Agent") == "Other/1.0")
  }

  @Test func `another podcast of the same server has the usual one`() async throws {
    try await succeed(
      "subscribe", "\(server.origin)/feed", "--latest", "1", "--user-agent", "Player/7.0")
    let result = try await follower.run("download", "\(server.origin)/moved")
    #expect(result.status == .exited(1) && result.error.contains("403"), "\(result.error)")
  }
}
