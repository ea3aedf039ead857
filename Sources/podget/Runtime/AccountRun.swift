import FoundationEssentials
import PodcastKit

/// An exchange with the server of a library's account, by `account sync` and by `sync`.
struct AccountRun: Sendable {
  /// How long an exchange of `sync` may take: feeds wait for it.
  static let limit = Duration.seconds(60)

  let context: CommandContext
  let library: Library
  var network: CurlSession.Configuration
  var output: OutputSettings
  var passwordLimit: Duration
  var options = AccountExchange.Options()

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
    guard let file = try AccountFile(library), try file.read() != nil else { return nil }
    return try await file.exclusively(waits: waits) {
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
      return try await context.withTransport(network, output) {
        let client = AccountClient(account, password: password, transport: $0)
        return try await AccountExchange(library, file, client, options, warn: warn)
          .run(account, at: context.now())
      }
    }
  }
}
