import Testing

@testable import podget

@Suite("Keys") struct TerminalKeysTests {
  @Test(
    "keys are distinguished from escape sequences",
    arguments: [
      ("p", [.pause]), (" ", [.pause]), ("q", [.quit]), ("PxQ", [.pause, .quit]), ("", []),
      ("\u{1B}OP", []), ("\u{1B}[A", []), ("q\u{1B}OP", [.quit]), ("\n", []),
    ] as [(String, [TerminalKeys.Key])])
  func parse(text: String, keys: [TerminalKeys.Key]) {
    #expect(TerminalKeys.parse(text.utf8) == keys)
  }

  @Test("signals that end a command have its exit status") func statuses() {
    #expect(SignalMonitor.Signal.hangUp.exitStatus == 129)
    #expect(SignalMonitor.Signal.interrupt.exitStatus == 130)
    #expect(SignalMonitor.Signal.terminate.exitStatus == 143)
    #expect(SignalMonitor.Signal.stop.exitStatus == nil)
  }
}
