import ArgumentParser
import PodcastKit

/// The settings of a subscription, as options.
struct SubscriptionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The short name of the subscription: letters, digits, -, _ and .; no number, which is an id, "
        + "and no name of a file.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Keep the files in this folder of the library, in place of the podcast's title.",
      valueName: "name"))
  var folder: String?

  @OptionGroup var media: MediaOptions

  @Option(
    help: ArgumentHelp(
      "Let new episodes wait for podget sync NAME --accept if there are more at once, or none.",
      valueName: "n"))
  var maxNew: String?

  @Option(
    help: ArgumentHelp(
      "Let podget sync leave for later what is more than this in a run: 500M, or none.",
      valueName: "size"))
  var maxBytes: String?

  @Option(
    help: ArgumentHelp(
      "Check it this often with podget sync --watch and --due, in place of its own pace: 30m, 1h.",
      valueName: "duration"),
    transform: { text in
      _ = try SettingTable.interval.parse(option: text)
      return text
    })
  var interval: String?

  @Option(
    help: ArgumentHelp(
      "With never, keep its address, whatever its feed and its server say.", valueName: "never"))
  var move: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Let podget sync download files again that were deleted without podget.")
  var refetchMissing: Bool?

  @Flag(inversion: .prefixedNo, help: "Write missing tags into its files, as podget tag does.")
  var tag: Bool?

  @Option(
    help: ArgumentHelp(
      "Let podget sync remove all but its newest N after the downloads, or none.", valueName: "n"))
  var keep: String?

  @Option(
    help: ArgumentHelp(
      "Let podget sync remove what was published before this day (UTC): 90d, 1y, or none.",
      valueName: "age"))
  var olderThan: String?

  @Option(
    help: ArgumentHelp(
      "Let podget sync remove its oldest until the rest takes at most this much: 5G, or none.",
      valueName: "size"))
  var maxSize: String?

  @Flag(inversion: .prefixedNo, help: "Let podget sync remove what was played.")
  var played: Bool?

  func validate() throws {
    if let move, move != "never" { throw ValidationError("--move takes never.") }
    if let name, !SubscriptionName.isValid(name) {
      throw ValidationError(
        "--name takes letters, digits, -, _ and ., at most 64, that are no number (an Apple "
          + "id) and no name of a file.")
    }
    _ = try maxNew.map(SettingTable.maxNew.parse(option:))
    if folder?.isEmpty == true { throw ValidationError("--folder is empty.") }
  }

  /// The settings to store.
  func settings(
    _ selection: SelectionOptions, _ names: TemplateOptions, _ credentials: CredentialOptions
  ) throws -> SubscriptionSettings {
    var settings = try Self.settings(selection, names)
    settings[.maxNew] = maxNew
    settings[.maxBytes] = maxBytes
    settings[.refetchMissing] = refetchMissing.map { String($0) }
    settings[.tag] = tag.map { String($0) }
    settings[.interval] = interval
    settings[.move] = move
    settings[.keep] = keep
    settings[.olderThan] = olderThan
    settings[.maxSize] = maxSize
    settings[.played] = played.map { String($0) }
    settings[.prefer] = media.prefer
    settings[.with] = media.with
    settings[.folder] = folder
    settings[.user] = credentials.user
    settings[.passwordCommand] = credentials.passwordCommand
    try Self.check(settings)
    return settings
  }

  /// The settings of options that choose and name episodes.
  static func settings(
    _ selection: SelectionOptions, _ names: TemplateOptions
  ) throws -> SubscriptionSettings {
    var settings = SubscriptionSettings()
    settings[.latest] = selection.latest.map { String($0) }
    settings[.all] = selection.all ? "true" : nil
    settings[.since] = selection.since
    settings[.until] = selection.until
    settings[.match] = selection.match?.pattern
    settings[.exclude] = selection.exclude?.pattern
    settings[.minDuration] = selection.minDuration.map(Self.text)
    settings[.maxDuration] = selection.maxDuration.map(Self.text)
    settings[.type] = selection.kind?.rawValue
    settings[.season] = selection.season.map { String($0) }
    settings[.template] = names.template
    try check(settings)
    return settings
  }

  private static func check(_ settings: SubscriptionSettings) throws {
    for (name, text) in settings.all {
      _ = try ValidationError.naming("--\(name.rawValue)", text) { text throws(OptionValueError) in
        try SubscriptionSettings.check(text, of: name)
      }
    }
  }

  /// Whole seconds, as `90`.
  private static func text(_ duration: Duration) -> String {
    String(duration.components.seconds)
  }
}
