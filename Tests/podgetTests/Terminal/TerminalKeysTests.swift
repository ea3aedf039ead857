import Testing

@testable import podget

@Suite("Keys") struct TerminalKeysTests {
  @Test(
    "keys are distinguished from escape sequences",
    arguments: [
      ("p", [.pause]), (" ", [.pause]), ("q", [.quit]), ("PxQ", [.pause, .quit]), ("", []),
      ("\u{1B}OP", []), ("\u{1B}[A", []), ("q\u{1B}OP", [.quit]), ("\n", []),
    ] as [(String, [ControlKey])])
  func parse(text: String, keys: [ControlKey]) {
    #expect(TerminalKeys.parse(text.utf8) == keys)
  }

  @Test("signals that end a command have its exit status") func statuses() {
    #expect(ProcessSignal.hangUp.exitStatus == 129)
    #expect(ProcessSignal.interrupt.exitStatus == 130)
    #expect(ProcessSignal.terminate.exitStatus == 143)
    #expect(ProcessSignal.stop.exitStatus == nil)
  }
}
