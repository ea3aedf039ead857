import Testing

@testable import podget

/// The manual pages, which are made from the same declarations as `help`.
@Suite struct ManualPageTests {
  private static let commands =
    (try? ManualPage.root())?.subcommands?.map(\.commandName).filter { $0 != "help" } ?? []

  @Test func `the page of podget names the page of every command`() throws {
    let page = try ManualPage.text(nil)
    #expect(page.hasPrefix(".TH \"PODGET\" \"1\""))
    #expect(Self.commands.count > 20)
    for command in Self.commands {
      #expect(page.contains("\n\\fBpodget\\-\(command)(1)\\fR\n"), "\(command)")
    }
    for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "EXIT STATUS"] {
      #expect(page.contains("\n.SH \"\(heading)\"\n"), "\(heading)")
    }
  }

  @Test(arguments: commands)
  func `a page explains every option of its command`(command: String) throws {
    let page = try ManualPage.text(command)
    let root = try ManualPage.root()
    let described = try #require(root.subcommands?.first { $0.commandName == command })
    let headings = page.split(separator: "\n").filter { $0.hasPrefix("\\fB") }
      .flatMap { $0.dropFirst(3).split(whereSeparator: " ,".contains).map(String.init) }
      .map { $0.replacing("\\fR", with: "").replacing("\\-", with: "-") }
    for argument in described.arguments ?? [] where argument.shouldDisplay {
      for name in argument.names ?? [] {
        #expect(headings.contains(name.text), "\(name.text)")
      }
    }
  }

  /// A line of text that begins with a point or an apostrophe would be read as a command, and vanish.
  @Test(arguments: commands)
  func `no text is read as a command`(command: String) throws {
    let known = ["TH", "SH", "SS", "PP", "TP", "IP", "nf", "fi", "br"]
    for line in try ManualPage.text(command).split(separator: "\n") {
      if line.hasPrefix(".") {
        #expect(known.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
      }
      #expect(!line.hasPrefix("'"))
      #expect(line.unicodeScalars.allSatisfy { $0 == "\t" || $0.value >= 0x20 })
    }
  }

  @Test func `an unknown command has no page`() {
    #expect(throws: (any Error).self) { try ManualPage.text("downlaod") }
  }
}
