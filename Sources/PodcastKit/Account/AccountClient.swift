import FoundationEssentials
import PodcastLibrary
package import PodcastModel
package import PodcastTransfer

/// Asks the server of an account. The login goes to its origin only.
package struct AccountClient: Sendable {
  private let account: Account
  private let transport: AuthorizingTransport

  /// Creates a client with the password of the account.
  package init(_ account: Account, password: String, transport: any Transport) {
    self.account = account
    let credentials = OriginCredentials()
    credentials.set(user: account.user, password: password, for: account.url)
    self.transport = AuthorizingTransport(transport, credentials)
  }

  /// Makes the device known, and finds out what the server understands.
  ///
  /// - Parameter kind: what it is said to understand; nil asks.
  package func kind(_ kind: Account.Kind?) async throws(PodgetError) -> Account.Kind {
    if kind != .nextcloud {
      do throws(PodgetError) {
        let device = ["caption": RecordValue.text(account.device), "type": .text("server")]
        let path = "api/2/devices/\(user)/\(account.device).json"
        _ = try await ask(path, try Self.json(.members(device)))
        return .gpodder
      } catch {
        guard kind == nil, let status = error.httpStatus, status != 401 else { throw error }
      }
    }
    _ = try await subscriptions(.nextcloud)
    return .nextcloud
  }

  /// The addresses that are followed at the server.
  package func subscriptions() async throws(PodgetError) -> (addresses: [String], unread: Int) {
    try await subscriptions(account.kind)
  }

  private func subscriptions(
    _ kind: Account.Kind
  ) async throws(PodgetError) -> (addresses: [String], unread: Int) {
    let path =
      kind == .gpodder
      ? "api/2/subscriptions/\(user)/\(account.device).json" : Self.nextcloud + "subscriptions"
    guard let found = AccountAnswer.subscriptions(try await ask("\(path)?since=0")) else {
      throw unusable("subscriptions")
    }
    return found
  }

  /// Changes what is followed at the server.
  ///
  /// - Returns: how it spells the addresses.
  package func change(
    add: [String], remove: [String]
  ) async throws(PodgetError) -> [(sent: String, server: String)] {
    let path =
      account.kind == .gpodder
      ? "api/2/subscriptions/\(user)/\(account.device).json"
      : Self.nextcloud + "subscription_change/create"
    return AccountAnswer.updates(
      try await ask(
        path,
        try Self.json(
          .members(["add": .list(add.map { .text($0) }), "remove": .list(remove.map { .text($0) })])
        )))
  }

  /// What devices did since a time of the server, or lately where that is too much.
  package func actions(
    since: Int64, now: Int64
  ) async throws(PodgetError) -> (actions: [EpisodeAction], next: Int64) {
    let path =
      account.kind == .gpodder
      ? "api/2/episodes/\(user).json" : Self.nextcloud + "episode_action"
    let lately = now - AccountExchange.overlap
    var since = since
    while true {
      do throws(PodgetError) {
        let answer = try await ask("\(path)?since=\(since)")
        guard let found = AccountAnswer.actions(answer, now: now) else { throw unusable("actions") }
        return found
      } catch {
        guard error.code == .decoding, since < lately else { throw error }
        since = lately
      }
    }
  }

  /// Sends what was done here.
  package func send(_ actions: [EpisodeAction]) async throws(PodgetError) {
    let sent = actions.map { action in
      let date = Date(timeIntervalSince1970: Double(action.state.time)).timestamp
      var sent: [String: RecordValue] = [
        "podcast": .text(action.podcast), "episode": .text(action.episode),
        "device": .text(account.device), "timestamp": .text(String(date.prefix(19))),
        "action": .text(action.file?.rawValue ?? "new"),
      ]
      if let guid = action.guid { sent["guid"] = .text(guid) }
      if action.file == nil, action.state.progress != 0 {
        let (position, total) = EpisodeAction.position(
          of: action.state.progress, duration: action.duration)
        (sent["action"], sent["started"]) = (.text("play"), .integer(0))
        (sent["position"], sent["total"]) = (.integer(position), .integer(total))
      }
      return RecordValue.members(sent)
    }
    let path =
      account.kind == .gpodder
      ? "api/2/episodes/\(user).json" : Self.nextcloud + "episode_action/create"
    for start in stride(from: 0, to: sent.count, by: 500) {
      _ = try await ask(
        path, try Self.json(.list(Array(sent[start..<min(start + 500, sent.count)]))))
    }
  }

  private static let nextcloud = "index.php/apps/gpoddersync/"

  private var user: String {
    account.user.utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      return isPlain ? String(UnicodeScalar(byte)) : PercentEncoding.encoded(byte)
    }.joined()
  }

  private static func json(_ value: RecordValue) throws(PodgetError) -> String {
    guard let data = try? JSONEncoder().encode(value) else {
      throw PodgetError(.decoding, "The account's changes have no JSON form.")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private func ask(_ path: String, _ body: String? = nil) async throws(PodgetError) -> Data {
    var request = HTTPRequest(
      url: "\(account.url)/\(path)", headers: [HTTPField("Accept", "application/json")])
    if body != nil {
      // Without the empty field libcurl waits for the server's permission to send.
      request.headers += [HTTPField("Content-Type", "application/json"), HTTPField("Expect", "")]
    }
    request.body = body
    do throws(FetchFailure) {
      return try await transport.fetch(request, maximumBytes: AccountAnswer.maximumBytes).body
    } catch {
      guard error.error.httpStatus == 401 else { throw error.error }
      throw PodgetError(
        .httpStatus,
        "\(account.url) does not take the login of \(account.user) (HTTP 401); podget account add with "
          + "the same address and user gives it another password command.", httpStatus: 401)
    }
  }

  private func unusable(_ what: String) -> PodgetError {
    PodgetError(
      .decoding,
      "\(account.url) answers without \(what), or with too many: it may be no server of gPodder's kind."
    )
  }
}
