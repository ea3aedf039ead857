import ArgumentParser
import FoundationEssentials
import PodcastKit

/// All settings: what is worth keeping of the options of all commands, and what has no option.
enum SettingTable {
  /// In the order in which people read about them.
  static let all: [any AnySetting] = [
    library, template, layout, latest, since, until, match, exclude, minDuration, maxDuration, type,
    prefer, with,
    maxNew, maxBytes, keepFree, refetchMissing, keep, olderThan, maxSize, played,
    jobs, jobsPerHost, limitRate, maxUnknownLength, retries, retryDelay, stallTimeout, feedTimeout,
    passwordTimeout, country, cacert, userAgent,
    allowInsecureRedirects, noWait, noChecksum, resumeByOverlap, tag, trashDays, interval,
    accountInterval,
    afterDownload, afterSync, afterFeed, hookTimeout, player, keys, theme, images, noMouse, color,
    noProgress, quiet, verbose,
  ]

  /// The setting with a name.
  static func setting(_ name: String) -> (any AnySetting)? { all.first { $0.name == name } }

  /// The end of a sentence about a name that no setting has, with the name that was probably meant.
  static func unknown(_ name: String) -> String {
    let shown = TerminalText.truncated(TerminalText.safe(name), to: 60, mark: "...")
    let answer = "there is no key \"\(shown)\""
    // People know the options and the variables too.
    let key = name.lowercased().replacing("_", with: "-")
    guard let nearest = CommandNames.nearest(to: key, among: all.map(\.name)) else {
      return "\(answer)."
    }
    return "\(answer); did you mean \(nearest)?"
  }
}

/// The library and its files.
extension SettingTable {
  static let library = Setting<String>(
    "library", "the library's folder", .text(.path), example: "~/Podcasts"
  ) { sources in
    try sources.requireText(
      "HOME", remedy: "; name the library's folder with --library")
    guard let home = sources.text("HOME") else {
      throw ValidationError("Name the library's folder with --library; HOME is not set.")
    }
    return home == "/" ? "/Podcasts" : "\(home)/Podcasts"
  }

  static let template = Setting<String>(
    "template", "how files are named",
    .text { text in
      do throws(FilenameTemplate.ParseError) {
        _ = try FilenameTemplate(parsing: text)
        return nil
      } catch {
        return .wrong(error.description)
      }
    }, example: "'\(standardTemplate)'", standardText: standardTemplate
  ) { _ in standardTemplate }

  private static let standardTemplate = "{podcast}/{date} - {title}.{ext}"

  static let layout = Setting<MediaLayout?>(
    "layout", "how the library is arranged for a media server: audiobookshelf, jellyfin or plain",
    SettingForm<MediaLayout>.word("audiobookshelf, jellyfin or plain").optional,
    example: "jellyfin", standardText: ""
  ) { _ in nil }

  static let trashDays = Setting<Int>(
    "trash-days", "how many days removed files stay in the trash; 0 deletes them immediately",
    .integer(0...36_500, "days from 0 to 36500"), example: "7"
  ) { _ in 7 }
}

/// Which episodes are downloaded.
extension SettingTable {
  static let latest = Setting<Int>(
    "latest", "how many of the newest episodes of a podcast are downloaded",
    .integer(0...Int.max, "a number that is 0 or more"), example: "5"
  ) { _ in 5 }

  static let since = Setting<String?>(
    "since", "only episodes from this day (UTC) on, or not older than this", day.optional,
    example: "2024-03-01", standardText: ""
  ) { _ in nil }

  static let until = Setting<String?>(
    "until", "only episodes up to and including this day (UTC)", day.optional, example: "1y",
    standardText: ""
  ) { _ in nil }

  static let match = Setting<TitlePattern?>(
    "match", "only titles that match this regular expression; case is ignored",
    SettingForm<TitlePattern>.pattern.optional, example: "'psalms|icons'", standardText: ""
  ) { _ in nil }

  static let exclude = Setting<TitlePattern?>(
    "exclude", "no titles that match this regular expression; case is ignored",
    SettingForm<TitlePattern>.pattern.optional, example: "'rerun|rebroadcast'", standardText: ""
  ) { _ in nil }

  static let minDuration = Setting<Duration?>(
    "min-duration", "only episodes that are at least this long",
    SettingForm<Duration>.duration.optional, example: "20m", standardText: ""
  ) { _ in nil }

  static let maxDuration = Setting<Duration?>(
    "max-duration", "only episodes that are at most this long",
    SettingForm<Duration>.duration.optional, example: "3h", standardText: ""
  ) { _ in nil }

  static let type = Setting<Episode.Kind?>(
    "type", "only episodes of this type: full, trailer or bonus",
    SettingForm<Episode.Kind>.word("full, trailer or bonus").optional, example: "full",
    standardText: ""
  ) { _ in nil }

  static let prefer = Setting<MediaPreference?>(
    "prefer",
    "which file of an episode is downloaded if its feed offers several: smallest, best or a media type",
    SettingForm<MediaPreference>(
      .text, json: JSONForm(schema: JSONSchema.string) { .string($0.text) },
      read: { text throws(SettingProblem) in
        guard let preference = MediaPreference(text) else {
          throw .takes("smallest, best or a media type, such as audio/opus or video")
        }
        return preference
      }
    ).optional, example: "smallest", standardText: "the publisher's choice"
  ) { _ in nil }

  /// A day, or an age, which counts from the day on which it is used.
  static let day = SettingForm<String>.text { text in
    do throws(OptionValueError) {
      _ = try CivilDay(option: text, now: Date())
      return nil
    } catch {
      return .wrong(error.description)
    }
  }
}

/// Transfers and requests.
extension SettingTable {
  private static let count = SettingForm<Int>.integer(1...256, "a number from 1 to 256")

  static let jobs = Setting<Int>(
    "jobs", "how many episodes are downloaded at the same time", count, example: "4"
  ) { _ in 4 }

  static let jobsPerHost = Setting<Int>(
    "jobs-per-host", "how many of them from one host", count, example: "2",
    standardText: "2, or the value of jobs"
  ) { sources in try sources.given(jobs)?.value ?? 2 }

  static let limitRate = Setting<Int64?>(
    "limit-rate", "the most bytes per second of all transfers together",
    SettingForm<Int64>(
      .text, json: .count,
      read: { text throws(SettingProblem) in
        let bytes = (try? ByteSize(option: text))?.bytes ?? 0
        guard bytes > 0 else { throw .takes("bytes a second, such as 500K or 2M") }
        return bytes
      }
    ).optional, example: "2M", standardText: ""
  ) { _ in nil }

  static let sizeOrNone = SettingForm<Int64?>.orNone(.count) {
    text throws(SettingProblem) in
    let bytes = (try? ByteSize(option: text))?.bytes ?? 0
    guard bytes > 0 else { throw .takes("a size, such as 500M or 4G, or none") }
    return bytes
  }

  static let maxUnknownLength = Setting<Int64?>(
    "max-unknown-length", "the longest file whose length the server does not announce, or none",
    sizeOrNone, example: "4G"
  ) { _ in 4 << 30 }

  static let retries = Setting<Int>(
    "retries", "how often a failed attempt is retried",
    // Twenty attempts are the most for any request.
    .integer(0...19, "a number from 0 to 19"), example: "3"
  ) { _ in 3 }

  static let retryDelay = Setting<Double>(
    "retry-delay", "the most seconds before the first retry; doubled for each retry",
    .seconds("a number of seconds from 0 to 3600") { (0...3600).contains($0) }, example: "1"
  ) { _ in 1 }

  static let stallTimeout = Setting<Double>(
    "stall-timeout", "seconds without data that end an attempt",
    .seconds("a number of seconds above 0, at most 86400") { $0 > 0 && $0 <= 86_400 },
    example: "30"
  ) { _ in 30 }

  static let feedTimeout = Setting<Double>(
    "feed-timeout", "seconds that podget sync has for one feed, with retries and further pages",
    deadline, example: "600"
  ) { _ in 600 }

  static let passwordTimeout = Setting<Double>(
    "password-timeout", "seconds that a password command has", deadline, example: "60"
  ) { _ in PasswordCommand.standardLimit / .seconds(1) }

  private static let deadline = SettingForm<Double>.seconds(
    "a number of seconds above 0, at most 86400"
  ) { $0 > 0 && $0 <= 86_400 }

  static let country = Setting<String>(
    "country", "the country of Apple's catalog",
    .text { text in
      let isCode =
        text.utf8.count == 2 && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
      return isCode ? nil : .takes("a country in two letters, such as us or gb")
    }, example: "us"
  ) { _ in "us" }

  static let cacert = Setting<String?>(
    "cacert", "a PEM file of trusted certificates", SettingForm<String>.text(.path).optional,
    sharedVariables: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"], example: "~/certificates.pem",
    standardText: "the system's"
  ) { _ in nil }

  static let userAgent = Setting<String>(
    "user-agent", "the User-Agent of requests",
    // A line break would start another header field.
    .text { text in
      let isLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      return isLine ? nil : .takes("one line without control characters")
    }, example: "podget/\(Podget.programVersion)"
  ) { _ in "podget/\(Podget.programVersion)" }

  static let allowInsecureRedirects = flag(
    "allow-insecure-redirects", "follow redirects from https to http")

  static let noWait = flag(
    "no-wait", "skip what another podget is downloading, instead of waiting for it")

  static let noChecksum = flag("no-checksum", "leave out the SHA-256 checksums")

  static let resumeByOverlap = flag(
    "resume-by-overlap",
    "continue files without a validator if their length and 64 KiB of overlap match")

  static let tag = flag("tag", "write missing tags into files that were downloaded")
}

/// Subscriptions.
extension SettingTable {
  static let interval = Setting<Duration?>(
    "interval", "how often podget sync --watch checks every podcast",
    SettingForm<Duration>(
      .text, json: .seconds,
      read: { text throws(SettingProblem) in try SettingForm<Duration>.duration.parse(text) },
      problem: { $0 >= .seconds(1) ? nil : .takes("a duration from 1 second, such as 30m or 1h") }
    ).optional, example: "1h", standardText: "each podcast at its own pace"
  ) { _ in nil }

  static let accountInterval = Setting<Duration>(
    "account-interval", "how often at most podget sync --watch exchanges with an account's server",
    SettingForm<Duration>(
      .text, json: .seconds,
      read: { text throws(SettingProblem) in try SettingForm<Duration>.duration.parse(text) },
      problem: { $0 >= .seconds(1) ? nil : .takes("a duration from 1 second, such as 30m or 1h") }
    ), example: "6h", standardText: "1h"
  ) { _ in .seconds(3600) }

  static let afterDownload = Setting<String?>(
    "after-download", "a command to run after each finished download", command.optional,
    example: "notify-send podget", standardText: ""
  ) { _ in nil }

  static let afterSync = Setting<String?>(
    "after-sync", "a command to run after a sync that downloaded something", command.optional,
    example: "notify-send podget", standardText: ""
  ) { _ in nil }

  static let afterFeed = Setting<String?>(
    "after-feed", "a command to run when a feed begins to fail, has ended or has moved",
    command.optional, example: "notify-send podget", standardText: ""
  ) { _ in nil }

  static let hookTimeout = Setting<Double>(
    "hook-timeout", "seconds that each of these commands has", deadline, example: "600"
  ) { _ in 600 }

  static let command = SettingForm<String>.text { text in
    if text.unicodeScalars.contains("\0") { return .takes("a command without a NUL character") }
    return PasswordCommand.words(text).isEmpty ? .empty : nil
  }
}

/// Output.
extension SettingTable {
  static let color = Setting<ColorChoice>(
    "color", "when to use colors: auto, always or never", .word("auto, always or never"),
    example: "auto"
  ) { _ in .auto }

  static let noProgress = flag("no-progress", "leave out the progress")
  static let quiet = flag("quiet", "write errors only")
  static let verbose = flag("verbose", "write more about what happens")

  static func flag(_ name: String, _ help: String) -> Setting<Bool> {
    Setting(name, help, .flag, example: "false") { _ in false }
  }
}
