import Foundation
import LoopbackServer
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// Logins of subscriptions whose feeds move: each stays on the origin that it was given for.
@Suite("Sync and logins") struct SyncLoginTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private static let authorization = "Basic " + Data("ada:secret".utf8).base64EncodedString()

  private let harness: SyncHarness
  /// Another origin, to which the feed moves.
  private let other: FeedHost

  init() throws {
    harness = try SyncHarness(["/a": Feed([Item(3), Item(2), Item(1)])])
    harness.host.authorization = Self.authorization
    other = try FeedHost(["/new": Feed([Item(4), Item(3), Item(2), Item(1)])])
  }

  private var old: String { "\(harness.host.origin)/a" }
  private var new: String { "\(other.origin)/new" }

  /// Follows the private feed with a login in its settings, or in its address.
  private func follow(inAddress: Bool = false) throws {
    let address = inAddress ? old.replacing("http://", with: "http://ada:secret@") : old
    var subscription = Subscription(
      name: "a", title: "The Feed", feedURL: try #require(FeedURL(address)))
    if !inAddress {
      subscription.settings[.user] = "ada"
      subscription.settings[.passwordCommand] = "echo secret"
    }
    try harness.file.update { $0.add(subscription) }
  }

  /// The values of `Authorization` that the other origin has seen.
  private var leaks: [String] { other.log.compactMap { $0.request.first("Authorization") } }

  private func announce() {
    harness.host["/a"].head = "<itunes:new-feed-url>\(new)</itunes:new-feed-url>"
  }

  /// Changes the subscription `a`, or makes it follow its feed.
  private func subscribe(
    _ source: String = "a", user: String? = nil, command: String? = nil, acceptsMove: Bool = false
  ) async throws -> [SubscriptionChange] {
    var settings = SubscriptionSettings()
    settings[.user] = user
    settings[.passwordCommand] = command
    let configuration = CurlSession.Configuration(
      userAgent: "podget-test", stallTimeout: .seconds(600), proxy: "")
    return try await CurlSession.with(configuration) { [settings] session in
      let credentials = OriginCredentials()
      let resolver = SourceResolver(
        ITunesDirectory(transport: session), feeds: FeedCatalog(transport: session),
        credentials: credentials, filter: EpisodeFilter(limit: 0))
      return try await Subscriber(harness.library, resolver: resolver).subscribe(
        [source], settings: settings, name: nil, acceptsMove: acceptsMove)
    }
  }

  @Test(arguments: [false, true])
  func `a login goes to an announced address when the user says so`(inAddress: Bool) async throws {
    try follow(inAddress: inAddress)
    announce()
    var notes: [[String]] = []
    for _ in 0..<3 {
      let report = try await harness.sync()
      #expect(report.failures.isEmpty)
      #expect(report.checks.map(\.waitingMove?.text) == [new])
      #expect(report.checks.map(\.movedTo) == [nil])
      notes.append(report.notes)
    }
    #expect(notes.map(\.count) == [1, 0, 0])
    #expect(notes[0].first?.contains("podget subscribe --accept-move a") == true)
    #expect(leaks.isEmpty)
    #expect(try harness.subscriptions.first?.feedURL.withoutCredentials == old)

    other.authorization = Self.authorization
    #expect(try await subscribe(acceptsMove: true).map(\.status) == [.updated])
    let moved = try await harness.sync()
    #expect(moved.failures.isEmpty && moved.finished == ["Number 4"])
    #expect(moved.checks.map(\.waitingMove) == [nil])
    #expect(try harness.subscriptions.first?.feedURL.withoutCredentials == new)
    #expect(try await subscribe(acceptsMove: true).map(\.error?.code) == [.notFound])
  }

  @Test(arguments: [false, true])
  func `a permanent redirect to another origin waits too`(inAddress: Bool) async throws {
    try follow(inAddress: inAddress)
    _ = try await harness.sync()
    harness.host["/a"] = .redirect(301, to: new)
    var waiting: [String?] = []
    for _ in 0..<4 {
      let report = try await harness.sync()
      #expect(report.failures.isEmpty)
      waiting += report.checks.map(\.waitingMove?.text)
      harness.pass(.seconds(25 * 3600))
    }
    #expect(waiting == [nil, new, new, new])
    #expect(leaks.isEmpty)
    #expect(try harness.subscriptions.first?.feedURL.withoutCredentials == old)
    // What is new behind the redirect is read all the same.
    #expect(other.mediaRequests.contains(4))

    // What is remembered may be lost.
    try harness.delete("library/.podget/feeds.ndjson")
    #expect(try await subscribe(acceptsMove: true).map(\.status) == [.failed])
    for _ in 0..<2 {
      _ = try await harness.sync()
      harness.pass(.seconds(25 * 3600))
    }
    #expect(try await subscribe(acceptsMove: true).map(\.status) == [.updated])
    #expect(try harness.subscriptions.first?.feedURL.withoutCredentials == new)
  }

  @Test func `a new address that wants the login is a failure that says so`() async throws {
    try follow()
    other.authorization = Self.authorization
    _ = try await harness.sync()
    harness.host["/a"] = .redirect(301, to: new)
    let error = try #require(try await harness.sync().failures.first?.error)
    #expect(error.httpStatus == 401 && error.remedy == .acceptMove("a"))
    #expect(error.message.contains(new) && error.message.contains(harness.host.origin))
    #expect(leaks.isEmpty)
    #expect(try await subscribe(acceptsMove: true).map(\.status) == [.updated])
    #expect(try await harness.sync().finished == ["Number 4"])
  }

  @Test func `an announced address that wants a login waits`() async throws {
    try follow()
    other.authorization = Self.authorization
    announce()
    #expect(try await harness.sync().checks.map(\.waitingMove?.text) == [new])
    #expect(leaks.isEmpty)
  }

  @Test func `a login that an earlier version moved is not sent until the user says so`()
    async throws
  {
    other.authorization = Self.authorization
    var subscription = Subscription(
      name: "a", title: "The Feed", feedURL: try #require(FeedURL(new)), firstURL: old)
    subscription.settings[.user] = "ada"
    subscription.settings[.passwordCommand] = "echo secret"
    try harness.file.update { $0.add(subscription) }
    let error = try #require(try await harness.sync().failures.first?.error)
    #expect(error.httpStatus == 401 && error.remedy == .acceptMove("a"))
    #expect(leaks.isEmpty)
    #expect(try await subscribe(acceptsMove: true).map(\.status) == [.updated])
    #expect(try await harness.sync().failures.isEmpty)
    #expect(Set(leaks) == [Self.authorization])
  }

  @Test func `a new login for the new address takes the subscription there`() async throws {
    try follow()
    announce()
    _ = try await harness.sync()
    let changes = try await subscribe(new, user: "bob", command: "echo other")
    #expect(changes.map(\.status) == [.updated] && changes.map(\.subscription?.name) == ["a"])
    #expect(try harness.subscriptions.map(\.feedURL.text) == [new])
    _ = try await harness.sync()
    #expect(Set(leaks) == ["Basic " + Data("bob:other".utf8).base64EncodedString()])
  }

  @Test func `a login for a page does not go to the feed that the page links to`() async throws {
    harness.host["/page"] = Feed()
    harness.host["/page"].body = """
      <html><head><link rel="alternate" type="application/rss+xml" href="\(new)"></head></html>
      """
    let page = "\(harness.host.origin)/page"
    harness.host.authorization = nil
    let changes = try await subscribe(page, user: "ada", command: "echo secret")
    #expect(changes.map(\.status) == [.subscribed])
    #expect(try await harness.sync().failures.isEmpty)
    #expect(other.mediaRequests.count == 4 && leaks.isEmpty)
  }

  @Test(
    "subscriptions that become one keep the login for the address that is left",
    arguments: [
      // Which is older, which have a login, whether the user accepts the move; what is left.
      (true, "", MovingLogin.stays, "moved", "none"),
      (true, "there", .stays, "moved", "there"), (false, "there", .stays, "there", "there"),
      (true, "moved", .stays, "both", ""), (false, "moved", .stays, "both", ""),
      (true, "moved", .follows, "moved", "moved"), (false, "moved", .follows, "there", "moved"),
      (true, "moved there", .follows, "moved", "there"),
      (false, "moved there", .follows, "there", "there"),
    ])
  func merge(
    isOlder: Bool, logins: String, login: MovingLogin, left: String, user: String
  ) throws {
    let names = isOlder ? ["moved", "there"] : ["there", "moved"]
    var list = SubscriptionList()
    for name in names {
      var subscription = Subscription(
        name: name, title: name, feedURL: "https://\(name).example/feed")
      if logins.contains(name) {
        subscription.settings[.user] = name
        subscription.settings[.passwordCommand] = "echo \(name)"
      }
      list.add(subscription)
    }
    let (old, target): (FeedURL, FeedURL) = (
      "https://moved.example/feed", "https://there.example/feed"
    )
    list.move("moved", from: old, to: target, login)
    // As the file has it.
    let read = try SubscriptionList(list.bytes, name: "list")
    guard left != "both" else {
      #expect(read.subscriptions.map(\.name) == names)
      #expect(read.subscriptions.allSatisfy { $0.feedURL.text.contains($0.name) })
      return
    }
    let only = try #require(read.subscriptions.first)
    #expect(read.subscriptions.count == 1 && only.name == left && only.feedURL == target)
    #expect(only.settings[.user] ?? "none" == user)
    if user != "none" { #expect(only.loginOrigin == "https://there.example") }
  }
}
