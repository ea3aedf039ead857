import TestSupport
import Testing

@Suite struct ScreenTests {
  private func shown(_ text: String, columns: Int = 10, rows: Int = 3) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    screen.show(text)
    return screen
  }

  @Test(arguments: [
    ("one\r\ntwo", "one\ntwo"),
    ("12345678901", "1234567890\n1"),
    ("1234567890\r\nx", "1234567890\nx"),
    ("abc\rX", "Xbc"),
    ("abc␛[2DX", "aXc"),
    ("ab\r\ncd␛[A\rX", "Xb\ncd"),
    ("abcdef\r␛[3C␛[K", "abc"),
    ("a\r\nb\r\nc␛[2;1H␛[J", "a"),
    ("␛[1;31mred␛[0m", "red"),
    ("e\u{301}t\u{E9}", "e\u{301}t\u{E9}"),
    ("a\r\nb␛[1FX␛[3GY", "X Y\nb"),
  ])
  func `output is shown as a terminal shows it`(output: String, text: String) {
    // A real escape would reach the terminal of whoever runs the tests, with the test's name.
    let output = String(output.map { $0 == "␛" ? "\u{1B}" : $0 })
    #expect(shown(output).text == text)
  }

  @Test func `lines scroll off the top and stay in the history`() {
    let screen = shown("1\r\n2\r\n3\r\n4")
    #expect(screen.text == "2\n3\n4")
    #expect(screen.scrolledOff == ["1"])
    #expect(screen.history == "1\n2\n3\n4")
  }

  @Test func `the cursor is hidden and shown`() {
    #expect(!shown("\u{1B}[?25l").isCursorVisible)
    #expect(shown("\u{1B}[?25l\u{1B}[?25h").isCursorVisible)
  }

  @Test func `a smaller window cuts lines and loses the top`() {
    var screen = shown("12345\r\n2\r\n3")
    screen.resize(columns: 3, rows: 2)
    #expect(screen.text == "2\n3")
    #expect(screen.row == 1)
    screen.resize(columns: 5, rows: 3)
    screen.show("456")
    #expect(screen.text == "2\n3456")
  }
}
