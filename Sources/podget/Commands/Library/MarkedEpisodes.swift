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
        let chosen = try selection.episodes(arguments, among: local)
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
        let changed = try library.mark(mark, of: chosen, at: context.now())
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
