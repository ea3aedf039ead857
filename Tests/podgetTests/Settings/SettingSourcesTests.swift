import ArgumentParser
import Foundation
import PodcastKit
import PodcastModel
import Testing

@testable import podget

/// Which of several values of a setting is used.
@Suite struct SettingSourcesTests {
  private func sources(
    _ environment: [String: String] = [:], file: String = ""
  ) throws -> SettingSources {
    SettingSources(
      environment: environment, file: try ConfigurationFile(file, path: "/c.yaml", home: nil))
  }

  @Test func `an option comes before a variable, the file and the default`() throws {
    var all = try sources(["PODGET_LATEST": "3"], file: "latest: 4")
    let latest = SettingTable.latest
    #expect(try all.find(latest, option: 1).origin == .option)
    #expect(try all.value(latest, option: 1) == 1)
    #expect(try all.find(latest).origin == .environment(variable: "PODGET_LATEST"))
    #expect(try all.value(latest) == 3)
    all.environment["PODGET_LATEST"] = ""
    #expect(try all.find(latest).origin == .file(path: "/c.yaml", line: 1))
    #expect(try all.value(latest) == 4)
    #expect(try sources().find(latest).origin == .standard)
    #expect(try sources().value(latest) == 5)
  }

  @Test func `a setting without a value is nil, and an option that is not given is none`() throws {
    let pattern = try TitlePattern("a")
    #expect(try sources().value(SettingTable.match, option: nil) == nil)
    #expect(try sources(file: "match: a").value(SettingTable.match, option: nil) == pattern)
    let other = try TitlePattern("b")
    #expect(try sources(file: "match: a").value(SettingTable.match, option: other) == other)
  }

  @Test(arguments: [
    (["PODGET_JOBS": "0"], "PODGET_JOBS takes a number from 1 to 256."),
    (["PODGET_JOBS": "x"], "The variable PODGET_JOBS is \"x\", which is not a number."),
    (
      ["PODGET_NO_WAIT": "2"],
      "PODGET_NO_WAIT takes true, yes, on or 1, or false, no, off or 0."
    ),
    (["PODGET_COLOR": "red"], "PODGET_COLOR takes auto, always or never."),
    (["PODGET_UNTIL": "2023-02-29"], "PODGET_UNTIL: The calendar has no day 2023-02-29."),
  ])
  func `a wrong variable is one sentence`(environment: [String: String], sentence: String) throws {
    let sources = try sources(environment)
    let errors = SettingTable.all.compactMap { setting -> String? in
      do { _ = try setting.reported(by: sources) } catch let error as ValidationError {
        return error.message
      } catch {
        return "\(error)"
      }
      return nil
    }
    #expect(errors == [sentence] || errors == [sentence, sentence])
  }

  @Test func `an option gets past a wrong variable`() throws {
    let sources = try sources([
      "PODGET_LATEST": "x", "PODGET_SINCE": "x", "PODGET_MATCH": "(", "PODGET_TEMPLATE": "{x}",
      "PODGET_MAX_NEW": "x", "PODGET_REFETCH_MISSING": "x", "PODGET_PREFER": "x",
      "PODGET_WITH": "x",
    ])
    let given = [
      "--latest", "1", "--since", "30d", "--match", "a", "--template", "{title}.{ext}",
      "--max-new", "3", "--refetch-missing", "--prefer", "best", "--with", "notes",
    ]
    let options = try SyncCommand.parse(given).options(sources, at: .now)
    #expect(options.rules.mostNew == 3 && options.rules.episodes.amount == .newest(1))
    #expect(throws: ValidationError.self) {
      try SyncCommand.parse(Array(given.dropFirst(2))).options(sources, at: .now)
    }
    let selection = try SelectionOptions.parse(Array(given.prefix(6)))
    #expect(try selection.filter(now: .now, sources).limit == 1)
  }

  @Test func `certificates of other programs come after those for podget`() throws {
    let shared = ["SSL_CERT_FILE": "/a", "CURL_CA_BUNDLE": "/b"]
    let cacert = SettingTable.cacert
    #expect(try sources(shared).value(cacert, option: nil) == "/a")
    #expect(try sources(["CURL_CA_BUNDLE": "/b"]).value(cacert, option: nil) == "/b")
    #expect(try sources(shared, file: "cacert: /c").value(cacert, option: nil) == "/c")
  }

  @Test func `jobs of the file set the jobs per host too`() throws {
    func perHost(_ file: String, _ arguments: String...) throws -> Int {
      try TransferOptions.parse(arguments).resolved(try sources(file: file)).jobsPerHost
    }
    #expect(try perHost("jobs: 8") == 8)
    #expect(try perHost("jobs: 8\njobs-per-host: 3") == 3)
    #expect(try perHost("jobs-per-host: 3", "-j", "2") == 2)
    #expect(try sources(file: "jobs: 8").value(SettingTable.jobsPerHost) == 8)
  }

  @Test(
    arguments: [
      ([], "quiet: true", [:], true, 0), ([], "verbose: true", [:], false, 1),
      (["-v"], "quiet: true", [:], false, 1), (["-q"], "verbose: true", [:], true, 0),
      (["-vv"], "verbose: true", [:], false, 2),
      ([], "quiet: true\nverbose: true", [:], true, 0),
      ([], "quiet: true", ["PODGET_VERBOSE": "true"], false, 1),
      ([], "quiet: true", ["PODGET_QUIET": "false"], false, 0),
    ] as [([String], String, [String: String], Bool, Int)])
  func `of quiet and verbose the one with precedence counts`(
    arguments: [String], file: String, environment: [String: String], quiet: Bool, verbosity: Int
  ) throws {
    let sources = try sources(environment, file: file)
    let output = try OutputOptions.parse(arguments).resolved(sources)
    #expect(output.quiet == quiet && output.verbosity == verbosity)
  }
}
