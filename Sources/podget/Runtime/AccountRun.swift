import FoundationEssentials
import PodcastKit

/// An exchange with the server of a library's account, by `account sync` and by `sync`.
struct AccountRun: Sendable {
  /// How often `sync` exchanges with `--watch` and `--due`, in seconds.
  static let interval: Int64 = 3600

  let context: CommandContext
  let library: Library
  var network: CurlSession.Configuration
  var output: OutputSettings
  var passwordLimit: Duration
  var options = AccountExchange.Options()

  /// Exchanges with the server.
  ///
  /// - Parameters:
  ///   - isDueOnly: whether nothing is done within an hour after the last exchange.
  ///   - warn: gets a sentence about each thing that has no effect.
  /// - Returns: nil if there is no account, or it is not due.
  /// - Throws: a ``PodgetError``.
  func exchange(
    isDueOnly: Bool = false, warn: @escaping @Sendable (String) -> Void
  ) async throws -> AccountReport? {
    guard let file = try AccountFile(library), try file.read() != nil else { return nil }
    return try await file.exclusively {
      guard let (account, isOwn) = try file.read() else { return nil }
      let now = Int64(context.now().timeIntervalSince1970)
      if isDueOnly, let last = account.lastExchange, last <= now, now - last < Self.interval {
        return nil
      }
      guard isOwn else {
        throw PodgetError(
          .disk,
          "The password command is not run, because others can change the file of the account.")
      }
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
