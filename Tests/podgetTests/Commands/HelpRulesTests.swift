import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import podget

/// Rules for the help of all commands.
@Suite("The help of every command") struct HelpRulesTests {
  /// All commands, and those below others, as they are typed.
  private static let commands: [String] = Podget.configuration.subcommands.flatMap { command in
    let name = command.configuration.commandName ?? ""
    return [name]
      + command.configuration.subcommands.map { "\(name) \($0.configuration.commandName ?? "")" }
  }
  /// Sections of options that several commands have.
  private static let shared = [
    "SELECTION:", "LIBRARY:", "TRANSFERS:", "WITH --REPAIR:", "NETWORK:", "CATALOG:",
    "PRIVATE FEEDS:", "OUTPUT:", "TRASH:", "NAMES:", "HOOKS:", "RULES:", "SUBSCRIPTION:",
  ]

  private func help(_ topic: String) async -> String {
    await InProcess().run(["help"] + topic.split(separator: " ").map(String.init)).output
  }

  @Test func `types of commands are named as the commands are`() {
    for command in Podget.configuration.subcommands {
      #expect(CommandNames.name(of: command) == command.configuration.commandName)
    }
  }

  @Test(arguments: commands + ["", "environment", "exit-status", "templates"])
  func `has at most 80 columns`(topic: String) async {
    let lines = await help(topic).split(separator: "\n")
    #expect(lines.count > 5)
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test(arguments: commands)
  func `has the command's own options first, in the man page too`(command: String) async throws {
    let lines = await help(command).split(separator: "\n").map(String.init)
    let options = try #require(lines.firstIndex(of: "OPTIONS:"))
    let end = lines[(options + 1)...].firstIndex { !$0.hasPrefix(" ") } ?? lines.endIndex
    let own = lines[options + 1..<end].filter { line in
      line.hasPrefix("  -") && !line.contains("--version") && !line.contains("--help")
    }
    #expect(!lines.contains("DIRECTORY:"))
    #expect(lines.count { $0 == "OPTIONS:" } == 1)
    if let other = lines.firstIndex(where: Self.shared.contains), !own.isEmpty {
      #expect(options < other, "\(command)")
    }
    guard !command.contains(" ") else { return }
    let page = await help("man \(command)").split(separator: "\n").map(String.init)
    let titles = page.filter { $0.hasPrefix(".SH \"") }.map { $0.dropFirst(5).dropLast() + ":" }
    let place = try #require(titles.firstIndex(of: "OPTIONS:"))
    if let other = titles.firstIndex(where: { Self.shared.contains(String($0)) }) {
      #expect(place < other, "\(command)")
    }
  }

  @Test(arguments: [("ls", "list"), ("rm", "remove"), ("subs", "subscriptions")])
  func `is found by an alias, as man page too`(alias: String, command: String) async {
    for topic in ["", "man ", "json "] {
      #expect(await help(topic + alias) == help(topic + command))
    }
  }

  @Test func `names no option that is always an error`() async {
    for command in ["sync", "subscribe"] {
      #expect(await !help(command).contains("--episode"))
      let result = await InProcess().run([command, "x", "--episode", "7"])
      #expect(result.status == .exited(64) && result.error.contains("Unknown option '--episode'"))
    }
    let sections = await help("verify").components(separatedBy: "\n\n")
    let repair = sections.first { $0.hasPrefix("WITH --REPAIR:") }
    #expect(repair?.contains("--limit-rate") == true && repair?.contains("--country") == true)
  }

  @Test(arguments: ["20", "100"]) func `retries are what was asked for, or an error`(count: String)
    async
  {
    let download = await InProcess().run(["download", "7", "--retries", count])
    #expect(download.status == .exited(64))
    #expect(download.error.hasPrefix("podget: --retries takes a number from 0 to 19.\n"))
  }
}
