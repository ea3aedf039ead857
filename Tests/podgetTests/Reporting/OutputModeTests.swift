import Testing

@testable import podget

@Suite("Output mode") struct OutputModeTests {
  private func mode(
    json: Bool = false, quiet: Bool = false, noProgress: Bool = false, terminal: Bool = true,
    type: String? = "xterm", foreground: Bool = true
  ) -> OutputMode {
    .choose(
      json: json, quiet: quiet, noProgress: noProgress, errorIsTerminal: terminal,
      terminalType: type, isForeground: foreground)
  }

  @Test("the live display needs a terminal in the foreground and consent") func choice() {
    #expect(mode() == .live)
    #expect(mode(terminal: false) == .plain)
    #expect(mode(foreground: false) == .plain)
    #expect(mode(noProgress: true) == .plain)
    #expect(mode(quiet: true) == .plain)
    #expect(mode(type: "dumb") == .plain)
    #expect(mode(type: nil) == .plain)
    #expect(mode(json: true) == .jsonLines)
    #expect(mode(json: true, quiet: true, terminal: false) == .jsonLines)
  }

  @Test("the environment decides on colors and line drawing") func style() {
    let utf8 = ["LANG": "de_DE.UTF-8", "TERM": "xterm"]
    #expect(TerminalStyle(environment: utf8) == TerminalStyle(hasColor: true, isUTF8: true))
    let c = utf8.merging(["LC_ALL": "C", "NO_COLOR": "1"]) { $1 }
    #expect(TerminalStyle(environment: c) == TerminalStyle(hasColor: false, isUTF8: false))
    let empty = utf8.merging(["LC_ALL": "", "NO_COLOR": ""]) { $1 }
    #expect(TerminalStyle(environment: empty) == TerminalStyle(hasColor: true, isUTF8: true))
  }
}
