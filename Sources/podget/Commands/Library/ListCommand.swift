import ArgumentParser
import FoundationEssentials
import PodcastKit

extension ListGrouping: ExpressibleByArgument {}
extension ListOrder.Key: ExpressibleByArgument {}

/// `podget list`: the episodes of the library.
struct ListCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the episodes of the library: complete, missing, partial and planned.",
    discussion: """
      The file of a missing episode is gone. Partial and planned episodes are the last group: \
      podget resume finishes them. With -v, each episode's id and path are shown below it.

      --format has the fields \(ListFormat.fieldList), \
      and \\t, \\n and \\0. Fields without a value are empty.
        podget list --group-by month --since 1y
        podget list --starred --sort duration
      """,
    aliases: ["ls"])

  @Argument(help: SourceArguments.help("Only these podcasts"))
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

  @Flag(help: "Only episodes that were played; see podget mark.")
  var played = false

  @Flag(help: "Only episodes that were not played.")
  var unplayed = false

  @Flag(help: "Only unfinished episodes: partial and planned ones.")
  var partial = false

  @Flag(help: "Only episodes whose files are gone; with --partial both.")
  var missing = false

  @Flag(help: "List the removed episodes instead, and until when they are in the trash.")
  var removed = false

  @Option(
    name: .customLong("status"), parsing: .singleValue,
    help: ArgumentHelp(
      "Only episodes with this status: \(Self.statusNames); may be repeated.", valueName: "status"),
    completion: .list(LocalEpisode.Status.allCases.map(\.rawValue)),
    transform: { text in
      guard let status = LocalEpisode.Status(rawValue: text) else {
        throw ValidationError("--status takes \(Self.statusNames).")
      }
      return status
    })
  var statuses: [LocalEpisode.Status] = []

  @Option(
    help: ArgumentHelp(
      "Write a line like this for each episode: '{date} {title} {path}'; see podget help list.",
      valueName: "template"), transform: { try ListFormat($0) })
  var format: ListFormat?

  @OptionGroup(title: "Selection") var selection: EpisodeSelectionOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    if played, unplayed {
      throw ValidationError("--played and --unplayed exclude each other.")
    }
    if !statuses.isEmpty, removed || partial || missing {
      throw ValidationError("--status excludes --removed, --partial and --missing.")
    }
    if statuses.contains(.removed), statuses.contains(where: { $0 != .removed }) {
      throw ValidationError("--status removed excludes the others.")
    }
    if format != nil, output.json || groupBy != nil {
      throw ValidationError("--format excludes --json and --group-by.")
    }
    if removed, partial || missing {
      throw ValidationError(
        "--removed and \(partial ? "--partial" : "--missing") exclude each other.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let filter = try selection.filter(now: context.now(), standardLimit: nil)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let library = try Library.open(path, creating: false)
      let found = library.map {
        read($0, filter, hasDetails: output.isJSON || format != nil)
      }
      let reading = found.flatMap { library?.withPlanned($0) }
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
          episodes.count, of: named.isEmpty ? local.count : named.count, isEmpty: all.isEmpty,
          in: reading,
          of: library, at: path, to: output)
        let sorted = ListOrder(key: sort, isReversed: reverse).sorted(episodes)
        let groups = try groups(
          of: sorted, in: reading, podcasts: { try selection.podcasts(of: all) })
        let terms = areRemoved ? TrashedEpisode.terms(of: library) : [:]
        if areRemoved, let library { output.noteAbsentTrash(of: library, at: context.now()) }
        if let format {
          return try output.writeTable { send throws(PodgetError) in
            for local in groups.flatMap(\.episodes) { try send(format.line(local)) }
          }
        }
        guard output.isJSON else {
          try writeTable(of: groups, keptUntil: terms, to: output)
          return noteUnfinished(episodes, in: reading, to: output)
        }
        try output.write(
          groups.count == 1 ? groups[0].episodes : groups.flatMap(\.episodes),
          json: { JSONForms.listedEpisode(($0, terms[$0.key])) }, sendingTable: { _ in })
      }
    }
  }
}

extension ListCommand {
  /// The existing episodes, or the removed ones.
  func wanted(_ all: [LocalEpisode]) -> [LocalEpisode] {
    let isWanted = { (local: LocalEpisode) in (local.status == .removed) == areRemoved }
    return all.allSatisfy(isWanted) ? all : all.filter(isWanted)
  }

  /// The filter's choice; its limit counts the newest.
  func chosen(by filter: EpisodeFilter, from episodes: [LocalEpisode]) -> [LocalEpisode] {
    let wanted =
      starred || played || unplayed || partial || missing || !statuses.isEmpty
      ? episodes.filter { local in
        (statuses.isEmpty || statuses.contains(local.status)) && (!starred || local.isStarred)
          && (!played || local.isPlayed)
          && (!unplayed || !local.isPlayed)
          && (!partial && !missing || partial && local.status.isUnfinished
            || missing && local.status == .missing)
      } : episodes
    let chosen = filter.matching(wanted) { $0.episode }
    return filter.limit.map { Array(ListOrder().sorted(chosen).prefix($0)) } ?? chosen
  }

  /// Says why nothing is listed.
  ///
  /// - Parameters:
  ///   - count: how many episodes are listed.
  ///   - named: how many the sources have; none if there are none at all.
  ///   - isEmpty: whether the library knows no episode, removed ones included.
  private func note(
    _ count: Int, of named: Int, isEmpty: Bool, in reading: LibraryReading?,
    of library: Library?, at path: String, to output: ListingOutput
  ) {
    guard let reading else {
      return output.note("There is no library \(path) yet; podget download creates it.")
    }
    guard count == 0, reading.problems.isEmpty else { return }
    if isEmpty, library?.hasUntracked == true {
      let quoted = ShellText.quoted(path)
      return output.note(
        "The library \(path) has files that no record names; podget verify lists them, and podget "
          + "adopt -d \(quoted) \(quoted) SOURCE takes them in.")
    }
    output.note(
      named > 0
        ? "None of the library's \(EventText.episodes(named)) matches."
        : areRemoved
          ? "Nothing was removed from the library \(path)."
          : "The library \(path) has no episodes yet; podget download fetches some.")
  }

  /// The groups of sorted episodes; those that are not finished are the last one.
  ///
  /// - Parameter podcasts: identifies the podcasts of the library.
  private func groups(
    of sorted: [LocalEpisode], in reading: LibraryReading?, podcasts: () throws -> LibraryPodcasts
  ) throws -> [ListGroup] {
    let unfinished =
      reading?.unfinished.isEmpty ?? true ? [] : sorted.filter(\.status.isUnfinished)
    let others = unfinished.isEmpty ? sorted : sorted.filter { !$0.status.isUnfinished }
    guard let groupBy else {
      guard !others.isEmpty, !unfinished.isEmpty else { return [ListGroup(episodes: sorted)] }
      return [ListGroup(episodes: others), .unfinished(unfinished)]
    }
    return ListGroup.groups(
      of: others, by: groupBy,
      podcasts: groupBy == .podcast ? try podcasts() : LibraryPodcasts([], subscriptions: []),
      isReversed: reverse) + (unfinished.isEmpty ? [] : [.unfinished(unfinished)])
  }

  /// Says what the table does not: which downloads podget does not go on with by itself, and which
  /// complete files it downloads again.
  private func noteUnfinished(
    _ episodes: [LocalEpisode], in reading: LibraryReading?, to output: ListingOutput
  ) {
    guard let unfinished = reading?.unfinished, !unfinished.isEmpty else { return }
    let statuses = Dictionary(episodes.map { ($0.key, $0.status) }) { first, _ in first }
    let failed = unfinished.count {
      $0.failure != nil && statuses[$0.plan.key]?.isUnfinished == true
    }
    if failed > 0 {
      output.note(
        "\(EventText.episodes(failed)) failed for good; podget resume with the name of the podcast "
          + "tries again.")
    }
    let replaced = unfinished.count { statuses[$0.plan.key] == .complete }
    if replaced > 0 {
      output.note(
        "\(EventText.episodes(replaced)) of these \(replaced == 1 ? "is" : "are") being downloaded "
          + "again; podget resume finishes that.")
    }
  }

  private static let statusNames = "complete, missing, partial, planned or removed"

  /// Whether removed episodes are listed.
  var areRemoved: Bool {
    removed || !statuses.isEmpty && statuses.allSatisfy { $0 == .removed }
  }

  private func writeTable(
    of groups: [ListGroup], keptUntil: [String: Date], to output: ListingOutput
  ) throws {
    let table = LocalEpisodeTable(
      status: output.status, window: output.window, style: output.style,
      isDetailed: output.isVerbose, keptUntil: keptUntil)
    try output.writeTable { send throws(PodgetError) in
      try table.write(groups, isByPodcast: groupBy == .podcast, send: send)
    }
  }
}
