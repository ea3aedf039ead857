import Foundation
import PodcastModel
import TestSupport
import Testing

@Suite("File names") struct FileNameTests {
  @Test(
    "replaced characters look similar",
    arguments: [
      ("Part 1: The Start", "Part 1 - The Start"), ("12:30", "12-30"), ("Foo : Bar", "Foo - Bar"),
      ("Foo:", "Foo"), ("AC//DC", "AC-DC"), ("a/b\\c", "a-b-c"), ("A | B", "A - B"),
      ("What? Why?", "What Why"), ("\"Hi\"", "'Hi'"), ("M*A*S*H", "M_A_S_H"),
      ("I <3 Radio", "I \u{2039}3 Radio"), ("..hidden", "hidden"), ("--flag", "flag"),
      ("-", "Untitled"), ("", "Untitled"), ("???", "Untitled"), ("..", "Untitled"),
      (".", "Untitled"), ("../../etc/passwd", "etc-passwd"), ("end. . .", "end"),
      ("a\u{0}b\u{1B}[31mc\u{85}d", "ab[31mc d"), ("one\r\n   two\tthree", "one two three"),
      ("\u{202E}gpj.exe", "gpj.exe"), ("\u{FEFF}a\u{200B}b\u{AD}c", "abc"),
      ("AT&amp;T", "AT&amp;T"), ("\u{3000}a\u{A0}\u{A0}b", "a b"), ("a--b", "a--b"),
      ("CON", "CON_"), ("con.txt", "con_.txt"), ("Aux .x", "Aux _.x"), ("COM1", "COM1_"),
      ("lpt\u{B9}", "lpt\u{B9}_"), ("COM10", "COM10"), ("Console", "Console"), ("nul", "nul_"),
      ("e\u{301}", "\u{E9}"), ("\u{903}\u{301}\u{93E}a", "a"), ("e\u{0}\u{301}", "\u{E9}"),
      ("a\u{200D}b", "ab"),
      ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("می\u{200C}روم", "می\u{200C}روم"), ("❤\u{FE0F}", "❤\u{FE0F}"),
    ])
  func replacements(text: String, expected: String) {
    let name = FileName.component(text)
    #expect(Array(name.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(FileName.component(name).unicodeScalars.elementsEqual(name.unicodeScalars))
  }

  @Test("a long name is truncated between characters") func cut() {
    #expect(FileName.component(String(repeating: "x", count: 300)).utf8.count == 200)
    let family = "👨\u{200D}👩\u{200D}👧\u{200D}👦"
    let name = FileName.component(String(repeating: family, count: 20))
    #expect(name == String(repeating: family, count: 8))
    #expect(FileName.component("abc 🇩🇪🇫🇷", maximumBytes: 14) == "abc 🇩🇪")
    #expect(FileName.component("abcdefg. x", maximumBytes: 9) == "abcdefg")
    let tower = "a" + String(repeating: "\u{300}", count: 300)
    #expect((150...200).contains(FileName.component(tower).utf8.count))
  }

  @Test("names compare without case, Unicode form and what is invisible") func comparison() {
    let same = [
      ("Über", "u\u{308}BER"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ", "οδοσ"),
      ("❤\u{FE0F}", "❤"), ("\u{212A}", "k"), ("AZ[@`{az ÄÖ", "az[@`{AZ äö"),
    ]
    for (first, second) in same {
      #expect(FileName.comparisonKey(first) == FileName.comparisonKey(second), "\(first)")
    }
    #expect(FileName.comparisonKey("a") != FileName.comparisonKey("ä"))
  }

  @Test("a title that ends in a million dashes becomes a name quickly", .timeLimit(.minutes(5)))
  func dashes() {
    let dashes = String(repeating: " -", count: 1_000_000)
    #expect(FileName.field("A\(dashes)") == "A")
    #expect(FileName.component("A\(dashes)") == "A")
  }

  @Test("only a possible extension is removed") func stems() {
    #expect(FileName.stem(of: "a.b.mp3") == "a.b")
    #expect(FileName.stem(of: "Mr. Smith") == "Mr. Smith")
    #expect(FileName.stem(of: "Version 1.2") == "Version 1.2")
    #expect(FileName.stem(of: ".mp3") == ".mp3")
  }

  @Test("random text becomes legal names that stay as they are") func random() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<3_000 {
      let text = generator.title()
      let name = FileName.component(text)
      #expect(isLegal(name), "\(text.debugDescription)")
      #expect(name.utf8.count <= FileName.maximumStemBytes)
      #expect(FileName.component(name).unicodeScalars.elementsEqual(name.unicodeScalars))
    }
  }

  @Test(

    "every title of the corpus becomes a legal name",

    .enabled(if: CorpusNaming.root != nil, "the corpus is not here"))
  func corpus() throws {
    var count = 0
    for file in try CorpusNaming.files(in: "expected/feeds") {
      let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
      let episodes = (object as? [String: Any])?["episodes"] as? [[String: Any]] ?? []
      for title in episodes.compactMap({ $0["title"] as? String }) {
        count += 1
        #expect(isLegal(FileName.component(title)), "\(title.debugDescription)")
      }
    }
    #expect(count > 10_000)
  }
}

/// The rules of all the file systems, written a second time.
func isLegal(_ name: String) -> Bool {
  let scalars = name.unicodeScalars
  guard let first = scalars.first, let last = scalars.last, name.utf8.count <= 255 else {
    return false
  }
  let refused = "/\\:*?\"<>|".unicodeScalars
  let base = name.prefix { $0 != "." }.uppercased()
  return !" .-".unicodeScalars.contains(first) && !" .".unicodeScalars.contains(last)
    && !scalars.contains { refused.contains($0) || $0.value < 32 || (127..<160).contains($0.value) }
    && !scalars.contains { $0.properties.isBidiControl || $0.properties.isNoncharacterCodePoint }
    && !["CON", "PRN", "AUX", "NUL", "COM1", "LPT9"].contains(base)
    && name.precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(scalars)
}

extension SeededGenerator {
  /// A title of pieces that have caused bugs somewhere.
  mutating func title() -> String {
    let pieces = [
      "a", "Z", "7", " ", "  ", "/", "\\", ":", "?", "*", "\"", "<", ">", "|", ".", "..", "-", "\n",
      "\t", "\u{0}", "\u{1B}[2J", "\u{7F}", "\u{9B}", "é", "e\u{301}", "\u{301}", "\u{338}", "=",
      "שלום", "مرحبا", "\u{202E}", "\u{2066}", "\u{200F}", "\u{200D}", "\u{200C}", "\u{FEFF}",
      "👨\u{200D}👩\u{200D}👧", "🇩🇪", "🇩", "❤\u{FE0F}", "\u{FE0F}", "1\u{FE0F}\u{20E3}", "👍🏽",
      "🏴\u{E0067}\u{E007F}", "한국", "\u{1112}\u{1161}\u{11AB}", "日本語", "\u{3000}", "CON", "nul",
      "com1", "\u{FFFE}", "\u{10FFFF}", "\u{E000}", "\u{2028}", "क्षि", "ß", "İ",
      String(repeating: "x", count: 300), String(repeating: "語", count: 100),
      "o" + String(repeating: "\u{30A}", count: 150),
    ]
    let count = Int.random(in: 0...9, using: &self)
    return (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
  }
}
