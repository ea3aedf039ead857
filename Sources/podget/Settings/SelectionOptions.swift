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
    _ = try Self.filter(of: choice, now: Date())
  }

  /// What the options say.
  var choice: EpisodeChoice {
    var choice = EpisodeChoice(all ? .all : latest.map { .newest($0) })
    choice.since = since
    choice.until = until
    choice.match = match
    choice.exclude = exclude
    choice.minimumDuration = minDuration
    choice.maximumDuration = maxDuration
    choice.kind = kind
    choice.season = season
    return choice
  }

  /// The filter of the options.
  ///
  /// Ages count from `now`. If neither --latest nor --all is given, the newest `standardLimit` are
  /// selected, or all when episodes are named.
  func filter(
    now: Date, standardLimit: Int?, episodes: [String] = []
  ) throws -> EpisodeFilter {
    var filter = try Self.filter(of: choice, now: now)
    if latest == nil, !all, episodes.isEmpty { filter.limit = standardLimit }
    filter.episodes = episodes
    return filter
  }

  /// The filter of the options and the settings, for commands that choose what to download.
  func filter(now: Date, _ settings: SettingSources) throws -> EpisodeFilter {
    let settled = try choice.settled(settings)
    do throws(EpisodeChoice.Fault) {
      return try settled.filter(now: now)
    } catch {
      // One of a pair may be an option, and the other one a setting.
      throw ValidationError(error.sentence(end: "; podget config shows both."))
    }
  }

  private static func filter(of choice: EpisodeChoice, now: Date) throws -> EpisodeFilter {
    do throws(EpisodeChoice.Fault) {
      return try choice.filter(now: now)
    } catch {
      throw ValidationError(error.sentence("--"))
    }
  }
}

extension EpisodeChoice {
  /// The same, with the settings where it says nothing. Only these are read: an option gets past a
  /// variable that is wrong.
  func settled(_ settings: SettingSources) throws -> EpisodeChoice {
    var settled = self
    settled.amount = try amount ?? .newest(settings.value(SettingTable.latest))
    settled.since = try since ?? settings.find(SettingTable.since).value
    settled.until = try until ?? settings.find(SettingTable.until).value
    settled.match = try match ?? settings.find(SettingTable.match).value
    settled.exclude = try exclude ?? settings.find(SettingTable.exclude).value
    settled.minimumDuration =
      try minimumDuration ?? settings.find(SettingTable.minDuration).value
    settled.maximumDuration =
      try maximumDuration ?? settings.find(SettingTable.maxDuration).value
    settled.kind = try kind ?? settings.find(SettingTable.type).value
    return settled
  }
}

/// The options that choose episodes, where single ones can be named too.
struct EpisodeSelectionOptions: ParsableArguments {
  @OptionGroup var rules: SelectionOptions

  @Option(
    name: .customLong("episode"), parsing: .singleValue,
    help: ArgumentHelp("Only this episode, by its id or guid; may be repeated.", valueName: "id"))
  var episodes: [String] = []

  func validate() throws {
    if episodes.contains("") { throw ValidationError("--episode is empty.") }
  }

  /// The filter of the options, as that of ``SelectionOptions``.
  func filter(now: Date, standardLimit: Int?) throws -> EpisodeFilter {
    try rules.filter(now: now, standardLimit: standardLimit, episodes: episodes)
  }

  /// The filter of the options and the settings. Episodes that are named are wanted whatever the
  /// settings say.
  func filter(now: Date, _ settings: SettingSources) throws -> EpisodeFilter {
    episodes.isEmpty
      ? try rules.filter(now: now, settings) : try filter(now: now, standardLimit: nil)
  }
}
