import BrowseScreen
import Testing

/// How images are drawn on which terminal.
struct TerminalImagesTests {
  /// A terminal, and what it gets.
  private struct Case: Sendable {
    var name: String
    var choice = ImageChoice.auto
    var variables: [String: String] = ["TERM": "xterm-256color"]
    var isConsole = false
    var hasColor = true
    var isUTF8 = true
    var answers: [TerminalAnswer] = []
    var windowCell: CellSize?
    var method: ImageMethod?
  }

  private static let cell = CellSize(checking: 9, 18)
  private static let cellAnswer = cell.map { [TerminalAnswer.cell($0)] } ?? []

  private static let cases: [Case] = [
    Case(name: "before any answer", method: .blocks(.palette)),
    Case(
      name: "24 bits", variables: ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
      method: .blocks(.full)),
    Case(
      name: "24 bits, the other word", variables: ["TERM": "foot", "COLORTERM": "24bit"],
      method: .blocks(.full)),
    Case(name: "16 colors", variables: ["TERM": "vt220"], method: nil),
    Case(name: "no variables", variables: [:], method: nil),
    Case(name: "no colors", hasColor: false, method: nil),
    Case(name: "no UTF-8", isUTF8: false, method: nil),
    Case(
      name: "kitty answers", hasColor: false, isUTF8: false, answers: [.kittyGraphics(true)],
      method: .kitty),
    Case(name: "kitty refuses", answers: [.kittyGraphics(false)], method: .blocks(.palette)),
    Case(name: "kitty by its name", variables: ["TERM": "xterm-kitty"], method: .kitty),
    Case(
      name: "a program in kitty that keeps its name", variables: ["TERM": "xterm-kitty"],
      answers: [.attributes(hasSixel: false)], method: .blocks(.palette)),
    Case(
      name: "kitty itself", variables: ["TERM": "xterm-kitty"],
      answers: [.kittyGraphics(true), .attributes(hasSixel: false)], method: .kitty),
    Case(
      name: "sixels in cells of a known size",
      answers: cellAnswer + [.attributes(hasSixel: true)], method: .sixel(colors: 128)),
    Case(
      name: "sixels, the size from the window", answers: [.attributes(hasSixel: true)],
      windowCell: cell, method: .sixel(colors: 128)),
    Case(
      name: "sixels with 16 colors",
      answers: cellAnswer + [.sixelColors(16), .attributes(hasSixel: true)],
      method: .sixel(colors: 16)),
    Case(
      name: "sixels in cells of an unknown size", answers: [.attributes(hasSixel: true)],
      method: .blocks(.palette)),
    Case(
      name: "both", answers: cellAnswer + [.kittyGraphics(true), .attributes(hasSixel: true)],
      method: .kitty),
    Case(
      name: "WezTerm",
      answers: cellAnswer + [
        .version("WezTerm 20230712"), .kittyGraphics(true), .attributes(hasSixel: true),
      ], method: .sixel(colors: 128)),
    Case(
      name: "Konsole",
      answers: cellAnswer + [.version("Konsole 22.12.3"), .attributes(hasSixel: true)],
      method: .blocks(.palette)),
    Case(
      name: "Warp", variables: ["TERM": "xterm-256color", "TERM_PROGRAM": "WarpTerminal"],
      answers: [.kittyGraphics(true)], method: .blocks(.palette)),
    Case(
      name: "tmux", variables: ["TERM": "xterm-kitty", "TMUX": "/tmp/x,1,0"],
      answers: [.kittyGraphics(true)], method: .blocks(.palette)),
    Case(
      name: "screen", variables: ["TERM": "screen", "STY": "1.pts"],
      answers: [.attributes(hasSixel: true)], windowCell: cell, method: .blocks(.palette)),
    Case(name: "tmux over ssh", variables: ["TERM": "tmux-256color"], method: .blocks(.palette)),
    Case(name: "a console", variables: ["TERM": "linux"], method: nil),
    Case(name: "a console with another name", isConsole: true, method: nil),
    Case(
      name: "none, whatever it can", choice: .none, answers: [.kittyGraphics(true)], method: nil),
    Case(
      name: "kitty in tmux", choice: .kitty, variables: ["TERM": "tmux", "TMUX": "x"],
      method: .kitty),
    Case(name: "sixel without an answer", choice: .sixel, method: .sixel(colors: 128)),
    Case(
      name: "sixel in kitty", choice: .sixel, answers: [.kittyGraphics(true), .sixelColors(64)],
      method: .sixel(colors: 64)),
    Case(
      name: "blocks in kitty", choice: .blocks, variables: ["TERM": "xterm-kitty"],
      method: .blocks(.palette)),
    Case(
      name: "blocks without colors, by the user's word", choice: .blocks,
      variables: ["TERM": "vt220"], hasColor: false, method: .blocks(.palette)),
    Case(name: "blocks without UTF-8", choice: .blocks, isUTF8: false, method: nil),
  ]

  private func images(_ item: Case) -> TerminalImages {
    var images = TerminalImages(
      item.choice, TerminalEnvironment(item.variables, isConsole: item.isConsole),
      hasColor: item.hasColor, isUTF8: item.isUTF8)
    for answer in item.answers { images.take(answer) }
    images.windowCell = item.windowCell
    return images
  }

  @Test func `the method follows from the choice, the environment and the answers`() {
    for item in Self.cases {
      #expect(images(item).method == item.method, "\(item.name)")
    }
  }

  @Test func `questions are asked in one text that ends with the one that all answer`() throws {
    let all = try #require(images(Case(name: "")).questions)
    #expect(
      all == "\u{1B}[>q\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}[?1;1;0S"
        + "\u{1B}[?2026$p\u{1B}[c")
    #expect(images(Case(name: "", choice: .none)).questions == "\u{1B}[?2026$p\u{1B}[c")
  }

  @Test(arguments: [
    ["TERM": "linux"], ["TERM": "tmux-256color"], ["TERM": "screen.xterm"],
    ["TERM": "xterm", "TMUX": "x"], ["TERM": "xterm", "STY": "x"],
    ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"],
  ])
  func `nothing is asked where the answer goes astray or the question is shown`(
    variables: [String: String]
  ) {
    var images = images(Case(name: "", variables: variables))
    #expect(images.questions == nil)
    images.take(.synchronizedOutput(true))
    #expect(!images.isSynchronized)
    #expect(!TerminalEnvironment(variables).mayHaveKittyImages(.auto))
    #expect(TerminalEnvironment(variables).mayHaveKittyImages(.kitty))
  }

  @Test func `frames are bracketed only after a positive answer`() {
    var images = images(Case(name: ""))
    #expect(!images.isSynchronized && !images.isAnswered)
    images.take(.synchronizedOutput(true))
    #expect(images.isSynchronized && !images.isAnswered)
    images.take(.attributes(hasSixel: false))
    #expect(images.isAnswered)
  }

  @Test func `the size of a cell is the window's, else the terminal's, else a small one`() throws {
    var images = images(Case(name: "", answers: Self.cellAnswer))
    #expect(images.cell == Self.cell)
    images.windowCell = CellSize(checking: 10, 20)
    #expect(images.cell == CellSize(checking: 10, 20))
    #expect(self.images(Case(name: "")).cell == .assumed)
    #expect(CellSize(checking: 1, 20) == nil && CellSize(checking: 10, 4000) == nil)
  }
}
