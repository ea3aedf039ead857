import ArgumentParser
import PodcastKit

/// How new episodes are grouped; the raw values are those of the option.
enum NewGrouping: String, ExpressibleByArgument, CaseIterable {
  case podcast
}

/// `podget new`: what was not played of the podcasts that are followed.
struct NewCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "List the episodes of followed podcasts that were not played, newest first.",
    discussion: """
      Episodes on disk are listed, planned ones, and those that feeds have listed since you follow \
      their podcasts; removed ones are not. No server is asked: podget sync reads the feeds.

      --latest is \(Self.standardLimit) by default. --group-by podcast counts the episodes of each \
      podcast.
        podget new --since 1w
        podget new --group-by podcast
      """)

  /// How many episodes are listed by default.
  private static let standardLimit = 50

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @Option(help: ArgumentHelp("Count the episodes of each podcast.", valueName: "group"))
  var groupBy: NewGrouping?

  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    if groupBy != nil, output.json {
      throw ValidationError("--group-by and --json cannot be used together.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let now = context.now()
    let filter = try selection.filter(
      now: now, standardLimit: groupBy == nil ? Self.standardLimit : nil)
    var options = SyncOptions()
    options.rules = try FollowingRules(settings, options.overrides)
    let output = ListingOutput(try output.resolved(settings), context)
    let wanted = options
    return try await output.reporting {
      let library = try LibrarySelection(output: output, library: path).open()
      let list = try SubscriptionFile(library, warn: output.warn).read()
      guard !list.subscriptions.isEmpty else {
        // As sync says it: the disk may be missing.
        throw PodgetError(.notFound, "The library follows no podcast.", remedy: .followOne)
      }
      let names = try await SourceArguments.expanded(sources, from: context.input)
      let chosen = try chosen(names, of: list, output)
      let reading = library.withPlanned(library.locatedReading(recording: false))
      try await output.working(on: reading) { _ in
        let new = UnplayedEpisodes(
          of: list.subscriptions, chosen, in: reading, of: library, options: wanted, at: now)
        if new.lacksLists {
          output.note(
            "What the feeds list could not be read; only episodes of the library are listed.")
        }
        let matching = filter.matching(new.elements, episode: \.episode)
        let shown = filter.limit.map { Array(matching.prefix($0)) } ?? matching
        let table = NewEpisodeTable(
          status: output.status, window: output.window, style: output.style)
        try output.write(
          shown.map { JSONForms.publishedEpisode((PublishedEpisode($0), nil)) },
          table: groupBy == nil ? table.text(shown) : table.counts(shown))
        note(shown.count, of: matching.count, new, output)
      }
    }
  }

  /// The positions of the subscriptions that are named; all without names.
  private func chosen(
    _ names: [String]?, of list: SubscriptionList, _ output: ListingOutput
  ) throws -> Set<Int> {
    guard let names else { return Set(list.subscriptions.indices) }
    var list = list
    let places = Dictionary(
      list.subscriptions.enumerated().map { ($0.element.name, $0.offset) }
    ) { first, _ in first }
    var chosen: Set<Int> = []
    var errors: [PodgetError] = []
    for name in names {
      if let found = list.subscription(named: name), let place = places[found.name] {
        chosen.insert(place)
      } else {
        let error = Subscriber.notFollowed(name, list)
        errors.append(PodgetError(error.code, error.sentence, of: name))
      }
    }
    try output.require(noneOf: errors)
    return chosen
  }

  /// Says what is not listed.
  private func note(
    _ shown: Int, of count: Int, _ new: UnplayedEpisodes, _ output: ListingOutput
  ) {
    if count > shown {
      let more = count - shown
      output.note("\(more) more \(more == 1 ? "is" : "are") new; --all lists them.")
    } else if new.elements.isEmpty, new.areUnread, !new.lacksLists {
      output.note("No feed has been read yet; podget sync reads them.")
    } else if count == 0, !new.lacksLists || !new.elements.isEmpty {
      output.note(
        new.elements.isEmpty
          ? "Nothing is new." : "None of the \(EventText.episodes(new.elements.count)) matches.")
    }
  }
}

extension PublishedEpisode {
  /// An episode that is new.
  init(_ new: UnplayedEpisodes.Element) {
    self.init(podcast: new.podcast, episode: new.episode, local: new.local)
  }
}
