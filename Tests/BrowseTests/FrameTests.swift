import Testing

@testable import BrowseScreen

/// Frames, and the bytes that lead from one to the next.
struct FrameTests {
  @Test func `the selected row is one bar, whatever stands in it`() {
    var frame = Frame(ScreenSize(columns: 20, rows: 2))
    frame.write("a", row: 0, column: 0, style: .green)
    frame.write("b", row: 0, column: 3, style: .dim)
    frame.write("c", row: 0, column: 6, style: [.bold, .red])
    frame.select(row: 0)
    frame.select(row: 7)
    var plain = Frame(ScreenSize(columns: 20, rows: 2))
    plain.write("a  b  ", row: 0, column: 0)
    plain.write("c", row: 0, column: 6, style: .bold)
    plain.select(row: 0)
    #expect(frame == plain)
  }

  private func frame(_ lines: [String], columns: Int = 20, style: CellStyle = []) -> Frame {
    var frame = Frame(ScreenSize(columns: columns, rows: lines.count))
    for (row, line) in lines.enumerated() {
      frame.write(line, row: row, column: 0, style: style)
    }
    return frame
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `text is cut between characters and never leaves the frame`() {
    var frame = Frame(ScreenSize(columns: 5, rows: 1))
    frame.write("ab世界", row: 0, column: 0)
    #expect(frame.lines == ["ab世"])
    frame.write("x", row: 1, column: 0)
    frame.write("x", row: 0, column: 9)
    frame.write("x", row: -1, column: -1)
    #expect(frame.lines == ["ab世"])
    frame.write("x", row: 0, column: 3)
    #expect(frame.lines == ["ab x"])
    frame.write("世", row: 0, column: 2)
    frame.write("y", row: 0, column: 2)
    #expect(frame.lines == ["aby"])
  }

  @Test func `the same frame takes no bytes`() {
    var encoder = FrameEncoder()
    let first = frame(["one", "two"])
    #expect(text(encoder.bytes(for: first)).hasPrefix("\u{1B}[0m\u{1B}[2J"))
    #expect(encoder.bytes(for: first).isEmpty)
    encoder.forget()
    #expect(!encoder.bytes(for: first).isEmpty)
  }

  @Test func `only what changed is written`() {
    var encoder = FrameEncoder()
    _ = encoder.bytes(for: frame(["one 11% and more", "two"]))
    #expect(
      text(encoder.bytes(for: frame(["one 12% and more", "two"]))) == "\u{1B}[1;6H\u{1B}[0m2")
    #expect(
      text(encoder.bytes(for: frame(["one 12% and more", "twice"])))
        == "\u{1B}[2;3H\u{1B}[0mice")
  }

  @Test func `a row with characters of uncertain width is drawn from its beginning`() {
    var encoder = FrameEncoder()
    _ = encoder.bytes(for: frame(["❤️ one", "two"]))
    let bytes = text(encoder.bytes(for: frame(["❤️ two", "two"])))
    #expect(bytes == "\u{1B}[1;1H\u{1B}[0m\u{1B}[2K\u{1B}[1;1H❤️\u{1B}[1;3H two")
    // Also when the new row has none: remains of the old one may be anywhere.
    #expect(
      text(encoder.bytes(for: frame(["x", "two"]))) == "\u{1B}[1;1H\u{1B}[0m\u{1B}[2K\u{1B}[1;1Hx")
  }

  @Test func `a style is set once for a run, and taken back at the end`() {
    var encoder = FrameEncoder()
    _ = encoder.bytes(for: frame([""]))
    #expect(
      text(encoder.bytes(for: frame(["abc"], style: [.bold, .red])))
        == "\u{1B}[1;1H\u{1B}[0;1;31mabc\u{1B}[0m")
    var plain = frame(["abc"], style: [.bold, .red])
    plain.removeColors()
    #expect(text(encoder.bytes(for: plain)) == "\u{1B}[1;1H\u{1B}[0;1mabc\u{1B}[0m")
  }

  @Test func `another size begins anew`() {
    var encoder = FrameEncoder()
    _ = encoder.bytes(for: frame(["one"], columns: 20))
    #expect(text(encoder.bytes(for: frame(["one"], columns: 30))).contains("\u{1B}[2J"))
  }

  @Test func `a slow terminal gets the newest frame, not all of them`() {
    var output = FrameOutput()
    var written: [UInt8] = []
    var room = 10
    func write(_ bytes: UnsafeRawBufferPointer) -> FrameOutput.Written {
      guard room > 0 else { return .blocked }
      let count = min(room, bytes.count)
      room -= count
      written += bytes.prefix(count)
      return .bytes(count)
    }
    output.show(frame(["first"]))
    var isOpen = output.flush(write)
    #expect(isOpen && output.isWaiting)
    for number in 1...50 { output.show(frame(["frame \(number)"])) }
    room = 10_000
    isOpen = output.flush(write)
    #expect(isOpen && !output.isWaiting)
    #expect(text(written).contains("first"))
    #expect(text(written).contains("rame 50"))
    #expect(!text(written).contains("49"))
    output.show(frame(["last"]))
    isOpen = output.flush { _ in .failed }
    #expect(!isOpen)
    output.show(frame(["another"]))
    isOpen = output.flush { _ in .bytes(0) }
    #expect(!isOpen)
  }

  @Test func `a character of a megabyte is cut to its beginning`() {
    var frame = Frame(ScreenSize(columns: 4, rows: 1))
    frame.write("a" + String(repeating: "\u{FE0F}", count: 1 << 20), row: 0, column: 0)
    #expect(frame.row(0).first.map { $0.character.unicodeScalars.count } == 32)
  }
}
