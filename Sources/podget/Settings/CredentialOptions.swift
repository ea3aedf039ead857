import ArgumentParser
import PodcastKit

/// The options for private feeds.
struct CredentialOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Log in to the named feeds as this user.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "Run this command to get the password: the first line of its output.",
      valueName: "cmd arg ..."))
  var passwordCommand: String?

  @OptionGroup var passwords: PasswordOptions

  func validate() throws {
    if (user == nil) != (passwordCommand == nil) {
      throw ValidationError("--user and --password-command are used together.")
    }
    if user?.isEmpty == true { throw ValidationError("--user names nobody.") }
    if let passwordCommand, PasswordCommand.words(passwordCommand).isEmpty {
      throw ValidationError("--password-command is empty.")
    }
  }

  /// Adds the user and the password to the origins of the sources that are feeds; without the options
  /// nothing happens.
  ///
  /// - Parameters:
  ///   - limit: how long the command may take.
  ///   - isForFeeds: whether a source that is no feed makes them useless.
  /// - Throws: a ``PodgetError`` when the command fails.
  func apply(
    to credentials: OriginCredentials, for sources: [String], limit: Duration,
    isForFeeds: Bool = true
  ) async throws(PodgetError) {
    guard let user, let passwordCommand else { return }
    let addresses = sources.compactMap { source -> String? in
      guard case .feed(let url)? = try? Source.parse(source) else { return nil }
      return url
    }
    guard !addresses.isEmpty else {
      if !isForFeeds { return }
      throw PodgetError(.notFound, "--user needs a source that is the address of a feed.")
    }
    let password = try await PasswordCommand.password(from: passwordCommand, limit: limit)
    for address in addresses { credentials.set(user: user, password: password, for: address) }
  }
}
