import PodcastKit

/// What `star`, `unstar`, `mark` and `edit` have in common.
struct MarkedEpisodes {
  let mark: EpisodeMark
  let library: LibraryOptions
  let context: CommandContext

  func run(
    on arguments: EpisodeArguments, _ options: BriefOutputOptions
  ) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try options.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      try library.requireWritable()
      let arguments = try await arguments.expanded(from: context.input)
      let reading = library.withPlanned(
        library.merged(library.reading(arguments.query, isEnough: arguments.areNames(of:))))
      try await output.working(on: reading) { local in
        let new =
          mark == .played(true)
          ? try news(arguments, among: local, of: library, settings, output) : nil
        let unknown = new?.episodes.unknown ?? []
        let chosen = try selection.episodes(arguments, among: local + unknown)
        if !mark.isForRemoved {
          try output.require(
            noneOf: chosen.filter { $0.status == .removed }.map {
              PodgetError(
                .notFound, "\($0.title) was removed; podget restore brings it back.")
            })
        }
        if case .edited(nil) = mark {
          try output.require(
            noneOf: chosen.filter { !$0.isCorrected }.map {
              PodgetError(.notFound, "\($0.title) has no corrections to take back.")
            })
        }
        let keys = Set(unknown.map(\.key)).intersection(chosen.map(\.key))
        let plans = try new.map {
          try $0.episodes.plans(
            of: keys, of: $0.subscriptions, in: library, template: $0.template)
        }
        let now = context.now()
        let changed =
          try library.mark(mark, of: chosen.filter { !keys.contains($0.key) }, at: now)
          + library.markListed(plans ?? [], at: now)
        try output.writeResults {
          try output.write(
            changed.map { JSONForms.localEpisode($0) },
            lines: changed.map {
              ResultLine(verb: verb, name: $0.title)
            })
        }
      }
    }
  }

  private typealias News = (
    episodes: UnplayedEpisodes, subscriptions: [Subscription], template: FilenameTemplate
  )

  /// What is new, with all subscriptions and how files are named; nil if the library has all that is named.
  private func news(
    _ arguments: EpisodeArguments, among local: [LocalEpisode], of library: Library,
    _ settings: SettingSources, _ output: ListingOutput
  ) throws -> News? {
    // A removed episode may share a part of its title with what is meant.
    var table = EpisodeTable(local.filter { $0.status != .removed })
    let folder = AbsolutePath.currentFolder
    let areKnown = arguments.episodes.allSatisfy { name in
      let reference = EpisodeReference(name, library: library.path, folder: folder)
      return (try? reference.episode(among: &table)) != nil
    }
    guard !areKnown else { return nil }
    var options = SyncOptions()
    options.rules = try FollowingRules(settings, options.overrides)
    let subscriptions = try SubscriptionFile(library, warn: output.warn).read().subscriptions
    let reading = library.withPlanned(library.locatedReading(recording: false))
    let new = UnplayedEpisodes(
      of: subscriptions, Set(subscriptions.indices), in: reading, of: library, options: options,
      at: context.now())
    return (new, subscriptions, options.rules.template)
  }

  /// What was done, for people.
  private var verb: String {
    switch mark {
    case .starred(let isStarred): isStarred ? "starred" : "unstarred"
    case .played(let isPlayed): isPlayed ? "played" : "unplayed"
    case .edited: "edited"
    case .position(let position):
      position.map { "at \(DurationText.clock($0))" } ?? "at the start"
    }
  }
}

extension EpisodeMark {
  /// Whether removed episodes can have it.
  fileprivate var isForRemoved: Bool {
    switch self {
    case .starred, .edited: false
    case .played, .position: true
    }
  }
}
