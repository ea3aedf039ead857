import FoundationEssentials
import PodcastKit

/// An exchange with the server of a library's account, by `account sync` and by `sync`.
struct AccountRun: Sendable {
  let context: CommandContext
  let library: Library
  var network: CurlSession.Configuration
  var output: OutputSettings
  var passwordLimit: Duration
  var options = AccountExchange.Options()
  /// How long an exchange may take: `sync` waits with feeds, and other processes wait for it.
  var limit = Duration.seconds(60)

  /// Exchanges with the server.
  ///
  /// - Parameters:
  ///   - interval: the time since the last attempt before which nothing is done.
  ///   - waits: whether an exchange of another process is waited for.
  ///   - warn: gets a sentence about each thing that has no effect.
  /// - Returns: nil if there is no account, or it is not due.
  /// - Throws: a ``PodgetError``.
  func exchange(
    after interval: Duration? = nil, waits: Bool = true, warn: @escaping @Sendable (String) -> Void
  ) async throws -> AccountReport? {
    guard let file = try AccountFile(library), file.isThere else { return nil }
    // Who shares a library with an account's owner has none.
    if !waits, file.isOfAnother { return nil }
    if options.isDry { return try await limited(file, nil, warn) }
    return try await file.exclusively(waits: waits) { try await limited(file, interval, warn) }
  }

  private func limited(
    _ file: AccountFile, _ interval: Duration?, _ warn: @escaping @Sendable (String) -> Void
  ) async throws -> AccountReport? {
    let (result, isLate) = await Deadline.run(limit, clock: ContinuousClock()) {
      await attempt(file, interval, warn)
    }
    guard isLate, case .failure = result else { return try result.get() }
    throw PodgetError(
      .timeout,
      "The server took longer than \(limit.components.seconds) seconds; the next exchange goes on.")
  }

  private func attempt(
    _ file: AccountFile, _ interval: Duration?, _ warn: @escaping @Sendable (String) -> Void
  ) async -> Result<AccountReport?, any Error> {
    do { return .success(try await exchange(file, interval, warn)) } catch {
      return .failure(error)
    }
  }

  private func exchange(
    _ file: AccountFile, _ interval: Duration?, _ warn: @escaping @Sendable (String) -> Void
  ) async throws -> AccountReport? {
    guard let (known, isOwn) = try file.read() else { return nil }
    var account = known
    let now = Int64(context.now().timeIntervalSince1970)
    if let interval, let last = account.lastAttempt, last <= now,
      now - last < interval.components.seconds
    {
      return nil
    }
    guard isOwn else {
      throw PodgetError(
        .disk,
        "The password command is not run, because others can change the file of the account.")
    }
    account.lastAttempt = now
    // Also one that fails counts: a dead server costs time.
    if !options.isDry { try file.write(account) }
    let password = try await PasswordCommand.password(
      from: account.passwordCommand, limit: passwordLimit)
    var network = network
    network.namedOrigins = NamedOrigins([account.url])
    let asked = account
    return try await context.withTransport(network, output) {
      let client = AccountClient(asked, password: password, transport: $0)
      return try await AccountExchange(library, file, client, options, warn: warn)
        .run(asked, at: context.now())
    }
  }
}
