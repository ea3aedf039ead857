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
    try validatePairs(now: Date(), "--", ".")
  }

  /// The filter of the options.
  ///
  /// Ages count from `now`. If neither --latest nor --all is given, the newest `standardLimit` are
  /// selected, or all when episodes are named.
  func filter(
    now: Date, standardLimit: Int?, episodes: [String] = []
  ) throws -> EpisodeFilter {
    let (since, until) = try days(now: now)
    let takesAll = all || !episodes.isEmpty
    return EpisodeFilter(
      limit: latest ?? (takesAll ? nil : standardLimit), since: since, until: until,
      match: match, exclude: exclude, minimumDuration: minDuration, maximumDuration: maxDuration,
      episodes: episodes, kind: kind, season: season)
  }

  /// The filter of the options and the settings, for commands that choose what to download.
  func filter(now: Date, _ settings: SettingSources) throws -> EpisodeFilter {
    try settled(now: now, settings).filter(now: now, standardLimit: nil)
  }

  /// The options with the settings in place of those that are not given.
  func settled(now: Date, _ settings: SettingSources) throws -> SelectionOptions {
    var chosen = self
    chosen.latest = all ? nil : try settings.value(SettingTable.latest, option: latest)
    chosen.since = try settings.value(SettingTable.since, option: since)
    chosen.until = try settings.value(SettingTable.until, option: until)
    chosen.match = try settings.value(SettingTable.match, option: match)
    chosen.exclude = try settings.value(SettingTable.exclude, option: exclude)
    chosen.minDuration = try settings.value(SettingTable.minDuration, option: minDuration)
    chosen.maxDuration = try settings.value(SettingTable.maxDuration, option: maxDuration)
    chosen.kind = try settings.value(SettingTable.type, option: kind)
    // One of a pair may be an option, and the other one a setting.
    try chosen.validatePairs(now: now, "", "; podget config shows both.")
    return chosen
  }

  /// The texts of all options: equal for options that choose the same episodes of a list. Ages are
  /// not the days that they mean now.
  var digest: String {
    let texts = [
      all ? "all" : latest.map { "latest=\($0)" }, since.map { "since=\($0)" },
      until.map { "until=\($0)" }, match.map { "match=\($0.pattern)" },
      exclude.map { "exclude=\($0.pattern)" }, minDuration.map { "min=\($0)" },
      maxDuration.map { "max=\($0)" }, kind.map { "type=\($0.rawValue)" },
      season.map { "season=\($0)" },
    ]
    return texts.compactMap(\.self).joined(separator: "\n")
  }

  /// Checks that no interval ends before it begins.
  private func validatePairs(now: Date, _ dashes: String, _ end: String) throws {
    if let minDuration, let maxDuration, minDuration > maxDuration {
      throw ValidationError("\(dashes)min-duration is longer than \(dashes)max-duration\(end)")
    }
    let (since, until) = try days(now: now)
    if let since, let until, since > until {
      throw ValidationError("\(dashes)since is later than \(dashes)until\(end)")
    }
  }

  private func days(now: Date) throws -> (since: CivilDay?, until: CivilDay?) {
    (try day(since, "since", now), try day(until, "until", now))
  }

  private func day(_ text: String?, _ name: String, _ now: Date) throws -> CivilDay? {
    do throws(OptionValueError) {
      return try text.map { text throws(OptionValueError) in try CivilDay(option: text, now: now) }
    } catch {
      throw ValidationError("--\(name): \(error.description)")
    }
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
