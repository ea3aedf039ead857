import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// A server of gPodder's kind with one account, that keeps what it gets in memory.
final class AccountServer: Sendable {
  struct State {
    var feeds: Set<String> = []
    var actions: [[String: String]] = []
    /// How many of the next answers to changes are lost.
    var losses = 0
    /// The status of answers that are lost; nil for none.
    var lossStatus: Int?
    /// Where requests for the list of subscriptions are redirected to.
    var redirect: String?
    /// The login that it takes: `me` and a password.
    var login = "Basic bWU6c2VjcmV0"
    /// Whether it takes requests and answers none.
    var isStalled = false
    /// Whether it waits with its answers.
    var isHeld = false
    /// Whether all actions together are more than anybody reads.
    var isLong = false
    /// Whether it refuses changes of the list.
    var refusesChanges = false
  }

  let state: Mutex<State>
  let server: LoopbackServer

  init(knows gpodder: Bool = true) throws {
    let state = Shared()
    self.state = Mutex(State())
    server = try LoopbackServer { request, connection in
      guard let self = state.server.withLock({ $0.value }) else { return connection.close() }
      guard request.first("Authorization") == self.state.withLock({ $0.login }) else {
        connection.respond(status: 401)
        return
      }
      if !gpodder, !request.path.hasPrefix("/index.php/apps/gpoddersync/") {
        connection.respond(status: 404)
        return
      }
      self.answer(request, connection)
    }
    state.server.withLock { $0.value = self }
  }

  private final class Shared: Sendable {
    struct Reference {
      weak var value: AccountServer?
    }

    let server = Mutex(Reference())
  }

  private func answer(_ request: Request, _ connection: Connection) {
    if state.withLock({ $0.isStalled }) { return connection.stall() }
    while state.withLock({ $0.isHeld }), connection.wait(until: .now + .milliseconds(5)) {}
    let body = try? JSONSerialization.jsonObject(with: Data(request.body))
    if let target = state.withLock({ $0.redirect }), request.path.contains("subscriptions") {
      connection.respond(status: 302, fields: [.init("Location", target)])
      return
    }
    var reply: [String: Any] = ["timestamp": 1]
    if request.path.contains("/episode") {
      state.withLock { state in
        if let new = body as? [[String: Any]] {
          state.actions += new.map { $0.mapValues { "\($0)" } }
        } else {
          reply["actions"] = state.actions.map { action in
            action.mapValues { value -> Any in
              if let number = Int(value) { return number }
              return value
            }
          }
        }
      }
    } else if let change = body as? [String: [String]] {
      if state.withLock({ $0.refusesChanges }) {
        connection.respond(status: 400)
        return
      }
      let isLost = state.withLock { state in
        state.feeds.formUnion(change["add"] ?? [])
        state.feeds.subtract(change["remove"] ?? [])
        state.losses -= 1
        return state.losses >= 0
      }
      if isLost {
        if let status = state.withLock({ $0.lossStatus }) {
          connection.respond(status: status)
        } else {
          connection.reset()
        }
        return
      }
    } else if request.method == "GET" {
      reply["add"] = state.withLock { $0.feeds.sorted() }
    }
    if state.withLock({ $0.isLong }), request.target.contains("/episodes/"),
      request.target.hasSuffix("since=0")
    {
      reply["padding"] = String(repeating: "x", count: 9 << 20)
    }
    let data = (try? JSONSerialization.data(withJSONObject: reply)) ?? Data()
    connection.respond(body: Array(data))
  }
}

/// Tests with an account at such a server, and a library that uses it.
protocol AccountSuite {
  var account: AccountServer { get }
  var follower: Follower { get }
}

extension AccountSuite {
  func add(_ options: String...) async throws {
    let arguments = ["account", "add", account.server.origin, "--user", "me"]
    let result = try await follower.start(
      arguments + ["--password-command", "echo secret"] + options
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
  }

  func changes(_ options: String...) async throws -> [String] {
    let result = try await follower.start(["account", "sync"] + options).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    return result.output.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }
  }

  /// Waits for another second: times of actions count seconds, and of two in one no one knows which is
  /// later.
  func nextSecond() async throws {
    let second = Int(Date().timeIntervalSince1970)
    try await waitUntil("the next second") { Int(Date().timeIntervalSince1970) > second }
  }

  var feeds: Set<String> {
    account.state.withLock { $0.feeds }
  }

  func phone(_ change: (inout Set<String>) -> Void) {
    account.state.withLock { change(&$0.feeds) }
  }
}
