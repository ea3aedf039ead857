import ArgumentParser
import FoundationEssentials
import PodcastKit

/// Everything that a command gets from outside, in one value, so that commands run in tests without
/// a process.
///
/// Not in it is what libcurl and other programs take from the process themselves: proxies,
/// `~/.netrc`, the working folder, the umask, and the streams of programs that podget starts.
struct CommandContext: Sendable {
  /// The environment variables.
  var environment: [String: String]
  /// The variables that are not UTF-8; in ``environment`` their texts have replacement characters.
  var unreadableVariables: Set<String> = []
  /// The time of day (UTC).
  var now: @Sendable () -> Date
  /// Standard input.
  var input: StandardInput
  /// Standard output, which carries data.
  var output: TextOutput
  /// Standard error, which carries everything else.
  var errors: TextOutput
  /// Starts to read the keys that control a download; nil without a terminal.
  var startKeys: @Sendable () -> (any ControlKeys)?
  /// The signals.
  var signals: any ProcessSignals
  /// What performs requests; nil for libcurl, with the configuration of each command.
  var transport: (any Transport)?
  /// The path of podget, which decodes images in processes of their own.
  var program: String
  /// What was said once.
  private let said = SaidOnce()

  /// Creates a context.
  init(
    environment: [String: String], now: @escaping @Sendable () -> Date, input: StandardInput,
    output: TextOutput, errors: TextOutput,
    startKeys: @escaping @Sendable () -> (any ControlKeys)? = { nil },
    signals: any ProcessSignals, transport: (any Transport)? = nil,
    program: String = InstalledProgram.running
  ) {
    self.environment = environment
    self.now = now
    self.input = input
    self.output = output
    self.errors = errors
    self.startKeys = startKeys
    self.signals = signals
    self.transport = transport
    self.program = program
  }

  /// Where the command's settings come from; this reads the configuration file.
  ///
  /// - Throws: a `ValidationError` for a mistake in the file.
  func settings() throws(ValidationError) -> SettingSources {
    SettingSources(
      environment: environment, unreadable: unreadableVariables,
      file: try ConfigurationFile(environment: environment))
  }

  /// Writes a sentence to stderr, unless that was done before: a command may read a file twice.
  func sayOnce(_ sentence: String) {
    if said.isFirst(sentence) { say(sentence, .warning) }
  }

  /// Writes one sentence to stderr, made safe for a terminal; private parts of addresses are
  /// removed.
  func say(_ sentence: String, _ priority: TextOutput.Priority = .error) {
    var errors = errors
    errors.send(
      "podget: \(TerminalText.safe(AddressRedaction.shown(in: sentence)))\n", priority)
  }
}

extension CommandContext {
  /// Runs work with a transport that ends with it, traced if the user wants that.
  func withTransport<Result: Sendable>(
    _ configuration: CurlSession.Configuration, _ settings: OutputSettings,
    _ work: (any Transport) async throws -> Result
  ) async throws -> Result {
    guard let transport else {
      return try await CurlSession.with(configuration) { session in
        try await work(traced(session, settings))
      }
    }
    return try await work(traced(transport, settings))
  }

  private func traced(
    _ transport: any Transport, _ settings: OutputSettings
  ) -> any Transport {
    guard settings.tracesHTTP else { return transport }
    return TracingTransport(transport) { text in
      var errors = errors
      errors.send(text)
    }
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
  ///   - preference: which file of an episode is wanted; nil for the publisher's.
  ///   - subscribed: the settings of podcasts that are followed.
  init(
    transport: any Transport, settings: DirectoryOptions.Settings,
    network: NetworkOptions.Settings, filter: EpisodeFilter, details: Details = .none,
    credentials: OriginCredentials, preference: MediaPreference? = nil,
    subscribed: SubscribedSettings? = nil
  ) {
    let transport = AuthorizingTransport(transport, credentials)
    var feeds = FeedCatalog(
      transport: transport, retries: network.retries,
      allowsInsecureRedirects: network.allowsInsecureRedirects)
    feeds.subscribed = subscribed
    feeds.preference = preference
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
