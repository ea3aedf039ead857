import Foundation
import LoopbackServer
import PodcastKit
import Synchronization
import TestSupport
import Testing

@testable import podget

/// Whom an exchange keeps waiting, and what it leaves where there is no account.
@Suite struct AccountLockTests: AccountSuite {
  private static let lock = "library/.podget/account.json.lock"

  let account: AccountServer
  let follower: Follower

  init() throws {
    account = try AccountServer()
    follower = try Follower(["/a": FeedHost.Feed([FeedHost.Item(1)])])
  }

  @Test func `no lock is left where there is no account`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    for arguments in [
      ["account"], ["account", "sync"], ["account", "remove"], ["sync"],
      [
        "account", "add", account.server.origin, "--user", "me", "--password-command", "echo wrong",
      ],
    ] {
      _ = try await follower.start(arguments).waitForExit()
      #expect(!follower.folder.files.contains(Self.lock), "\(arguments)")
    }
  }

  @Test func `a dry run waits for nobody, and leaves nothing`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    let path = follower.folder.path(Self.lock)
    let lock = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let before = try follower.folder.read("library/.podget/account.json")
    #expect(try await changes("--dry-run") == ["sent \(follower.host.origin)/a"])
    #expect(unlink(path) == 0)
    #expect(try await changes("--dry-run") == ["sent \(follower.host.origin)/a"])
    #expect(!follower.folder.files.contains(Self.lock))
    #expect(try follower.folder.read("library/.podget/account.json") == before)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `sync of another user of the library has no account`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    try #require(chown(follower.folder.path("library/.podget/account.json"), 12_345, 12_346) == 0)
    let result = try await follower.run("sync")
    #expect(result.status == .exited(0) && !result.error.contains("account"), "\(result.error)")
    let asked = try await follower.run("account", "sync")
    #expect(asked.status == .exited(1) && asked.error.contains("The password command is not run"))
    #expect(feeds.isEmpty)
  }

  @Test func `an exchange has only so long`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    account.state.withLock { $0.isStalled = true }
    let output = Recorder()
    let context = CommandContext(
      environment: follower.variables, now: { Date() }, input: StandardInput { _ in 0 },
      output: output.output, errors: output.output(name: "standard error"),
      signals: SentSignals())
    var run = AccountRun(
      context: context, library: try #require(try Library.open(follower.library, creating: false)),
      network: CurlSession.Configuration(userAgent: "test"), output: OutputSettings(),
      passwordLimit: .seconds(60))
    run.limit = .seconds(1)
    let error = await #expect(throws: PodgetError.self) { try await run.exchange { _ in } }
    #expect(error?.code == .timeout && error?.sentence.contains("1 second") == true)
    // The next one is not kept waiting.
    account.state.withLock { $0.isStalled = false }
    run.limit = .seconds(600)
    #expect(try await run.exchange { _ in }?.changes.count == 1)
  }
}
