import BrowseScreen
import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import podget

/// Rules that hold for every command.
///
/// ``CommandRule/all`` has a line for each command; a new command needs one. A new rule is a test
/// here with `arguments: CommandRule.all`. What is special about a command is a member of its line.
@Suite(.serialized) struct CommandRulesTests {
  private let host: RuleHost

  init() async throws { host = try await RuleHost.shared.value }

  @Test func `every command has a line in the table`() throws {
    #expect(CommandRule.commands.subtracting(CommandRule.all.map(\.command)).isEmpty)
    #expect(Set(CommandRule.all.map(\.command)).subtracting(CommandRule.commands).isEmpty)
  }

  @Test(arguments: CommandRule.all)
  func `stdout has results, and stderr has messages`(rule: CommandRule) async throws {
    let result = try await host.run(rule)
    #expect(result.status == .exited(rule.status), "\(result.error)")
    rule.results.check(result.output)
    rule.messages.check(result.error)
    if ["download", "resume", "sync"].contains(rule.command) { #expect(result.output.isEmpty) }
  }

  @Test(arguments: CommandRule.all.filter { $0.takes("--quiet") && !$0.arguments.contains("-v") })
  func `quiet output has errors, and what the command is to show`(rule: CommandRule) async throws {
    let result = try await host.run(rule, more: ["--quiet"])
    #expect(result.status == .exited(rule.status), "\(result.error)")
    (rule.isRefused ? rule.messages : .nothing).check(result.error)
    (rule.isSilent ? .nothing : rule.results).check(result.output)
  }

  @Test(arguments: CommandRule.all.filter { $0.takes("--json") })
  func `JSON is all of stdout`(rule: CommandRule) async throws {
    let result = try await host.run(rule, more: ["--json"])
    // Whether it has the shape of its schema is checked with every run.
    #expect(result.status == .exited(rule.status))
    // Of a command that has failed whole, stdout is empty.
    #expect((rule.isRefused ? [""] : ["[", "{"]).contains(result.output.prefix(1)))
  }

  @Test(arguments: CommandRule.all)
  func `stdout that is closed or full changes nothing else`(rule: CommandRule) async throws {
    let expected = try await host.run(rule)
    let after = try await host.state()
    for failure in [TextOutput.Outcome.closed, .failed(ENOSPC)] {
      let result = try await host.run(rule, output: failure)
      let hasLost = failure != .closed && !expected.output.isEmpty
      #expect(result.status == .exited(hasLost ? 1 : rule.status), "\(failure) \(result.error)")
      #expect(try await host.state() == after, "\(failure)")
      let lost = "podget: Cannot write to standard output: No space left on device."
      let lines = Set(result.error.split(separator: "\n").map(String.init))
      #expect(lines.contains(lost) == hasLost)
      rule.messages.check(result.error.replacing("\(lost)\n", with: ""))
    }
  }
}

extension CommandRulesTests {
  /// The settings that are on or off.
  private static let flags = SettingTable.all.filter { $0.schema == JSONSchema.bool }.map(\.name)

  @Test(arguments: flags)
  func `variables and the configuration set a flag by many words`(flag: String) throws {
    let setting = try #require(SettingTable.setting(flag))
    for (words, value) in [
      (["1", "true", "yes", "on", "True", "YES"], true),
      (["0", "false", "no", "off", "Off"], false),
    ] {
      for word in words {
        let variable = SettingSources(environment: [setting.variable: word])
        #expect(try setting.reported(by: variable).value == .bool(value))
        let file = SettingSources(
          environment: [:],
          file: try ConfigurationFile("\(flag): \(word)\n", path: "/c.yaml", home: nil))
        #expect(try setting.reported(by: file).value == .bool(value))
      }
    }
  }

  @Test(arguments: CommandRule.all)
  func `what sets a flag is undone on the command line, and the last one wins`(
    rule: CommandRule
  ) async throws {
    // What was played is also what list and mark are asked, and prune for one time.
    for flag in Self.flags where flag != "played" || rule.command == "subscribe" {
      let opposite = flag.hasPrefix("no-") ? String(flag.dropFirst(3)) : "no-\(flag)"
      #expect(rule.takes("--\(flag)") == rule.takes("--\(opposite)"), "\(rule.command) \(flag)")
    }
    guard rule.takes("--no-quiet") else { return }
    for (variables, more) in [
      (["PODGET_QUIET": "yes"], ["--no-quiet"]), ([:], ["--quiet", "--no-quiet"]),
    ] {
      let result = try await host.run(rule, more: more, variables: variables)
      rule.results.check(result.output)
      rule.messages.check(result.error)
    }
  }
}

extension CommandRulesTests {
  /// The commands whose standard output is for programs as it is, or a screen.
  private static let colorless: Set = [
    "browse", "export", "config get", "config edit", "config path", "config init",
  ]

  @Test(arguments: CommandRule.all)
  func `tables and lines have colors on a terminal, or by an option`(
    rule: CommandRule
  ) async throws {
    let plain = try await host.run(rule)
    let isColorless = Self.colorless.contains(rule.command)
    #expect(rule.takes("--color") == (!isColorless || rule.command == "browse"))
    #expect(!plain.output.contains("\u{1B}") && !plain.error.contains("\u{1B}"))
    guard !isColorless else { return }
    // What a reader of the text sees is the same.
    let always = try await host.run(rule, more: ["--color", "always"])
    func texts(_ result: RunningProcess.Result) -> [String] {
      [result.output, result.error].map {
        // The time that a server takes is another one each time.
        $0.replacing(/\u{1B}\[[0-9]*m|after [0-9]+ ms/, with: "")
      }
    }
    #expect(texts(always)[0] == texts(plain)[0])
    #expect(always.output.contains("\u{1B}[") != always.output.isEmpty)
    let window = ScreenSize(columns: 300, rows: 50)
    let shown = try await host.run(rule, window: window)
    #expect(shown.output.contains("\u{1B}[") != shown.output.isEmpty)
    for (more, variables) in [
      ([], ["NO_COLOR": "1"]), ([], ["TERM": "dumb"]), (["--color", "never"], [:]),
      ([], ["PODGET_COLOR": "never"]),
    ] as [([String], [String: String])] {
      let result = try await host.run(rule, more: more, variables: variables, window: window)
      #expect(!result.output.contains("\u{1B}"), "\(more) \(variables)")
    }
    if rule.takes("--json") {
      let json = try await host.run(rule, more: ["--json", "--color", "always"])
      #expect(!json.output.contains("\u{1B}"))
    }
  }

  @Test func `schemas allow members that are added later`() {
    func isClosed(_ value: JSONValue) -> Bool {
      switch value {
      case .object(let members):
        members.contains { $0.name == "additionalProperties" || isClosed($0.value) }
      case .array(let elements): elements.contains(where: isClosed)
      default: false
      }
    }
    for (command, schema) in JSONSchemas.all { #expect(!isClosed(schema), "\(command)") }
  }

  @Test func `only what is recorded is planned`() async throws {
    func events(_ command: String, _ more: String...) async throws -> [String] {
      let rule = CommandRule(command: command, arguments: ["FEED", "--latest", "3"])
      return try await host.run(rule, more: more + ["--json"]).events().map {
        "\($0.name) \($0.title ?? "")"
      }
    }
    // "Number 9" is there, "Number 8" was removed, "Number 7" is new.
    let there = ["skipped Number 9", "skipped Number 8"]
    let real = try await events("download")
    #expect(
      real.filter { !$0.hasPrefix("progress") }.sorted()
        == (there + [
          "planned Number 7", "started Number 7", "finished Number 7", "summary ",
        ]).sorted())
    // A dry run says what would be recorded.
    #expect(
      try await events("download", "--dry-run") == there + ["planned Number 7", "summary "])
  }
}

/// A command, what it is called with, and what it then writes to which output.
struct CommandRule: Sendable, CustomTestStringConvertible {
  /// What stands on an output.
  enum Expected: Sendable {
    /// These lines; `*` stands for any text.
    case lines([String])
    /// A table or a report that contains this.
    case table(String)

    static let nothing = Expected.lines([])

    func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
      switch self {
      case .table(let part): #expect(text.contains(part), sourceLocation: sourceLocation)
      case .lines(let patterns):
        let lines = text.split(separator: "\n").map(String.init)
        let fits =
          lines.count == patterns.count
          && zip(lines, patterns).allSatisfy { line, pattern in
            let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
            guard parts.count > 1 else { return line == pattern }
            return line.hasPrefix(parts[0]) && line.hasSuffix(parts[parts.count - 1])
              && parts.dropFirst().dropLast().allSatisfy { line.contains($0) }
          }
        #expect(fits, "\(lines) is not \(patterns)", sourceLocation: sourceLocation)
      }
    }
  }

  /// The name, such as `list` or `config get`.
  var command: String
  /// `FEED`, `FILES` and `OPML` stand for the address of a feed, a folder and a file.
  var arguments: [String] = []
  /// What is on standard output.
  var results = Expected.nothing
  /// What is on standard error.
  var messages = Expected.nothing
  var status: Int32 = 0
  /// Whether the results are what was done, which quiet output does not have.
  var isSilent = false
  /// Whether the whole command fails, so that its message is an error.
  var isRefused = false

  var testDescription: String { ([command] + arguments).joined(separator: " ") }

  /// The names of all commands, from their declarations.
  static let commands = Set(options.keys.filter { !$0.isEmpty && !$0.hasSuffix("help") })

  /// The names of the options, of all commands.
  private static let options: [String: Set<String>] = {
    var options: [String: Set<String>] = [:]
    func add(_ command: ManualPage.Command, _ name: String) {
      options[name] = Set((command.arguments ?? []).flatMap { ($0.names ?? []).map(\.text) })
      for part in command.subcommands ?? [] {
        add(part, name.isEmpty ? part.commandName : "\(name) \(part.commandName)")
      }
    }
    if let root = try? ManualPage.root() { add(root, "") }
    return options
  }()

  /// Whether the command has an option.
  func takes(_ option: String) -> Bool { Self.options[command]?.contains(option) == true }

  /// The library has "Number 9", and "Number 8" is in its trash; "talk" is followed.
  static let all = [
    CommandRule(command: "search", arguments: ["feed"], results: .table("The Feed")),
    CommandRule(command: "show", arguments: ["talk"], results: .table("Number 9")),
    CommandRule(command: "browse", messages: .table("needs a terminal"), status: 64),
    CommandRule(
      command: "download", arguments: ["FEED", "--latest", "1"], messages: .table("1 skipped")),
    CommandRule(
      command: "download", arguments: ["FEED", "--latest", "3", "--dry-run"],
      messages: .table("1 to download")),
    CommandRule(command: "resume", messages: .table("Nothing to download.")),
    CommandRule(
      command: "doctor", arguments: ["FEED"], results: .table("podget can read this feed.")),
    CommandRule(
      command: "subscribe", arguments: ["talk", "--latest", "3"],
      results: .lines(["updated      The Feed (talk)"]), isSilent: true),
    CommandRule(
      command: "unsubscribe", arguments: ["talk"],
      results: .lines(["unsubscribed  The Feed (talk)"]), isSilent: true),
    CommandRule(
      command: "pause", arguments: ["talk"], results: .lines(["updated      The Feed (talk)"]),
      isSilent: true),
    CommandRule(
      command: "unpause", arguments: ["talk"], results: .lines(["unchanged    The Feed (talk)"]),
      isSilent: true),
    CommandRule(command: "status", results: .table("feeds        1 active")),
    CommandRule(command: "subscriptions", results: .table("talk  The Feed")),
    CommandRule(command: "sync", messages: .lines(["1 feed checked, nothing new."])),
    CommandRule(
      command: "import", arguments: ["OPML"],
      results: .lines(["subscribed   New (new)", "ignored      Old: *"]),
      messages: .lines(["1 podcast added, 1 ignored"]), isSilent: true),
    CommandRule(command: "export", results: .table("<opml ")),
    CommandRule(
      command: "account",
      messages: .lines(["podget: There is no account; podget account add adds one."])),
    CommandRule(
      command: "account add",
      arguments: ["http://127.0.0.1:1", "--user", "me", "--password-command", "echo x"],
      messages: .table("nothing listens"), status: 1, isRefused: true),
    CommandRule(
      command: "account sync",
      messages: .lines(["podget: The library has no account; podget account add adds one."]),
      status: 1, isRefused: true),
    CommandRule(
      command: "account remove", messages: .lines(["podget: The library has no account."]),
      status: 1, isRefused: true),
    CommandRule(command: "list", results: .table("Number 9")),
    CommandRule(
      command: "grep", arguments: ["number"], results: .table("The Feed: Number 9")),
    CommandRule(
      command: "star", arguments: ["Number 9"], results: .lines(["starred      Number 9"]),
      isSilent: true),
    CommandRule(
      command: "unstar", arguments: ["Number 9"], results: .lines(["unstarred    Number 9"]),
      isSilent: true),
    CommandRule(
      command: "edit", arguments: ["Number 9", "--date", "2024-01-02"],
      results: .lines(["edited       Number 9"]), isSilent: true),
    CommandRule(
      command: "edit", arguments: ["talk", "--title", "Talk"],
      results: .lines(["edited       Talk"]), isSilent: true),
    CommandRule(
      command: "merge", arguments: ["--undo", "talk", "talk"],
      messages: .lines(["podget: talk and talk are not merged; nothing is undone."]), status: 1,
      isRefused: true),
    CommandRule(
      command: "mark", arguments: ["--played", "Number 9"],
      results: .lines(["played       Number 9"]), isSilent: true),
    CommandRule(
      command: "remove", arguments: ["Number 9"],
      results: .lines(["removed      Number 9  19.6 KiB"]),
      messages: .lines(["1 episode removed (19.6 KiB); podget restore brings back *"]),
      isSilent: true),
    CommandRule(
      command: "remove", arguments: ["Number 9", "--dry-run"],
      results: .lines(["would remove  Number 9  19.6 KiB"])),
    CommandRule(
      command: "restore", arguments: ["Number 8"],
      results: .lines(["restored     Number 8  19.6 KiB"]), isSilent: true),
    CommandRule(command: "new", results: .table("Number 9")),
    CommandRule(command: "trash", results: .table("Number 8")),
    CommandRule(
      command: "trash", arguments: ["--empty"],
      results: .lines(["deleted      Number 8  19.6 KiB"]),
      messages: .lines(["1 file deleted (19.6 KiB)"]), isSilent: true),
    CommandRule(
      command: "prune", arguments: ["--keep", "0"],
      results: .lines(["removed      Number 9  19.6 KiB"]),
      messages: .lines(["1 episode removed (19.6 KiB); podget restore brings back *"]),
      isSilent: true),
    CommandRule(
      command: "prune", arguments: ["--keep", "0", "--dry-run"], results: .table("Number 9")),
    CommandRule(
      command: "artwork", results: .lines(["The Feed: 300x300, from *"]), isSilent: true),
    CommandRule(
      command: "publish", arguments: ["PUBLIC", "--base-url", "https://example.org/"],
      results: .lines(["published    The Feed: 1 episode, *, https://example.org/talk/feed.xml"]),
      messages: .lines(["1 podcast: * written, 0 removed"]), isSilent: true),
    CommandRule(
      command: "publish", arguments: ["PUBLIC", "--base-url", "https://example.org/", "--dry-run"],
      results: .table("would publish  The Feed"), messages: .table("to be written")),
    CommandRule(
      command: "verify", arguments: ["-v"], results: .lines(["ok           The Feed/*9.mp3"]),
      messages: .lines(["1 file checked (19.6 KiB): 1 ok"])),
    CommandRule(
      command: "rename", arguments: ["--template", "{title}.{ext}"],
      results: .lines(["The Feed/* → Number 9.mp3"]),
      messages: .lines(["1 file renamed. To undo: podget rename --undo /*"]), isSilent: true),
    CommandRule(
      command: "rename", arguments: ["--template", "{title}.{ext}", "--dry-run"],
      results: .lines(["The Feed/* → Number 9.mp3"]),
      messages: .lines(["1 file would be renamed."])),
    CommandRule(
      command: "tag", results: .lines(["tagged       Number 9: title, podcast, *"]),
      messages: .lines(["1 file: 1 tagged"]), isSilent: true),
    CommandRule(
      command: "tag", arguments: ["--dry-run"],
      results: .lines(["would tag    Number 9: title, podcast, *"]),
      messages: .lines(["1 file: 1 would change"])),
    CommandRule(
      command: "adopt", arguments: ["FILES", "FEED"],
      results: .lines(["unmatched  */other.mp3: *"]), messages: .lines(["1 unmatched"]),
      status: 1),
    CommandRule(command: "config", results: .table("template")),
    CommandRule(command: "config get", arguments: ["jobs"], results: .lines(["4"])),
    CommandRule(command: "config edit"),
    CommandRule(command: "config path", results: .lines(["*/.config/podget/config.yaml"])),
    CommandRule(command: "config init", results: .lines(["*/.config/podget/config.yaml"])),
  ]
}

/// A library, and the server of its podcast, for ``CommandRule``.
private struct RuleHost {
  /// Prepared once, for all tests: they run one after the other.
  static let shared = Task { try await RuleHost() }

  private let server: ArtworkHost
  private var folder: TemporaryFolder { server.folder }

  init() async throws {
    server = try ArtworkHost()
    try folder.write("files/other.mp3", MP3Maker.bytes(seed: 3, length: 9_000))
    try folder.write(
      "other.opml",
      """
      <opml version="2.0"><body><outline text="New" xmlUrl="\(server.server.origin)/new.xml"/>
      <outline text="Old" type="rss"/></body></opml>
      """)
    for arguments in [
      ["subscribe", "FEED", "--name", "talk", "--latest", "2"], ["sync"], ["remove", "Number 8"],
    ] {
      let result = await podget(InProcess(environment: environment), arguments)
      try #require(result.status == .exited(0), "\(result.error)")
    }
    try FileManager.default.moveItem(
      atPath: folder.path("library"), toPath: folder.path("prepared"))
  }

  private var environment: [String: String] {
    server.environment.merging([
      "PODGET_ITUNES_URL": server.server.origin, "EDITOR": "true",
    ]) { $1 }
  }

  /// Runs a command in a new copy of the library.
  ///
  /// - Parameters:
  ///   - more: options after its own arguments.
  ///   - variables: in addition to those of every run.
  ///   - window: the terminal on standard output; nil for none.
  ///   - output: what becomes of each text for standard output.
  func run(
    _ rule: CommandRule, more: [String] = [], variables: [String: String] = [:],
    window: ScreenSize? = nil, output: TextOutput.Outcome = .written
  ) async throws -> RunningProcess.Result {
    for path in ["library", ".config"]
    where FileManager.default.fileExists(
      atPath: folder.path(path))
    {
      try FileManager.default.removeItem(atPath: folder.path(path))
    }
    try FileManager.default.copyItem(
      atPath: folder.path("prepared"), toPath: folder.path("library"))
    var host = InProcess(environment: environment.merging(variables) { $1 })
    host.window = window
    host.outputOutcome = output
    let words = rule.command.split(separator: " ").map(String.init)
    return await podget(host, words + rule.arguments + more)
  }

  private func podget(
    _ host: InProcess, _ arguments: [String]
  ) async -> RunningProcess.Result {
    let places = [
      "FEED": server.feed, "FILES": folder.path("files"), "OPML": folder.path("other.opml"),
      "PUBLIC": folder.path("public"),
    ]
    return await host.run(arguments.map { places[$0] ?? $0 })
  }

  /// What the library has, for scripts.
  func state() async throws -> [String] {
    var texts: [String] = []
    for arguments in [["list"], ["list", "--removed"], ["subscriptions"]] {
      texts.append(
        await InProcess(environment: environment).run(arguments + ["--json"]).output
          .replacing(/"(lastChecked|nextCheck|keptUntil)":"[^"]*"/, with: ""))
    }
    return texts
  }
}
