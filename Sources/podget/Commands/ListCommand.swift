import ArgumentParser
import PodcastKit

extension ListGroup.Kind: ExpressibleByArgument {}
extension ListOrder.Key: ExpressibleByArgument {}

/// `podget list`: the episodes of the library.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the episodes of the library: complete, partial and missing.",
    discussion: "A missing episode was downloaded and is not there any more.")

  @Argument(help: "Only these podcasts: ids, links or titles.")
  var sources: [String] = []

  @Option(help: ArgumentHelp("Put episodes into groups, with totals.", valueName: "group"))
  var groupBy: ListGroup.Kind?

  @Option(
    help: ArgumentHelp(
      "The order: newest, largest and longest first, titles from A on.", valueName: "key"))
  var sort = ListOrder.Key.date

  @Flag(help: "Turn the order round; what is unknown stays last.")
  var reverse = false

  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() async throws { try await run(in: .process) }

  func run(in context: CommandContext) async throws {
    let path = try library.resolved(environment: context.environment)
    let filter = try selection.filter(now: context.now(), standardLimit: nil)
    let output = ListingOutput(output, context)
    try await output.reporting {
      let library = try Library.open(path, creating: false)
      let local = library?.episodes() ?? []
      let named = try named(SourceReader.expanded(sources), among: local, output)
      try output.require(
        noneOf: filter.unknownEpisodes(among: named.lazy.map(\.plan.episode)).map {
          PodgetError(.notFound, "The library \(path) has no episode with the id \($0).")
        })
      let order = ListOrder(key: sort, isReversed: reverse)
      let episodes = order.sorted(chosen(by: filter, from: named))
      if library == nil {
        output.note("There is no library \(path) yet; podget download makes it.")
      } else if episodes.isEmpty {
        output.note(
          local.isEmpty
            ? "The library \(path) has no episodes yet; podget download fetches some."
            : "None of the library's \(EventText.episodes(named.count)) fits.")
      }
      try write(episodes, to: output)
    }
  }
}

extension ListCommand {
  /// The episodes of the sources, or all; a source that means none of them is a failure.
  private func named(
    _ names: [String], among episodes: [LocalEpisode], _ output: ListingOutput
  ) throws -> [LocalEpisode] {
    guard !names.isEmpty else { return episodes }
    var sources: [Source] = []
    var errors: [PodgetError] = []
    for name in names {
      do throws(PodgetError) {
        let source = try Source.parse(name)
        guard episodes.contains(where: { source.names($0.plan) }) else {
          throw PodgetError(.notFound, "The library has no episode of it; podget list shows all.")
        }
        sources.append(source)
      } catch {
        errors.append(PodgetError(error.code, "\(name): \(error.message)"))
      }
    }
    try output.require(noneOf: errors)
    return episodes.filter { episode in sources.contains { $0.names(episode.plan) } }
  }

  /// What the filter wants; its limit counts the newest.
  private func chosen(by filter: EpisodeFilter, from episodes: [LocalEpisode]) -> [LocalEpisode] {
    let matching = filter.matching(episodes) { $0.plan.episode }
    guard let limit = filter.limit else { return matching }
    return Array(ListOrder().sorted(matching).prefix(limit))
  }

  private func write(_ episodes: [LocalEpisode], to output: ListingOutput) throws {
    let table = LocalEpisodeTable(status: output.status, window: output.window)
    if let groupBy {
      let groups = ListGroup.groups(of: episodes, by: groupBy, isReversed: reverse)
      try output.write(
        groups.flatMap(\.episodes).map { JSONValue($0) }, table: table.text(groups, by: groupBy))
    } else {
      try output.write(episodes.map { JSONValue($0) }, table: table.text(episodes))
    }
  }
}
