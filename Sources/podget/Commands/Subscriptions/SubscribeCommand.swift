import ArgumentParser
import PodcastKit

/// `podget subscribe`: follow podcasts.
struct SubscribeCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Follow podcasts: podget sync downloads their new episodes.",
    usage: "podget subscribe [<options>] <source> ...",
    discussion: """
      Nothing is downloaded. The options are stored as the subscription's settings; for a podcast \
      that is followed already they change the settings that are given.
        podget subscribe 1386867488 --latest 10 --name symbolic-world
        podget subscribe symbolic-world --match psalms --unset latest

      The subscriptions are in .podget/subscriptions.opml in the library.
      """)

  @Argument(help: SourceArguments.help("The podcasts"))
  var sources: [String]

  @Option(
    name: .customLong("unset"), parsing: .singleValue,
    help: ArgumentHelp(
      "Remove this setting of the subscription, such as latest; may be repeated.",
      valueName: "setting"))
  var unset: [String] = []

  @Flag(
    help: """
      Take followed podcasts, and their logins, to the addresses that their feeds have moved to.
      """)
  var acceptMove = false

  @Flag(
    help: "Take followed podcasts, and their logins, back to the addresses that they had before.")
  var undoMove = false

  @Flag(
    help: "Follow a feed beside another one with the same podcast:guid, such as one for members.")
  var asNew = false

  @OptionGroup(title: "Subscription") var options: SubscriptionOptions
  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup(title: "Private feeds") var login: CredentialOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    if options.name != nil, sources.count != 1 {
      throw ValidationError("--name is for one podcast.")
    }
    if undoMove, acceptMove {
      throw ValidationError("--undo-move and --accept-move cannot be used together.")
    }
    let settings = try settings
    if undoMove,
      try settings != SubscriptionSettings() || !unsetNames.isEmpty || options.name != nil
    {
      throw ValidationError("--undo-move takes no settings.")
    }
    if let name = try unsetNames.first(where: { settings[$0] != nil })?.rawValue {
      throw ValidationError("--\(name) and --unset \(name) cannot be used together.")
    }
  }

  private var settings: SubscriptionSettings {
    get throws {
      var settings = try options.settings(selection, names, login)
      settings[.userAgent] = network.userAgent
      return settings
    }
  }

  private var unsetNames: [SubscriptionSettings.Name] {
    get throws {
      try unset.map { text in
        guard let name = SubscriptionSettings.Name(rawValue: text) else {
          let all = SubscriptionSettings.Name.allCases.map(\.rawValue)
          let shown = TerminalText.truncated(TerminalText.safe(text), to: 60, mark: "...")
          let hint = NearestName.nearest(to: text, among: all).map { "; did you mean \($0)?" }
          throw ValidationError("A subscription has no setting \"\(shown)\"\(hint ?? ".")")
        }
        return name
      }
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let limit = try login.passwords.limit(configured)
    let path = try library.resolved(configured)
    let network = try network.resolved(configured)
    let directory = try directory.resolved(configured)
    let choices = try output.resolved(configured)
    let (settings, unset) = (try settings, try unsetNames)
    let output = ListingOutput(choices, context)
    return try await output.reportingOutcome {
      guard let library = try Library.open(path, creating: true) else { return .failure }
      defer { library.removeIfUnused() }
      try library.requireWritable()
      let sources = try await SourceArguments.expanded(sources, from: context.input) ?? []
      guard options.name == nil || sources.count == 1 else {
        throw ValidationError("--name is for one podcast.")
      }
      guard !undoMove else {
        return try output.writeResults(
          Subscriber.undoMoves(of: sources, in: library, warn: output.warn))
      }
      let credentials = OriginCredentials()
      // Names and ids are stored with the login, and asked for later.
      try await login.apply(to: credentials, for: sources, limit: limit, isForFeeds: false)
      let configuration = network.session(naming: directory.namedURLs + sources)
      let changes = try await output.withTransport(configuration) { session in
        let resolver = SourceResolver(
          transport: session, settings: directory, network: network,
          // The first page says what the podcast is.
          filter: EpisodeFilter(limit: 0), credentials: credentials)
        return try await Subscriber(library, resolver: resolver, warn: output.warn).subscribe(
          sources, settings: settings, removing: unset, name: options.name,
          acceptsMove: acceptMove, asNew: asNew)
      }
      return try output.writeResults(changes)
    }
  }
}

extension ListingOutput {
  /// Writes what became of sources, as JSON or as a line for each, and then the messages: failures
  /// have no line.
  func writeResults(
    _ changes: [SubscriptionChange], then messages: () throws -> Void = {}
  ) throws -> Outcome {
    let failures = changes.filter { $0.status == .failed }
    try writeResults {
      try write(
        changes.map { JSONForms.subscriptionChange($0) }, lines: changes.compactMap(Self.line))
    } then: {
      for change in failures {
        let sentence = change.error?.sentence ?? "It failed."
        note(failure: "\(AddressRedaction.shown(change.source)): \(sentence)")
      }
      try messages()
    }
    return failures.isEmpty ? .success : .failure
  }

  private static func line(_ change: SubscriptionChange) -> ResultLine? {
    var name = AddressRedaction.shown(change.source)
    switch change.status {
    case .failed: return nil
    case .ignored: name += change.error.map { ": \($0.sentence)" } ?? ""
    case .subscribed, .updated, .unchanged, .unsubscribed:
      name = change.subscription.map { "\($0.title) (\($0.name))" } ?? name
    }
    return ResultLine(verb: change.status.rawValue, name: name)
  }
}
