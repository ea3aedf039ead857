import ArgumentParser
import PodcastKit

/// `podget tag`: write missing tags into the library's files, or give back the files as they were.
struct TagCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag",
    abstract: "Write missing tags into the library's files; --undo gives back every byte.",
    usage: "podget tag [<options>] [<episode> ...]",
    discussion: """
      Without an episode it takes all complete episodes of the library, or of the podcasts that --source \
      names. Title, podcast, author, date, number, season, guid and feed are written where the file has \
      none; nothing in it is replaced, and its audio stays what it is, byte for byte. MP3, MP4, FLAC, Ogg \
      Vorbis and Opus files are supported. Feeds with a password or a token in the address are left out. \
      With --details the feeds are asked for the description, the page, the chapters and the artwork of \
      each episode too.

      What --undo needs is kept in .podget/tags. A file that was changed since it was recorded is left \
      alone, and so is a link.
        podget tag --source 'Green Monk'
        podget tag --undo 1000596286323
      """)

  @OptionGroup var episodes: EpisodeArguments

  @Flag(help: "Give back the files as they were before podget tagged them.")
  var undo = false

  @Flag(help: "Ask the feeds for descriptions, chapters and artwork too.")
  var details = false

  @Flag(help: "Show what would be written or given back, and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "With --details") var network: NetworkOptions
  @OptionGroup(title: "With --details") var directory: DirectoryOptions
  @OptionGroup(title: "With --details") var login: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if undo, details { throw ValidationError("--undo needs no --details.") }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reportingOutcome {
      let writer: any TagWriter =
        undo ? NoTagWriter() : try TagProgram(besides: context.program)
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      if !dryRun { try library.requireWritable() }
      let arguments = try await episodes.expanded(from: context.input)
      let isAll = arguments.episodes.isEmpty
      let reading = library.locatedReading(
        of: isAll ? .all : arguments.query, recording: !dryRun,
        isEnough: { isAll || arguments.areNames(of: $0) })
      let flag = CancelFlag()
      let tagger = EpisodeTagger(
        library, writer: writer, isDryRun: dryRun, flag: flag, now: context.now)
      let subscribed = SubscribedSettings()
      if !undo {
        // Without the list any podcast may be private.
        subscribed.use(try SubscriptionFile(library).read().subscriptions, counting: [])
      }
      let run = TagRun(
        tagger: tagger, flag: flag, isUndo: undo, report: TagReport(output),
        subscribed: subscribed, signals: context.signals)
      var outcome = Outcome.success
      try await output.working(on: reading) { local in
        let chosen = try chosen(arguments, among: local, selection)
        outcome =
          details
          ? try await ask(about: chosen, reading.facts, in: library, for: run, settings, output)
          : await run.run([TagRun.Batch(episodes: chosen)])
      }
      return outcome
    }
  }

  /// Runs with what feeds say, one podcast after the other.
  private func ask(
    about chosen: [LocalEpisode], _ facts: PodcastFacts, in library: Library, for run: TagRun,
    _ settings: SettingSources, _ output: ListingOutput
  ) async throws -> Outcome {
    let limit = try login.passwords.limit(settings)
    let counted = network.counted
    let network = try network.resolved(settings)
    let directory = try directory.resolved(settings)
    var batches = try batches(of: chosen, in: library, output)
    let subscribed = try SubscribedSources(
      batches.compactMap(\.source), in: library, warn: output.warn)
    var feeds = subscribed.feeds.makeIterator()
    for place in batches.indices where batches[place].source != nil {
      batches[place].source = feeds.next()
    }
    let credentials = OriginCredentials()
    do throws(PodgetError) {
      try await subscribed.logIn(credentials, with: SubscriptionLogins(limit: limit))
    } catch {
      // Other podcasts need no login; those without theirs are reported as refused.
      output.note(failure: error.sentence)
    }
    try await login.apply(to: credentials, for: subscribed.feeds, limit: limit)
    let configuration = network.session(naming: directory.namedURLs + subscribed.named)
    return try await output.withTransport(configuration) { [batches] transport in
      let own = SubscribedSettings(of: library, counting: counted)
      let resolver = SourceResolver(
        transport: transport, settings: directory, network: network, filter: EpisodeFilter(),
        details: .ofAll, credentials: credentials, subscribed: own)
      var catalog = FeedCatalog(
        transport: AuthorizingTransport(transport, credentials), retries: network.retries,
        allowsInsecureRedirects: network.allowsInsecureRedirects)
      catalog.subscribed = own
      var run = run
      run.credentials = credentials
      run.details = TagDetails(resolver, facts: facts)
      run.completion = TagCompletion(
        BelongingRequests(catalog, disk: DiskPool(threads: 1)) { output.note($0) })
      return await run.run(batches)
    }
  }

  /// The episodes of each podcast together, with what names it.
  private func batches(
    of chosen: [LocalEpisode], in library: Library, _ output: ListingOutput
  ) throws -> [TagRun.Batch] {
    let subscriptions = try SubscriptionFile(library, warn: output.warn).read().subscriptions
    var sources: [Podcast: String?] = [:]
    var batches: [TagRun.Batch] = []
    var places: [String?: Int] = [:]
    for local in chosen {
      let podcast = local.podcast
      let source = sources[podcast] ?? TagDetails.source(of: podcast, among: subscriptions)
      sources[podcast] = source
      if let place = places[source] {
        batches[place].episodes.append(local)
      } else {
        places[source] = batches.endIndex
        batches.append(TagRun.Batch(source: source, episodes: [local]))
      }
    }
    return batches
  }

  /// The complete episodes that are meant.
  private func chosen(
    _ arguments: EpisodeArguments, among local: [LocalEpisode], _ selection: LibrarySelection
  ) throws -> [LocalEpisode] {
    if arguments.episodes.isEmpty {
      let sources = arguments.sources.isEmpty ? nil : arguments.sources
      return try selection.episodes(of: sources, among: local).filter { $0.status == .complete }
    }
    let chosen = try selection.episodes(arguments, among: local)
    try selection.output.require(
      noneOf: chosen.filter { $0.status != .complete }.map {
        PodgetError(.notFound, "\($0.title) is not complete.")
      })
    return chosen
  }
}
