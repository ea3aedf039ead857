import ArgumentParser
import FoundationEssentials
import PodcastKit

/// The rules of `prune`.
struct RetentionOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Keep the newest N of each podcast.", valueName: "n"))
  var keep: Int?

  @Option(
    help: ArgumentHelp(
      "Remove what was published before this day (UTC): 90d, 2w, 6m, 1y, 2024-03-01.",
      valueName: "age"))
  var olderThan: String?

  @Option(
    help: ArgumentHelp(
      "Remove what was downloaded before this day (UTC): 90d, 2024-03-01.", valueName: "age"))
  var downloadedBefore: String?

  @Flag(help: "Remove what was played; see podget mark.")
  var played = false

  @Option(
    help: ArgumentHelp(
      "Remove the oldest until the rest takes at most this much: 800M, 50G.", valueName: "size"))
  var maxSize: String?

  func validate() throws {
    if keep == nil, olderThan == nil, downloadedBefore == nil, !played, maxSize == nil {
      throw ValidationError(
        "Give a rule: --keep, --older-than, --downloaded-before, --played or --max-size.")
    }
    if let keep, keep < 0 { throw ValidationError("--keep takes a number that is 0 or more.") }
    _ = try policy(now: Date())
  }

  /// The policy of the options; ages count from `now`.
  func policy(now: Date) throws -> RetentionPolicy {
    RetentionPolicy(
      newest: keep,
      firstDay: try ValidationError.naming("--older-than", olderThan) {
        text throws(OptionValueError) in
        try CivilDay(option: text, now: now)
      },
      firstDownloadDay: try ValidationError.naming("--downloaded-before", downloadedBefore) {
        text throws(OptionValueError) in
        try CivilDay(option: text, now: now)
      },
      removesPlayed: played,
      maximumBytes: try ValidationError.naming("--max-size", maxSize) {
        text throws(OptionValueError) in
        try ByteSize(option: text).bytes
      })
  }
}
