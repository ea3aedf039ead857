import ArgumentParser
import PodcastKit

extension ListGroup.Kind: ExpressibleByArgument {}
extension ListOrder.Key: ExpressibleByArgument {}

/// `podget list`: the episodes of the library.
struct ListCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the episodes of the library: complete, partial and missing.",
    discussion: """
      The file of a missing episode is gone. With -v, each episode's id and path are shown below \
      it.
        podget list --group-by month --since 1y
        podget list --starred --sort duration

      With --json it writes one array, one object per episode; unknown values are null:
      - podcast: id, title, feedUrl
      - episode: id, guid, title, date, duration (seconds)
      - path: relative to the library; of a partial episode, its future path
      - bytes: on the disk; total: of the complete file
      - status: complete, partial, missing; removed with --removed
      - starred, downloadedAt, sha256
      """,
    aliases: ["ls"])

  @Argument(help: "Only these podcasts: ids, links or titles.")
  var sources: [String] = []

  @Option(help: ArgumentHelp("Group the episodes, with totals.", valueName: "group"))
  var groupBy: ListGroup.Kind?

  @Option(
    help: ArgumentHelp(
      "Sort by this: newest, largest or longest first, titles from A to Z.", valueName: "key"))
  var sort = ListOrder.Key.date

  @Flag(help: "Reverse the order; unknown values stay last.")
  var reverse = false

  @Flag(help: "Only starred episodes.")
  var starred = false

  @Flag(help: "List the removed episodes instead.")
  var removed = false

  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let filter = try selection.filter(now: context.now(), standardLimit: nil)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let library = try Library.open(path, creating: false)
      let reading = library?.locatedReading(of: query(for: filter)) { some in
        chosen(by: filter, from: wanted(some)).count == filter.limit
      }
      try await output.working(on: reading) { all in
        let local = wanted(all)
        let selection = LibrarySelection(output: output, library: path)
        let named = try selection.episodes(
          of: try await SourceArguments.expanded(sources), among: local)
        try output.require(
          noneOf: filter.unknownEpisodes(among: named.lazy.map { $0.episode }).map {
            PodgetError(.notFound, "The library \(path) has no episode with the id \($0).")
          })
        let order = ListOrder(key: sort, isReversed: reverse)
        let episodes = order.sorted(chosen(by: filter, from: named))
        if library == nil {
          output.note("There is no library \(path) yet; podget download creates it.")
        } else if episodes.isEmpty, reading?.errors.isEmpty == true {
          output.note(
            removed && local.isEmpty
              ? "Nothing was removed from the library \(path)."
              : local.isEmpty
                ? "The library \(path) has no episodes yet; podget download fetches some."
                : "None of the library's \(EventText.episodes(named.count)) matches.")
        }
        try write(episodes, to: output)
      }
    }
  }
}

extension ListCommand {
  /// The first query to the library: a few of the newest episodes are found without the others.
  private func query(for filter: EpisodeFilter) -> EpisodeQuery {
    guard let limit = filter.limit, filter == EpisodeFilter(limit: limit), sources.isEmpty, !starred
    else { return .all }
    return .newest(limit, areRemoved: removed)
  }

  /// The existing episodes, or the removed ones.
  private func wanted(_ all: [LocalEpisode]) -> [LocalEpisode] {
    let isWanted = { (local: LocalEpisode) in (local.status == .removed) == removed }
    return all.allSatisfy(isWanted) ? all : all.filter(isWanted)
  }

  /// The filter's choice; its limit counts the newest.
  private func chosen(by filter: EpisodeFilter, from episodes: [LocalEpisode]) -> [LocalEpisode] {
    let wanted = starred ? episodes.filter(\.isStarred) : episodes
    let matching = filter.matching(wanted) { $0.episode }
    guard let limit = filter.limit else { return matching }
    return Array(ListOrder().sorted(matching).prefix(limit))
  }

  private func write(_ episodes: [LocalEpisode], to output: ListingOutput) throws {
    let table = LocalEpisodeTable(
      status: output.status, window: output.window, style: output.style,
      isDetailed: output.isVerbose)
    if let groupBy {
      let groups = ListGroup.groups(of: episodes, by: groupBy, isReversed: reverse)
      try output.write(
        groups.flatMap(\.episodes), json: { JSONValue($0) },
        sendingTable: { send throws(PodgetError) in
          try table.write(groups, by: groupBy, send: send)
        })
    } else {
      try output.write(
        episodes, json: { JSONValue($0) },
        sendingTable: { send throws(PodgetError) in try table.write(episodes, send: send) })
    }
  }
}
