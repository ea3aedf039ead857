import BrowseScreen
import TestSupport
import Testing

/// What a terminal answers, in the middle of keys.
struct TerminalAnswerTests {
  /// Answers as terminals write them.
  private static let cases: [(bytes: String, answers: [TerminalAnswer])] = [
    ("\u{1B}P>|XTerm(379)\u{1B}\\", [.version("XTerm(379)")]),
    ("\u{1B}P>|kitty(0.26.5)\u{1B}\\", [.version("kitty(0.26.5)")]),
    ("\u{1B}_Gi=31;OK\u{1B}\\", [.kittyGraphics(true)]),
    ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\", [.kittyGraphics(false)]),
    ("\u{1B}_Gi=32;OK\u{1B}\\", []),
    ("\u{1B}_Gi=31\u{1B}\\", []),
    ("\u{1B}[6;18;9t", cell(9, 18)),
    ("\u{1B}[6;0;9t", []),
    ("\u{1B}[6;18;100000t", []),
    ("\u{1B}[6;999999999999999999999;9t", []),
    ("\u{1B}[4;600;800t", []),
    ("\u{1B}[?1;0;256S", [.sixelColors(256)]),
    ("\u{1B}[?1;0;16S", [.sixelColors(16)]),
    ("\u{1B}[?1;3;0S", []),
    ("\u{1B}[?1;0;0S", []),
    ("\u{1B}[?2;0;640;480S", []),
    ("\u{1B}[?2026;2$y", [.synchronizedOutput(true)]),
    ("\u{1B}[?2026;1$y", [.synchronizedOutput(true)]),
    ("\u{1B}[?2026;0$y", [.synchronizedOutput(false)]),
    ("\u{1B}[?2026;4$y", [.synchronizedOutput(false)]),
    ("\u{1B}[?2004;1$y", []),
    // xterm with sixels, foot, mlterm, and patched terminals of an old class.
    ("\u{1B}[?63;1;2;4;6;9;15;22c", [.attributes(hasSixel: true)]),
    ("\u{1B}[?62;4;22c", [.attributes(hasSixel: true)]),
    ("\u{1B}[?65;1;4c", [.attributes(hasSixel: true)]),
    ("\u{1B}[?1;2;4c", [.attributes(hasSixel: true)]),
    ("\u{1B}[?12;4c", [.attributes(hasSixel: true)]),
    // A VT132, Latin-2, a VT100 with a 4 that means something else, kitty, xterm, a VT102.
    ("\u{1B}[?4;6c", [.attributes(hasSixel: false)]),
    ("\u{1B}[?62;42c", [.attributes(hasSixel: false)]),
    ("\u{1B}[?1;4c", [.attributes(hasSixel: false)]),
    ("\u{1B}[?62;c", [.attributes(hasSixel: false)]),
    ("\u{1B}[?62;4;c", [.attributes(hasSixel: true)]),
    ("\u{1B}[?64;1;2;6;22c", [.attributes(hasSixel: false)]),
    ("\u{1B}[?6c", [.attributes(hasSixel: false)]),
    ("\u{1B}[c", []),
    ("\u{1B}[?c", [.attributes(hasSixel: false)]),
    ("\u{1B}[?62:1;4c", []),
    ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", [.background(isLight: false)]),
    ("\u{1B}]11;rgb:ffff/ffff/ffff\u{07}", [.background(isLight: true)]),
    ("\u{1B}]11;rgba:f/f/e/f\u{07}", [.background(isLight: true)]),
    ("\u{1B}]11;rgb:00000/0/0\u{07}", []),
    ("\u{1B}]11;rgb:ff/ff\u{07}", []),
    ("\u{1B}]11;white\u{07}", []),
    // Other programs' answers.
    ("\u{1B}]10;rgb:0000/0000/0000\u{1B}\\", []),
    ("\u{1B}P1$r0m\u{1B}\\", []),
    ("\u{1B}[24;80R", []),
  ]

  private static func cell(_ width: Int, _ height: Int) -> [TerminalAnswer] {
    CellSize(checking: width, height).map { [.cell($0)] } ?? []
  }

  @Test func `answers are read wherever they are cut, and are no keys`() {
    for (text, expected) in Self.cases {
      let bytes = Array("j\(text)q".utf8)
      for cut in 0...bytes.count {
        var decoder = KeyDecoder()
        let keys = decoder.keys(bytes[..<cut]) + decoder.keys(bytes[cut...])
        #expect(keys == [.character("j"), .character("q")], "\(text.debugDescription) at \(cut)")
        #expect(decoder.takeAnswers() == expected, "\(text.debugDescription) at \(cut)")
        #expect(decoder.takeAnswers() == [])
      }
    }
  }

  @Test func `all answers at once are read in their order, byte by byte`() {
    var decoder = KeyDecoder()
    let text = Self.cases.map(\.bytes).joined()
    var answers: [TerminalAnswer] = []
    for byte in text.utf8 {
      #expect(decoder.keys([byte]) == [])
      answers += decoder.takeAnswers()
    }
    #expect(answers == Self.cases.flatMap(\.answers))
  }

  @Test func `very long answers are none, and end`() {
    var decoder = KeyDecoder()
    let long = String(repeating: "9", count: 1 << 15)
    for text in [
      "\u{1B}P>|\(long)\u{1B}\\", "\u{1B}_Gi=31;\(long)\u{1B}\\", "\u{1B}_G\(long)i=31;OK\u{1B}\\",
    ] {
      #expect(decoder.keys(text.utf8) == [])
      #expect(decoder.takeAnswers() == [])
      #expect(decoder.keys("q".utf8) == [.character("q")])
    }
    // Their ends are letters, which are keys elsewhere: c cancels a download.
    for text in ["\u{1B}[?62;\(long)c", "\u{1B}[6;\(long);9t", "\u{1B}[\(long)~"] {
      #expect(decoder.keys(text.utf8) == [])
      #expect(decoder.takeAnswers() == [])
      #expect(decoder.keys("q".utf8) == [.character("q")])
    }
  }

  @Test func `a terminal with many attributes is understood`() {
    var decoder = KeyDecoder()
    let many = (1...60).map(String.init).joined(separator: ";")
    #expect(decoder.keys("\u{1B}[?65;\(many)c".utf8) == [])
    #expect(decoder.takeAnswers() == [.attributes(hasSixel: true)])
  }

  @Test func `the rest of an answer is waited for longer than that of a key`() throws {
    var decoder = KeyDecoder()
    _ = decoder.keys("\u{1B}[1;".utf8)
    let patience = try #require(decoder.patience)
    _ = decoder.keys("A\u{1B}[?62;".utf8)
    #expect(try #require(decoder.patience) >= patience * 3)
  }

  @Test func `a terminal that answers without an end takes no memory`() {
    var decoder = KeyDecoder()
    for _ in 0..<10_000 { _ = decoder.keys("\u{1B}_Gi=31;OK\u{1B}\\".utf8) }
    #expect((1...100).contains(decoder.takeAnswers().count))
  }

  @Test func `an answer that breaks off is none`() {
    var decoder = KeyDecoder()
    #expect(decoder.keys("\u{1B}_Gi=31;O".utf8) == [])
    #expect(decoder.end() == [])
    #expect(decoder.keys("K\u{1B}\\".utf8) == [.character("K")])
    #expect(decoder.takeAnswers() == [])
  }
}
