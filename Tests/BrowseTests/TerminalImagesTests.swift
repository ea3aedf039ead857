import Glibc
import Testing

@testable import BrowseScreen

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
      all
        == "\u{1B}]11;?\u{1B}\\\u{1B}[>q\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}[?1;1;0S"
        + "\u{1B}[?2026$p\u{1B}[c")
    #expect(
      images(Case(name: "", choice: .none)).questions == "\u{1B}]11;?\u{1B}\\\u{1B}[?2026$p\u{1B}[c"
    )
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

  @Test func `colors can be read on the background`() {
    var images = images(Case(name: "", variables: ["TERM": "xterm-256color"]))
    #expect(images.palette == .usual)
    images.take(.background(isLight: true))
    #expect(images.palette == .dark)
    images.take(.background(isLight: false))
    #expect(images.palette == .usual)
    // Where nothing is asked, a variable may say it.
    let tmux = ["TERM": "screen-256color", "TMUX": "x", "COLORFGBG": "0;default;15"]
    #expect(self.images(Case(name: "", variables: tmux)).palette == .dark)
    #expect(
      self.images(Case(name: "", variables: ["TERM": "rxvt", "COLORFGBG": "0;7"])).palette
        == .darkOfSixteen)
    #expect(
      self.images(Case(name: "", variables: ["TERM": "rxvt", "COLORFGBG": "15;0"])).palette
        == .usual)
    let style: CellStyle = [.bold, .yellow]
    #expect(style.sequence() == "\u{1B}[0;1;33m" && style.sequence(.dark) == "\u{1B}[0;1;38;5;94m")
    #expect(style.sequence(.darkOfSixteen) == "\u{1B}[0;1;35m")
    // Another palette draws all again.
    var frame = Frame(ScreenSize(columns: 4, rows: 1))
    frame.write("a", row: 0, column: 0, style: .yellow)
    var encoder = FrameEncoder()
    _ = encoder.bytes(for: frame)
    #expect(encoder.bytes(for: frame).isEmpty)
    encoder.palette = .dark
    #expect(String(decoding: encoder.bytes(for: frame), as: UTF8.self).contains("38;5;94"))
  }

  @Test func `dark colors have contrast on white`() {
    // The color cube has these levels, and 16 is its first color.
    let levels = [0, 95, 135, 175, 215, 255]
    for code in CellPalette.dark.codes {
      let number = (Int(code.split(separator: ";").last ?? "") ?? 0) - 16
      let light = [number / 36, number / 6 % 6, number % 6].map { place in
        let level = Double(levels[place]) / 255
        return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
      }
      let luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
      // WCAG 2.1, contrast (minimum).
      #expect(1.05 / (luminance + 0.05) >= 4.5, "\(code)")
    }
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
