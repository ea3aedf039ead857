import TestSupport
import Testing

@testable import PodcastModel

/// The words that a document must have before it is parsed for a search.
@Suite("Words of expressions") struct PatternWordsTests {
  private func words(_ pattern: String) throws -> [[String]] {
    PatternWords(try TitlePattern(pattern)).alternatives.map { words in
      words.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private func mayMatch(_ pattern: String, _ document: String) throws -> Bool {
    try Array(document.utf8).withUnsafeBufferPointer {
      PatternWords(try TitlePattern(pattern)).mayMatch($0)
    }
  }

  @Test(arguments: [
    ("Climate", ["climate"]), ("climate.*policy", ["climate", "policy"]),
    ("^the end$", ["the", "end"]), ("colou?r", ["colo"]), ("ab+cde", ["ab", "cde"]),
    ("numb* 1234", ["num", "1234"]), ("fish", ["fish"]), ("a.b", []), ("Back", ["back"]),
    ("cafe\u{301}", ["caf"]),
    ("naïve", ["ve"]), ("[abc]def", []), ("\\bword", []),
    ("a{3}bcd", []), ("AT&T", ["at"]),
  ])
  func `only letters that must be there are words`(pattern: String, expected: [String]) throws {
    #expect(try words(pattern) == (expected.isEmpty ? [] : [expected]))
  }

  @Test(arguments: [
    ("one|two", [["one"], ["two"]]), ("(one more|two)", [["one", "more"], ["two"]]),
    ("one|", []), ("one|a", []), ("(one)|(two)", []), ("(?:one|two)", []), ("one (two|three)", []),
  ])
  func `each alternative has words, or none has`(pattern: String, expected: [[String]]) throws {
    #expect(try words(pattern) == expected)
  }

  @Test func `a document with the words of one alternative is read`() throws {
    #expect(try mayMatch("fish|fowl", "A FOWL") && mayMatch("(fish|fowl)", "a fish"))
    #expect(try !mayMatch("fish|fowl", "neither of them"))
  }

  @Test(arguments: [
    "The Climate is", "<p>CLIMATE</p>", "cli<b>mate</b>", "cl&#105;mate", "cl\\u0069mate",
    "c\u{0}l\u{0}i\u{0}", "cli<i></i>mate", "cli<!-- -->mate", "cli{\\an8}mate", "cli\u{1}mate",
    "<html>cli<style>.x{}</style>mate", "cli<b><SCRIPT>.</SCRIPT>mate", "cli\u{FFFE}mate",
    "x<<b>cli<i>mate", "{\"body\":\"cl\\imate\"}",
  ])
  func `a document that may have the word is read`(document: String) throws {
    #expect(try mayMatch("climate", document))
  }

  @Test(arguments: [
    "", "clima", "The weather", "cli mate", "<p>cli</p> <p>mate</p>",
    "cli<00:00:01.000><c> mate</c>", "{\"body\":\"cli\"}, {\"body\":\"mate\"}",
    "cli<i", "cli<b><i", "{\"body\":\"cli\\nmate\"}",
  ])
  func `others are not`(document: String) throws {
    #expect(try !mayMatch("climate", document))
  }

  @Test(arguments: [
    ["a<"], ["a<", "><b"], ["a<b> "], ["a<", "><x a<b"], ["a<", "b><"], ["a", "<b>"],
  ])
  func `each byte of a document is read a few times only`(parts: [String]) {
    let text = parts.map { String(repeating: $0, count: 2_000) }.joined()
    let document = CountedBytes(text)
    #expect(!PatternWords.mayHideWords(document))
    #expect(document.reads.count <= 8 * document.bytes.count)
  }

  @Test func `what an expression finds is never left out`() throws {
    var random = SeededGenerator(seed: 7)
    let letters = Array("aAbBé .x1")
    for _ in 0..<2000 {
      let text = String((0..<12).map { _ in letters.randomElement(using: &random) ?? "a" })
      var pattern = String((0..<5).map { _ in letters.randomElement(using: &random) ?? "a" })
      if Bool.random(using: &random) { pattern += "?" }
      if Bool.random(using: &random) {
        pattern.insert("*", at: pattern.index(pattern.startIndex, offsetBy: 2))
      }
      if Bool.random(using: &random) {
        pattern.insert("|", at: pattern.index(pattern.startIndex, offsetBy: 3))
      }
      guard let expression = try? TitlePattern(pattern), expression.test()(text) else { continue }
      #expect(try mayMatch(pattern, text), "\(pattern) in \(text)")
    }
  }
}

/// Bytes that count how often they are read.
private struct CountedBytes: RandomAccessCollection {
  final class Reads {
    var count = 0
  }

  let bytes: [UInt8]
  let reads = Reads()

  init(_ text: String) { bytes = Array(text.utf8) }

  var startIndex: Int { bytes.startIndex }
  var endIndex: Int { bytes.endIndex }

  subscript(position: Int) -> UInt8 {
    reads.count += 1
    return bytes[position]
  }
}
