import ArgumentParser
import PodcastKit

/// `podget doctor`: what a server does, and how podget downloads from it.
struct DoctorCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report what a server or a feed does, and how podget uses it.",
    usage: "podget doctor [<options>] <source>",
    discussion: """
      Requests an episode up to six times, reads at most 64 KiB of each response, and reports how \
      the server redirects, what it sends, and whether an interrupted download can continue. \
      Nothing is saved. The exit status is 0 if podget can download the episode, otherwise 1.

      For a podcast, or a page that links to its feed, it reads the feed, reports its episodes and \
      how podget sync will check it, and then does the same for the newest episode.
      """)

  @Argument(help: SourceArguments.help("The address of an episode, or a podcast", isList: false))
  var source: String

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var login: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try ValidationError.requireNames([source])
    if source == SourceArguments.standardInput {
      throw ValidationError("podget doctor takes one podcast or address, and no list from -.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let limit = try login.passwords.limit(settings)
    let network = try network.resolved(settings)
    let directory = try directory.resolved(settings)
    let choices = try output.resolved(settings)
    let output = ListingOutput(choices, context)
    return try await output.reportingOutcome {
      // Only a name needs the library.
      let isName = if case .name? = try? Source.parse(source) { true } else { false }
      let sources = try SubscribedSources(
        [source],
        in: isName ? try Library.open(library.resolved(settings), creating: false) : nil,
        warn: output.warn)
      let credentials = OriginCredentials()
      try await sources.logIn(credentials, with: SubscriptionLogins(limit: limit))
      try await login.apply(to: credentials, for: sources.feeds, limit: limit)
      let configuration = network.session(naming: directory.namedURLs + sources.named)
      var source = try Self.parsed(sources.feeds[0], of: self.source)
      if case .feed(let url) = source { source = .feed(url: credentials.take(from: url)) }
      let probing = Task { [source] in
        try await output.withTransport(configuration) { session in
          let transport = AuthorizingTransport(session, credentials)
          return try await SourceProbe(
            ITunesDirectory(transport: transport, settings: directory, network: network),
            feeds: FeedCatalog(
              transport: transport, retries: network.retries,
              allowsInsecureRedirects: network.allowsInsecureRedirects),
            servers: ServerProbe(
              transport: transport, retries: network.retries,
              allowsInsecureRedirects: network.allowsInsecureRedirects)
          ).probe(source)
        }
      }
      let session = Session(context.signals, stop: { probing.cancel() })
      let result = await session.run { await probing.result }
      if let status = session.interruptedWith { return Outcome(interruptedWith: status) }
      let servers = ServerReportText(
        isVerbose: choices.verbose, lines: ReportLines(window: output.window, style: output.style))
      let finding: SourceProbe.Finding
      do {
        finding = try result.get()
      } catch let error as PodgetError {
        throw PodgetError(error.code, error.sentence, of: self.source)
      }
      switch finding {
      case .episode(let report):
        try output.write(JSONForms.serverReport(report), text: servers.text(report))
        return Outcome(hasFailed: report.obstacle != nil)
      case .feed(let report):
        try output.write(
          JSONForms.feedReport(report), text: FeedReportText(servers: servers).text(report))
        return Outcome(hasFailed: report.obstacle != nil)
      }
    }
  }

  /// A source; an error names it as it was typed.
  private static func parsed(_ source: String, of name: String) throws(PodgetError) -> Source {
    do throws(PodgetError) {
      return try Source.parse(source)
    } catch {
      throw PodgetError(error.code, error.sentence, of: name)
    }
  }
}
