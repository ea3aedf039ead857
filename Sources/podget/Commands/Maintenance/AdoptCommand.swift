import ArgumentParser
import PodcastKit

/// `podget adopt`: add files of other tools without downloading them again.
struct AdoptCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Add files that other tools downloaded, without downloading them again.",
    discussion: """
      Looks for media files in a folder, finds out which episodes they are, and copies them \
      into the library under its names; podget download does not download them again. Files \
      inside the library are recorded where they are.

      A file is adopted only if one episode matches and nothing contradicts: by guid or address \
      (tags, NAME.info.json of yt-dlp and podcast-archiver, NAME.meta.json of podcast-dl), else by \
      its title (tags, file name) or its name on the server, together with dates and durations where \
      they are known. The episodes are those that the sources list; without sources, those of all \
      podcasts that are followed or of which the library has episodes. A file whose tags name \
      another podcast must also match its day. An episode that its podcast no longer lists is \
      adopted too if tags or the file beside it have its title, and its guid or its date. Each file \
      is adopted as one episode, and each episode gets one file, the one that matches best. The \
      others are unmatched: each is reported with its reason, and the exit status is then 1.

      With --from, what a database says of a file counts as the file beside it: title, date, guid \
      and address. Stars, what was played, and positions come with adopted episodes. Without \
      sources, the feeds of that database are asked too.
      """)

  @Argument(help: "The folder to look in.", completion: .directory)
  var folder: String

  @Argument(help: SourceArguments.help("The podcasts that the files belong to"))
  var sources: [String] = []

  @Flag(help: "Move the files instead of copying them.")
  var move = false

  @Flag(help: "Also adopt episodes that were removed on purpose.")
  var force = false

  @Flag(
    help:
      "Also adopt files with only a name, as episodes that the podcast of their folder does not list."
  )
  var unlisted = false

  @Option(
    help: ArgumentHelp(
      "Read the database of gPodder, or one that AntennaPod exported, about the files.",
      valueName: "file"),
    completion: .file())
  var from: String?

  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var login: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(help: "Show what would be done, and change nothing.")
  var dryRun = false

  func validate() throws {
    if folder.isEmpty { throw ValidationError("The name of the folder is empty.") }
    try ValidationError.requireNames(sources)
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let sources = try context.settings()
    let limit = try login.passwords.limit(sources)
    let path = try library.resolved(sources)
    let network = try network.resolved(sources)
    let settings = try directory.resolved(sources)
    let choices = try output.resolved(sources)
    var options = LibraryAdoption.Options(
      template: try names.given(sources) ?? .standard, moves: move,
      isForced: force, isDryRun: dryRun)
    options.takesNames = unlisted
    let output = ListingOutput(choices, context)
    return try await output.reportingOutcome {
      var found = try FoundFiles.below(folder)
      let database = try from.map { path throws(PodgetError) in try ForeignDatabase(path) }
      database?.describe(&found)
      let library = try Library.open(path, creating: !dryRun) ?? Library.absent(path)
      defer { library.removeIfUnused() }
      if !dryRun { try library.requireWritable() }
      let reading = library.locatedReading(recording: !dryRun)
      if let notice = reading.notice { output.note(notice) }
      try output.require(noneOf: reading.errors)
      let local = reading.episodes
      let names = try await SourceArguments.expanded(self.sources, from: context.input)
      let named = try SubscribedSources(
        names ?? Self.podcasts(of: local, in: library, and: database?.feeds ?? []), in: library,
        warn: output.warn)
      let wanted = named.feeds
      let credentials = OriginCredentials()
      try await named.logIn(credentials, with: SubscriptionLogins(limit: limit))
      try await login.apply(to: credentials, for: wanted, limit: limit)
      let configuration = network.session(naming: settings.namedURLs + named.named)
      let results = try await output.withTransport(configuration) { session in
        await SourceResolver(
          transport: session, settings: settings, network: network, filter: EpisodeFilter(),
          credentials: credentials
        ).resolve(wanted)
      }
      var listings: [PodcastListing] = []
      var failures: [PodgetError] = []
      for resolution in results {
        switch resolution.result {
        case .success(let found): listings.append(found.listing)
        case .failure(let error):
          failures.append(PodgetError(error.code, error.sentence, of: resolution.source))
        }
      }
      // Of all podcasts, one that cannot be read does not keep the files of the others.
      if names != nil || listings.isEmpty { try output.require(noneOf: failures) }
      for failure in failures { output.note(failure: failure.sentence) }
      let adoption = LibraryAdoption(
        library: library, reading: reading, listings: listings, options: options)
      // Nothing is changed while files are matched and names planned: then a signal ends podget
      // immediately.
      let matched = await adoption.matched(found)
      let session = Session(context.signals, stop: { adoption.cancel() })
      let adoptions = await session.run { await adoption.adopt(matched) }
      let shown = adoptions.filter { adoption in
        switch adoption.status {
        case .unmatched, .planned: true
        case .adopted: !choices.quiet
        case .known: choices.verbose
        }
      }
      try output.writeResults(whenQuiet: true) {
        try output.write(
          adoptions.map { JSONForms.adoption($0) }, table: AdoptionText.text(shown, output.style))
      } then: {
        output.summarize(AdoptionText.summary(adoptions))
      }
      return Outcome(
        hasFailed: !failures.isEmpty || adoptions.contains { $0.status == .unmatched },
        interruptedWith: session.interruptedWith)
    }
  }

  /// The podcasts that are followed, by their names, those of which the library has episodes, by their
  /// ids and addresses, and other feeds; each once.
  private static func podcasts(
    of episodes: [LocalEpisode], in library: Library, and feeds: [String]
  ) throws(PodgetError) -> [String] {
    let followed = try SubscriptionFile(library).read().subscriptions
    let podcasts = LibraryPodcasts(episodes.lazy.map(\.podcast), subscriptions: followed)
    var names = followed.map(\.name)
    var seen: Set<LibraryPodcasts.Key> = []
    for podcast in episodes.lazy.map(\.podcast) {
      let key = podcasts.key(of: podcast)
      guard seen.insert(key).inserted else { continue }
      switch key {
      case .subscription, .title: break
      case .apple(let id): names.append(String(id))
      case .feed: if let feed = podcast.feedURL { names.append(feed.text) }
      }
    }
    let known = Set(followed.map { $0.feedURL.text } + names)
    return names + feeds.filter { !known.contains($0) }
  }
}
