import ArgumentParser
import PodcastKit

extension ListGrouping: ExpressibleByArgument {}
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
  var groupBy: ListGrouping?

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
      let query = query(for: filter)
      // The table of a large library needs only a part of what is known of each episode.
      let isPlain =
        query == .all && sources.isEmpty && filter == EpisodeFilter(limit: filter.limit)
        && !output.isJSON
      let reading =
        isPlain
        ? library?.listing()
        : library?.locatedReading(of: query) { some in
          chosen(by: filter, from: wanted(some)).count == filter.limit
        }
      try await output.working(on: reading) { all in
        let local = wanted(all)
        let selection = LibrarySelection(output: output, library: path, onlyReads: true)
        let named = try selection.episodes(
          of: try await SourceArguments.expanded(sources, from: context.input), among: local)
        try output.require(
          noneOf: filter.unknownEpisodes(among: named.lazy.map { $0.episode }).map {
            PodgetError(.notFound, "The library \(path) has no episode with the id \($0).")
          })
        let episodes = chosen(by: filter, from: named)
        note(
          episodes.count, of: local.isEmpty ? 0 : named.count, in: reading, at: path, to: output)
        let sorted = ListOrder(key: sort, isReversed: reverse).sorted(episodes)
        let groups = try groupBy.map { kind in
          ListGroup.groups(
            of: sorted, by: kind,
            podcasts: kind == .podcast
              ? try selection.podcasts(of: all) : LibraryPodcasts([], subscriptions: []),
            isReversed: reverse)
        }
        guard output.isJSON else { return try writeTable(of: sorted, groups, to: output) }
        try output.write(
          groups?.flatMap(\.episodes) ?? sorted, json: { JSONValue($0) },
          sendingTable: { _ in })
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
    let chosen = filter.matching(wanted) { $0.episode }
    return filter.limit.map { Array(ListOrder().sorted(chosen).prefix($0)) } ?? chosen
  }

  /// Says why nothing is listed.
  ///
  /// - Parameters:
  ///   - count: how many episodes are listed.
  ///   - named: how many the sources have; none if there are none at all.
  private func note(
    _ count: Int, of named: Int, in reading: LibraryReading?, at path: String,
    to output: ListingOutput
  ) {
    guard let reading else {
      return output.note("There is no library \(path) yet; podget download creates it.")
    }
    guard count == 0, reading.errors.isEmpty else { return }
    output.note(
      named > 0
        ? "None of the library's \(EventText.episodes(named)) matches."
        : removed
          ? "Nothing was removed from the library \(path)."
          : "The library \(path) has no episodes yet; podget download fetches some.")
  }

  private func writeTable(
    of episodes: [LocalEpisode], _ groups: [ListGroup]?, to output: ListingOutput
  ) throws {
    let table = LocalEpisodeTable(
      status: output.status, window: output.window, style: output.style,
      isDetailed: output.isVerbose)
    try output.writeTable { send throws(PodgetError) in
      if let groupBy, let groups {
        try table.write(groups, by: groupBy, send: send)
      } else {
        try table.write(episodes, send: send)
      }
    }
  }
}
