import PodcastModel
import TestSupport
import Testing

@Suite("Text for a terminal") struct TerminalTextTests {
  @Test(
    "nothing is left that controls a terminal",
    arguments: [
      ("plain", "plain"), ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\u{9B}31mb", "a\u{FFFD}31mb"),
      ("one\r\ntwo\tthree\u{85}four", "one two three four"), ("a\u{2028}b\u{2029}c", "a b c"),
      ("\u{202E}gpj.exe\u{2066}\u{200F}\u{61C}", "gpj.exe"), ("\u{FEFF}a\u{200B}b\u{AD}", "ab"),
      ("\u{7}\u{0}\u{7F}", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("x\u{E0041}\u{3164}\u{FFFE}", "x"),
      ("👩\u{200D}🚀 ❤\u{FE0F}", "👩\u{200D}🚀 ❤\u{FE0F}"), ("é\u{A0}日", "é\u{A0}日"),
      ("a  b", "a  b"),
    ])
  func safe(text: String, expected: String) {
    #expect(Array(TerminalText.safe(text).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test(
    "columns are those of a terminal that knows Unicode",
    arguments: [
      ("", 0), ("plain", 5), ("日本語", 6), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("é", 1),
      ("e\u{301}", 1), ("\u{301}", 0), ("👩\u{200D}🚀", 2), ("👍🏽", 2), ("🇩🇪🇫🇷", 4),
      ("1\u{FE0F}\u{20E3}", 2),
      ("❤\u{FE0F}", 2), ("❤", 1), ("©\u{FE0F}", 2), ("a\u{FE0F}", 1), ("שלום", 4), ("क्षि", 2),
      ("நி", 2), ("เกี่ยว", 4), ("ｶﾞ", 2), ("か\u{3099}", 2), ("—…±", 3), ("＋", 2), ("☰", 2),
      ("👨\u{200D}👩\u{200D}👧\u{200D}👦!", 3), ("\u{200D}", 0),
    ])
  func width(text: String, columns: Int) {
    #expect(TerminalText.width(text) == columns)
  }

  @Test("long text is truncated between characters to fit") func truncation() {
    #expect(TerminalText.truncated("abcdef", to: 6) == "abcdef")
    #expect(TerminalText.truncated("abcdef", to: 5) == "abcd…")
    #expect(TerminalText.truncated("日本語", to: 5) == "日本…")
    #expect(TerminalText.truncated("日本語", to: 4) == "日…")
    #expect(TerminalText.truncated("👩\u{200D}🚀👩\u{200D}🚀", to: 3) == "👩\u{200D}🚀…")
    #expect(TerminalText.truncated("日", to: 1) == "…")
    #expect(TerminalText.truncated("a", to: 0) == "")
    #expect(TerminalText.truncated("", to: -1) == "")
  }

  @Test("padding fills up to the columns") func padding() {
    #expect(TerminalText.padded("日", to: 4) == "日  ")
    #expect(TerminalText.padded("abc", to: 2) == "abc")
  }

  @Test("random text is safe after one pass, and fits after every truncation") func random() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let text = TerminalText.safe(generator.title())
      #expect(TerminalText.safe(text).unicodeScalars.elementsEqual(text.unicodeScalars))
      #expect(
        !text.unicodeScalars.contains {
          $0.properties.generalCategory == .control || $0.properties.isBidiControl
        })
      let columns = Int.random(in: 0...40, using: &generator)
      let cut = TerminalText.truncated(text, to: columns)
      #expect(TerminalText.width(cut) <= columns)
      #expect(TerminalText.width(TerminalText.padded(cut, to: columns)) == columns)
    }
  }

  @Test(
    "a title that ends in a number keeps it",
    arguments: [
      ("The History of the West, Part 2", 24, "The History of t… Part 2"),
      ("The History of the West, Part 2", 31, "The History of the West, Part 2"),
      ("The History of the West, Book IV", 24, "The History of… Book IV"),
      ("The History of the whole West (3/4)", 20, "The History o… (3/4)"),
      ("The History of the West in 2 parts", 20, "The History of the …"),
      ("The History of the West, Part 2", 12, "The… Part 2"),
      ("The History of the West, Part 2", 8, "The H… 2"), ("Part 2", 4, "Par…"),
      ("日本語の長い題名 第12回", 10, "日本語の…"), ("A history of 123456789", 8, "A histo…"),
      ("A history, Part 2", 2, "A…"), ("A history, Part 2", 3, "… 2"),
    ] as [(String, Int, String)])
  func shortened(text: String, columns: Int, expected: String) {
    #expect(TerminalText.shortened(text, to: columns) == expected)
    #expect(TerminalText.width(TerminalText.shortened(text, to: columns)) <= columns)
  }
}
