public import ArgumentParser
import FoundationEssentials
public import PodcastKit

extension Episode.Kind: ExpressibleByArgument {}

/// The options that choose episodes.
struct SelectionOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Select the newest N of the episodes that match the other options.", valueName: "n"))
  var latest: Int?

  @Flag(help: "Select every episode that matches the other options.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Only from this day (UTC) on: 2024-03-01, or an age: 30d, 2w, 6m, 1y.", valueName: "date"))
  var since: String?

  @Option(help: ArgumentHelp("Only up to and including this day (UTC).", valueName: "date"))
  var until: String?

  @Option(
    help: ArgumentHelp("Only titles that match; case is ignored.", valueName: "regex"),
    transform: { try TitlePattern($0) })
  var match: TitlePattern?

  @Option(
    help: ArgumentHelp("No titles that match; case is ignored.", valueName: "regex"),
    transform: { try TitlePattern($0) })
  var exclude: TitlePattern?

  @Option(
    help: ArgumentHelp(
      "At least this long: 90 (seconds), 20m, 1h30m, 1:30:00.", valueName: "duration"),
    transform: { try Duration(option: $0) })
  var minDuration: Duration?

  @Option(
    help: ArgumentHelp("At most this long.", valueName: "duration"),
    transform: { try Duration(option: $0) })
  var maxDuration: Duration?

  @Option(
    name: .customLong("episode"), parsing: .singleValue,
    help: ArgumentHelp("Only this episode, by its id or guid; may be repeated.", valueName: "id"))
  var episodes: [String] = []

  @Option(name: .customLong("type"), help: "Only episodes of this type.")
  var kind: Episode.Kind?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only episodes of this season.", valueName: "n"))
  var season: Int?

  func validate() throws {
    if all, latest != nil {
      throw ValidationError("--latest and --all cannot be used together.")
    }
    if let latest, latest < 0 {
      throw ValidationError("--latest takes a number that is 0 or more, not \(latest).")
    }
    if let season, season < 0 {
      throw ValidationError("--season takes a number that is 0 or more, not \(season).")
    }
    if episodes.contains("") { throw ValidationError("--episode is empty.") }
    if let minDuration, let maxDuration, minDuration > maxDuration {
      throw ValidationError("--min-duration is longer than --max-duration.")
    }
    let (since, until) = try days(now: Date())
    if let since, let until, since > until {
      throw ValidationError("--since is later than --until.")
    }
  }

  /// The filter of the options.
  ///
  /// Ages count from `now`. If neither --latest nor --all is given, the newest `standardLimit` are
  /// selected, or all when episodes are named.
  func filter(now: Date, standardLimit: Int?) throws -> EpisodeFilter {
    let (since, until) = try days(now: now)
    let takesAll = all || !episodes.isEmpty
    return EpisodeFilter(
      limit: latest ?? (takesAll ? nil : standardLimit), since: since, until: until,
      match: match, exclude: exclude, minimumDuration: minDuration, maximumDuration: maxDuration,
      episodes: episodes, kind: kind, season: season)
  }

  private func days(now: Date) throws -> (since: CivilDay?, until: CivilDay?) {
    do {
      return (
        try since.map { try CivilDay(option: $0, now: now) },
        try until.map { try CivilDay(option: $0, now: now) }
      )
    } catch {
      throw ValidationError("\(error)")
    }
  }
}
