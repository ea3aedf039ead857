import FoundationEssentials
import PodcastKit

/// What a command needs of the world, in one value: the environment, the time and the outputs.
struct CommandContext: Sendable {
  /// The environment variables.
  var environment: [String: String]
  /// The time of day (UTC).
  var now: @Sendable () -> Date

  /// The context of the real process.
  static var process: CommandContext {
    CommandContext(environment: ProcessInfo.processInfo.environment, now: { Date() })
  }

  /// Writes one sentence to stderr, made safe for a terminal.
  func say(_ sentence: String) {
    var errors = TextOutput.standardError
    errors.send("podget: \(TerminalText.safe(sentence))\n")
  }
}

extension NetworkOptions.Settings {
  /// The session that these settings ask for.
  var session: CurlSession.Configuration {
    CurlSession.Configuration(
      userAgent: userAgent ?? "podget/\(Podget.programVersion)", certificateFile: certificates,
      stallTimeout: stallTimeout)
  }
}

extension ITunesDirectory {
  /// The directory that the settings name.
  init(
    transport: any Transport, settings: DirectoryOptions.Settings,
    network: NetworkOptions.Settings
  ) {
    self.init(
      transport: transport, baseURL: settings.baseURL, country: settings.country,
      retries: network.retries, allowsInsecureRedirects: network.allowsInsecureRedirects)
  }
}
