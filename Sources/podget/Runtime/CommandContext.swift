import ArgumentParser
import FoundationEssentials
import PodcastKit

/// What a command needs from its environment, in one value: the variables, the time and the
/// outputs.
struct CommandContext: Sendable {
  /// The environment variables.
  var environment: [String: String]
  /// The time of day (UTC).
  var now: @Sendable () -> Date
  /// What was said once.
  private let said = SaidOnce()

  /// Creates a context.
  init(environment: [String: String], now: @escaping @Sendable () -> Date) {
    self.environment = environment
    self.now = now
  }

  /// The context of the real process.
  static var process: CommandContext {
    CommandContext(environment: ProcessInfo.processInfo.environment, now: { Date() })
  }

  /// Where the command's settings come from; this reads the configuration file.
  ///
  /// - Throws: a `ValidationError` for a mistake in the file.
  func settings() throws(ValidationError) -> SettingSources {
    SettingSources(
      environment: environment, file: try ConfigurationFile(environment: environment))
  }

  /// Writes a sentence to stderr, unless that was done before: a command may read a file twice.
  func sayOnce(_ sentence: String) {
    if said.isFirst(sentence) { say(sentence) }
  }

  /// Writes one sentence to stderr, made safe for a terminal; private parts of addresses are
  /// removed.
  func say(_ sentence: String) {
    var errors = TextOutput.standardError
    errors.send("podget: \(TerminalText.safe(AddressRedaction.shown(in: sentence)))\n")
  }
}

extension NetworkOptions.Settings {
  /// The session for these settings.
  ///
  /// - Parameter addresses: addresses that the user named, whose origins get passwords over http
  ///   too.
  func session(naming addresses: [String]) -> CurlSession.Configuration {
    var session = CurlSession.Configuration(
      userAgent: userAgent ?? "podget/\(Podget.programVersion)", certificateFile: certificates,
      stallTimeout: stallTimeout)
    session.namedOrigins = NamedOrigins(addresses)
    return session
  }
}

extension SourceResolver {
  /// The resolver that the settings ask for.
  ///
  /// - Parameters:
  ///   - filter: which episodes are wanted.
  ///   - details: whether what feeds say about episodes besides is wanted.
  ///   - credentials: user names and passwords of origins.
  ///   - agents: the User-Agent of podcasts that are followed.
  init(
    transport: any Transport, settings: DirectoryOptions.Settings,
    network: NetworkOptions.Settings, filter: EpisodeFilter, details: Details = .none,
    credentials: OriginCredentials, agents: SubscribedAgents? = nil
  ) {
    let transport = AuthorizingTransport(transport, credentials)
    var feeds = FeedCatalog(
      transport: transport, retries: network.retries,
      allowsInsecureRedirects: network.allowsInsecureRedirects)
    feeds.agents = agents
    self.init(
      ITunesDirectory(transport: transport, settings: settings, network: network),
      feeds: feeds, credentials: credentials, filter: filter, details: details)
  }
}

extension ITunesDirectory {
  /// The directory for the settings.
  init(
    transport: any Transport, settings: DirectoryOptions.Settings,
    network: NetworkOptions.Settings
  ) {
    self.init(
      transport: transport, baseURL: settings.baseURL, country: settings.country,
      retries: network.retries, allowsInsecureRedirects: network.allowsInsecureRedirects)
  }
}
