import BrowseScreen
import TestSupport
import Testing

/// What bytes of a terminal mean, however they arrive.
struct KeyDecoderTests {
  /// Input with its keys.
  private static let cases: [(bytes: String, keys: [Key])] = [
    ("aé世🎧", [.character("a"), .character("é"), .character("世"), .character("🎧")]),
    ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
    ("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[F", [.pageUp, .pageDown, .home, .end]),
    ("\u{1B}[1~\u{1B}[4~\u{1B}[3~\u{1B}[Z", [.home, .end, .delete, .backTab]),
    ("\u{1B}[1;5A", [.up]),
    ("\r\t\u{7F}\u{08}", [.enter, .tab, .backspace, .backspace]),
    ("\u{15}", [.control("u")]),
    ("\u{1B}\u{1B}[Aq", [.escape, .up, .character("q")]),
    ("\u{1B}[200~two\nlines q\u{1B}[201~j", [.paste("two lines q"), .character("j")]),
    // Answers to questions: attributes, a cursor report, colors, graphics, a version, a mode.
    ("\u{1B}[?64;4;6ca", [.character("a")]),
    ("\u{1B}[24;80Ra", [.character("a")]),
    ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\a", [.character("a")]),
    ("\u{1B}]11;rgb:ffff/ffff/ffff\u{07}a", [.character("a")]),
    ("\u{1B}_Gi=31;OK\u{1B}\\a", [.character("a")]),
    ("\u{1B}P>|XTerm(379)\u{1B}\\a", [.character("a")]),
    ("\u{1B}[?2026;2$ya", [.character("a")]),
    // Esc and what follows it at once, as tmux sends it; Alt and a letter are the same.
    ("\u{1B}xa", [.escape, .character("x"), .character("a")]),
    ("\u{1B}\r\u{1B}é", [.escape, .enter, .escape, .character("é")]),
    ("\u{1B}PjX", [.escape, .character("P"), .character("j"), .character("X")]),
    (
      "\u{1B}Xq\u{1B}_x\u{1B}]]",
      [
        .escape, .character("X"), .character("q"), .escape, .character("_"), .character("x"),
        .escape,
        .character("]"), .character("]"),
      ]
    ),
    ("\u{1B}O\rq", [.escape, .character("O"), .enter, .character("q")]),
    // Unknown: function keys, a function key of the Linux console.
    ("\u{1B}[15~\u{1B}[[Aa", [.character("a")]),
    // The mouse: a press, the wheel with Shift; a release, a movement and another button are nothing.
    ("\u{1B}[<0;10;3Ma", [.mouse(MouseEvent(.press, row: 2, column: 9)), .character("a")]),
    (
      "\u{1B}[<68;1;1M\u{1B}[<65;1;1M",
      [
        .mouse(MouseEvent(.wheelUp, row: 0, column: 0)),
        .mouse(MouseEvent(.wheelDown, row: 0, column: 0)),
      ]
    ),
    ("\u{1B}[<0;10;10m\u{1B}[<32;1;1M\u{1B}[<2;1;1Ma", [.character("a")]),
    ("\u{1B}[<0;0;1M\u{1B}[<0;1;99999999999999999999M\u{1B}[<0;1Ma", [.character("a")]),
  ]

  @Test func `keys are the same wherever the input is cut`() {
    for (text, expected) in Self.cases {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        var decoder = KeyDecoder()
        let keys = decoder.keys(bytes[..<cut]) + decoder.keys(bytes[cut...])
        #expect(keys == expected, "\(text.debugDescription) cut at \(cut)")
        #expect(decoder.patience == nil)
      }
      var decoder = KeyDecoder()
      #expect(bytes.flatMap { decoder.keys([$0]) } == expected)
    }
  }

  @Test func `Escape alone is a key when nothing follows`() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1B]) == [])
    #expect(decoder.patience != nil)
    #expect(decoder.end() == [.escape])
    #expect(decoder.patience == nil)
    #expect(decoder.keys(Array("[A".utf8)) == [.character("["), .character("A")])
  }

  @Test(arguments: ["[", "O", "]", "P", "_", "X", "^"])
  func `Esc and a key that could begin more are keys when nothing follows`(key: Character) {
    var decoder = KeyDecoder()
    #expect(decoder.keys(Array("\u{1B}\(key)".utf8)) == [])
    #expect(decoder.patience != nil)
    #expect(decoder.end() == [.escape, .character(key)])
    #expect(decoder.keys(Array("q".utf8)) == [.character("q")])
  }

  @Test func `a string without an end does not take the keys for ever`() {
    var decoder = KeyDecoder()
    #expect(decoder.keys(Array("\u{1B}]0;title".utf8)) == [])
    #expect(decoder.end() == [])
    #expect(decoder.keys(Array("q".utf8)) == [.character("q")])
  }

  @Test func `Esc is a key after 60 ms, whatever ends the waits before that`() {
    let start = ContinuousClock.now
    var decoder = TimedKeyDecoder()
    #expect(decoder.timeout(at: start) == -1)
    #expect(decoder.keys([0x1B], at: start) == [])
    #expect(decoder.timeout(at: start) == 60)
    #expect(decoder.timeout(at: start + .microseconds(20_500)) == 40)
    // Progress, signals and room on the terminal end a wait too.
    for time in [1, 20, 40, 59] {
      #expect(decoder.keys([], at: start + .milliseconds(time)) == [])
    }
    #expect(decoder.timeout(at: start + .milliseconds(70)) == 0)
    #expect(decoder.keys([], at: start + .milliseconds(60)) == [.escape])
    #expect(decoder.timeout(at: start + .milliseconds(60)) == -1)
    #expect(decoder.keys([], at: start + .milliseconds(200)) == [])
  }

  @Test func `an arrow key in two pieces is one key, also if a wait ends between them`() {
    let start = ContinuousClock.now
    var decoder = TimedKeyDecoder()
    #expect(decoder.keys([0x1B], at: start) == [])
    #expect(decoder.keys([], at: start + .milliseconds(30)) == [])
    #expect(decoder.keys(Array("[".utf8), at: start + .milliseconds(50)) == [])
    #expect(decoder.keys([], at: start + .milliseconds(100)) == [])
    #expect(decoder.keys(Array("A".utf8), at: start + .milliseconds(110)) == [.up])
  }

  @Test func `a paste that halts for a second is one paste, and one without an end ends`() {
    let start = ContinuousClock.now
    var decoder = TimedKeyDecoder()
    #expect(decoder.keys(Array("\u{1B}[200~de".utf8), at: start) == [])
    for tenth in 1...40 {
      #expect(decoder.keys([], at: start + .milliseconds(100 * tenth)) == [])
    }
    #expect(decoder.keys(Array("f".utf8), at: start + .seconds(4)) == [])
    #expect(decoder.keys([], at: start + .seconds(8)) == [])
    #expect(decoder.keys([], at: start + .seconds(9)) == [.paste("def")])
    #expect(decoder.keys(Array("q".utf8), at: start + .seconds(9)) == [.character("q")])
  }

  @Test func `the report of a mouse without mode 1006 is no keys`() {
    var decoder = KeyDecoder()
    let reports: [[UInt8]] = [[32, 113, 33], [96, 0x44, 0xFF], [33, 120, 120]]
    for report in reports {
      #expect(decoder.keys(Array("\u{1B}[M".utf8) + report) == [])
    }
    #expect(decoder.keys(Array("\u{1B}[M  ".utf8)) == [] && decoder.patience != nil)
    #expect(decoder.keys([0x0D]) == [.enter], "a report is never that small")
    #expect(decoder.keys(Array("q".utf8)) == [.character("q")])
  }

  @Test func `broken UTF-8 is left out`() {
    var decoder = KeyDecoder()
    #expect(
      decoder.keys([0xC3, 0x61, 0xFF, 0x80, 0xE4, 0xB8, 0x62]) == [
        .character("a"), .character("b"),
      ])
  }

  @Test func `a long paste keeps its beginning, and its end is found`() {
    var decoder = KeyDecoder()
    let keys = decoder.keys(
      Array("\u{1B}[200~\(String(repeating: "x", count: 100_000))\u{1B}[201~q".utf8))
    #expect(keys.count == 2 && keys.last == .character("q"))
    guard case .paste(let text)? = keys.first else { return #expect(Bool(false)) }
    #expect((1000...5000).contains(text.count))
  }

  @Test func `random bytes never stop the keys`() {
    var generator = SeededGenerator(seed: 7)
    var decoder = KeyDecoder()
    for _ in 0..<200_000 {
      _ = decoder.keys([generator.next() % 4 == 0 ? 0x1B : UInt8(generator.next() % 256)])
    }
    _ = decoder.end()
    #expect(decoder.keys([UInt8(ascii: "q")]) == [.character("q")])
  }
}
