import PodcastKit

/// What `sync` does with the podcasts that are followed.
extension SettingTable {
  static let maxNew = Setting<Int?>(
    "max-new",
    "how many new episodes of a podcast podget sync takes at once, or none; more of them wait",
    oneOrMoreOrNone, example: "50"
  ) { _ in NewEpisodes.usualMost }

  static let maxBytes = Setting<Int64?>(
    "max-bytes",
    "how much podget sync downloads in a run, and with --watch in a day, or none; more of it waits",
    sizeOrNone, example: "2G", standardText: ""
  ) { _ in nil }

  static let keepFree = Setting<Int64?>(
    "keep-free", "how much stays free on the disk, or none; what has no room waits",
    sizeOrNone, example: "10G", standardText: ""
  ) { _ in nil }

  static let refetchMissing = flag(
    "refetch-missing", "let podget sync download files again that were deleted without podget")

  static let keep = Setting<Int?>(
    "keep", "let podget sync remove all but the newest N of a podcast, or none",
    oneOrMoreOrNone, example: "50", standardText: ""
  ) { _ in nil }

  private static let oneOrMoreOrNone = SettingForm<Int?>.orNone(.count) {
    text throws(SettingProblem) in
    guard let number = Int(text), number >= 1 else {
      throw .takes("a number that is 1 or more, or none")
    }
    return number
  }

  static let olderThan = Setting<String?>(
    "older-than", "let podget sync remove what was published before this day (UTC) or age, or none",
    .orNone(.string, day.parse), example: "90d",
    standardText: ""
  ) { _ in nil }

  static let maxSize = Setting<Int64?>(
    "max-size",
    "let podget sync remove the oldest until the followed podcasts take at most this much, or none",
    .orNone(.count) { text throws(SettingProblem) in
      do throws(OptionValueError) {
        return try ByteSize(limit: text).bytes
      } catch {
        throw .wrong(error.description)
      }
    }, example: "50G", standardText: ""
  ) { _ in nil }

  static let played = flag("played", "let podget sync remove what was played (podget mark)")
}
