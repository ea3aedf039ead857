import ArgumentParser
import Foundation
import PodcastModel
import PodcastTransfer
import Testing

@testable import podget

@Suite("Options") struct OptionTests {
  private static let now = Date(timeIntervalSince1970: 1_709_294_400)  // 2024-03-01T12:00:00Z

  private func complaint<Options: ParsableArguments>(
    _ type: Options.Type, _ arguments: [String]
  ) -> String? {
    do {
      _ = try type.parse(arguments)
      return nil
    } catch {
      #expect(type.exitCode(for: error).rawValue == 64)
      return type.message(for: error)
    }
  }

  @Test("selection options make a filter") func selection() throws {
    let options = try SelectionOptions.parse([
      "--latest", "3", "--since", "2024-02-01", "--until", "2024-02-29", "--match", "a.c",
      "--exclude", "d",
      "--min-duration", "20m", "--max-duration", "1:30:00", "--type", "bonus", "--season", "2",
    ])
    #expect(
      try options.filter(now: Self.now, standardLimit: 5)
        == EpisodeFilter(
          limit: 3, since: CivilDay(year: 2024, month: 2, day: 1),
          until: CivilDay(year: 2024, month: 2, day: 29), match: TitlePattern("a.c"),
          exclude: TitlePattern("d"), minimumDuration: .seconds(1200),
          maximumDuration: .seconds(5400), kind: .bonus, season: 2))
  }

  @Test(
    "the limit",
    arguments: [
      ([], 5), (["--all"], nil), (["--latest", "0"], 0),
      (["--episode", "1", "--episode", "2"], nil),
      (["--episode", "1", "--latest", "1"], 1),
    ] as [([String], Int?)]) func limit(arguments: [String], limit: Int?) throws
  {
    let options = try EpisodeSelectionOptions.parse(arguments)
    #expect(try options.filter(now: Self.now, standardLimit: 5).limit == limit)
  }

  @Test(
    "a wrong selection is reported in a sentence",
    arguments: [
      (["--latest", "1", "--all"], "--latest and --all cannot be used together."),
      (["--latest=-1"], "--latest takes a number that is 0 or more, not -1."),
      (["--latest", "x"], "'x'"), (["--match", "("], "is not a regular expression"),
      (["--since", "soon"], "\"soon\" is neither a day"),
      (["--until", "2023-02-29"], "no day 2023-02-29"),
      (["--since", "2024-02-02", "--until", "2024-02-01"], "later than"),
      (["--min-duration", "x"], "is not a duration like"), (["--type", "other"], "other"),
      (["--min-duration", "2", "--max-duration", "1"], "longer than"),
    ]) func wrongSelection(arguments: [String], words: String)
  {
    #expect(complaint(SelectionOptions.self, arguments)?.contains(words) == true)
  }

  @Test("the library's folder") func library() throws {
    let all = ["PODGET_LIBRARY": "/env", "HOME": "/home/ada"]
    #expect(
      try LibraryOptions.parse(["-d", "/opt"]).resolved(SettingSources(environment: all)) == "/opt")
    #expect(try LibraryOptions.parse([]).resolved(SettingSources(environment: all)) == "/env")
    #expect(
      try LibraryOptions.parse(["--library", "/opt"]).resolved(SettingSources(environment: all))
        == "/opt")
    let home = ["PODGET_LIBRARY": "", "HOME": "/home/ada"]
    #expect(
      try LibraryOptions.parse([]).resolved(SettingSources(environment: home))
        == "/home/ada/Podcasts")
    #expect(throws: ValidationError.self) {
      try LibraryOptions.parse([]).resolved(SettingSources(environment: [:]))
    }
    #expect(complaint(LibraryOptions.self, ["-d", ""]) == "--library is empty.")
  }

  @Test("Apple's catalog") func directory() throws {
    let none = try DirectoryOptions.parse([])
    #expect(
      try none.resolved(SettingSources(environment: [:]))
        == .init(baseURL: "https://itunes.apple.com", country: nil))
    let environment = ["PODGET_COUNTRY": "DE", "PODGET_ITUNES_URL": "http://127.0.0.1:1"]
    #expect(
      try none.resolved(SettingSources(environment: environment))
        == .init(baseURL: "http://127.0.0.1:1", country: "de"))
    #expect(
      try DirectoryOptions.parse(["--country", "gb"]).resolved(
        SettingSources(environment: environment)
      ).country
        == "gb")
    for wrong in [["PODGET_COUNTRY": "deu"], ["PODGET_ITUNES_URL": "itunes"]] {
      #expect(throws: ValidationError.self) {
        try none.resolved(SettingSources(environment: wrong))
      }
    }
    #expect(complaint(DirectoryOptions.self, ["--country", "u&"])?.contains("two letters") == true)
  }

  @Test("requests") func network() throws {
    let none = try NetworkOptions.parse([])
    #expect(
      try none.resolved(SettingSources(environment: [:]))
        == .init(
          retries: RetryPolicy(), stallTimeout: .seconds(30), certificates: nil, userAgent: nil,
          allowsInsecureRedirects: false))
    let environment = [
      "PODGET_RETRIES": "7", "PODGET_RETRY_DELAY": "0.5", "SSL_CERT_FILE": "/a",
      "CURL_CA_BUNDLE": "/b", "PODGET_USER_AGENT": "me",
    ]
    #expect(
      try none.resolved(SettingSources(environment: environment))
        == .init(
          retries: RetryPolicy(retries: 7, baseDelay: .milliseconds(500)),
          stallTimeout: .seconds(30), certificates: "/a", userAgent: "me",
          allowsInsecureRedirects: false))
    let given = try NetworkOptions.parse([
      "--retries", "0", "--retry-delay", "2", "--stall-timeout", "1.5", "--cacert", "/c",
      "--user-agent", "x", "--allow-insecure-redirects",
    ])
    #expect(
      try given.resolved(SettingSources(environment: environment))
        == .init(
          retries: RetryPolicy(retries: 0, baseDelay: .seconds(2)),
          stallTimeout: .milliseconds(1500), certificates: "/c", userAgent: "x",
          allowsInsecureRedirects: true))
    for wrong in [
      ["PODGET_RETRIES": "many"], ["PODGET_RETRIES": "-1"], ["PODGET_STALL_TIMEOUT": "nan"],
    ] {
      #expect(throws: ValidationError.self) {
        try none.resolved(SettingSources(environment: wrong))
      }
    }
  }

  @Test(
    "a wrong number is reported in a sentence",
    arguments: [
      ["--retries=-1"], ["--retry-delay=-1"], ["--retry-delay", "inf"], ["--stall-timeout", "0"],
      ["--stall-timeout", "nan"], ["--user-agent", "a\r\nb: c"],
    ]) func wrongNetwork(arguments: [String])
  {
    #expect(complaint(NetworkOptions.self, arguments)?.contains(" takes ") == true)
  }

  @Test("the number of jobs and its effect on those per host")
  func jobs() throws {
    for (arguments, environment, jobs, perHost) in [
      ([], [:], 4, 2), (["-j", "8"], [:], 8, 8), (["-j", "1"], [:], 1, 1),
      (["-j", "8", "--jobs-per-host", "3"], [:], 8, 3), (["--jobs-per-host", "9"], [:], 4, 4),
      ([], ["PODGET_JOBS": "6"], 6, 6), (["-j", "3"], ["PODGET_JOBS_PER_HOST": "1"], 3, 1),
    ] as [([String], [String: String], Int, Int)] {
      let settings = try TransferOptions.parse(arguments).resolved(
        SettingSources(environment: environment))
      #expect(settings.jobs == jobs && settings.jobsPerHost == perHost)
    }
    #expect(complaint(TransferOptions.self, ["-j", "0"]) == "--jobs takes a number from 1 to 256.")
  }

  @Test("flags of a transfer") func flags() throws {
    let settings = try TransferOptions.parse(
      ["--no-wait", "--resume-by-overlap", "--no-checksum", "--tag"]
    ).resolved(SettingSources(environment: [:]))
    #expect(settings.skipsBusyEpisodes && settings.resumesByOverlap && !settings.takesChecksums)
    #expect(settings.writesTags)
    #expect(
      try !TransferOptions.parse([]).resolved(SettingSources(environment: [:])).writesTags)
    #expect(complaint(OutputOptions.self, ["-q", "-v"])?.contains("together") == true)
  }

  @Test("an option undoes the flag of a variable, and the last one wins") func undone() throws {
    let names = ["NO_WAIT", "RESUME_BY_OVERLAP", "NO_CHECKSUM", "ALLOW_INSECURE_REDIRECTS"]
    let set = SettingSources(
      environment: Dictionary(uniqueKeysWithValues: names.map { ("PODGET_\($0)", "on") }))
    let undoing = ["--wait", "--no-resume-by-overlap", "--checksum"]
    for (arguments, isSet) in [
      ([], true), (undoing, false), (["--no-wait", "--resume-by-overlap", "--no-checksum"], true),
      (["--no-wait", "--resume-by-overlap", "--no-checksum"] + undoing, false),
      (undoing + ["--no-wait", "--resume-by-overlap", "--no-checksum"], true),
    ] {
      let settings = try TransferOptions.parse(arguments).resolved(set)
      #expect(
        [settings.skipsBusyEpisodes, settings.resumesByOverlap, !settings.takesChecksums]
          == [isSet, isSet, isSet], "\(arguments)")
    }
    #expect(try NetworkOptions.parse([]).resolved(set).allowsInsecureRedirects)
    let network = try NetworkOptions.parse(["--no-allow-insecure-redirects"]).resolved(set)
    #expect(!network.allowsInsecureRedirects)
    let noisy = SettingSources(
      environment: ["PODGET_VERBOSE": "1", "PODGET_NO_PROGRESS": "yes"])
    for (arguments, verbosity) in [
      ([], 1), (["--no-verbose"], 0), (["--no-verbose", "-vv"], 2), (["-v", "--no-verbose"], 0),
      (["-q"], 0),
    ] {
      #expect(try OutputOptions.parse(arguments).resolved(noisy).verbosity == verbosity)
    }
    #expect(try RunOptions.parse([]).resolved(noisy).hidesProgress)
    #expect(try !RunOptions.parse(["--progress"]).resolved(noisy).hidesProgress)
    #expect(try RunOptions.parse(["--progress", "--no-progress"]).resolved(noisy).hidesProgress)
  }
}
