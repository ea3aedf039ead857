import Testing

@testable import PodcastTransfer

@Suite("Header lines") struct HeadParserTests {
  /// Feeds the lines of a text; line ends belong to their lines. Returns which lines completed it.
  private func parse(_ lines: [String]) -> (parser: HeadParser, completedBy: [Int]) {
    var parser = HeadParser()
    var completedBy: [Int] = []
    for (number, line) in lines.enumerated() {
      let outcome = Array(line.utf8).withUnsafeBytes { parser.take($0) }
      if outcome == .completed { completedBy.append(number) }
    }
    return (parser, completedBy)
  }

  @Test("a head is complete at its blank line")
  func plain() {
    let lines = ["HTTP/1.1 200 OK\r\n", "ETag: \"a\"\r\n", "X:\t b \t\r\n", "Empty:\r\n", "\r\n"]
    let (parser, completedBy) = parse(lines)
    #expect(completedBy == [4])
    #expect(
      parser.head
        == ResponseHead(
          status: 200,
          fields: [HTTPField("ETag", "\"a\""), HTTPField("X", "b"), HTTPField("Empty", "")]))
    #expect(parse(lines.dropLast()).parser.head == nil)
  }

  @Test("the bytes of a Location that is not UTF-8 are kept, percent-encoded") func location() {
    var parser = HeadParser()
    let lines: [[UInt8]] = [
      Array("HTTP/1.1 302 Found\r\n".utf8), Array("LOCATION: /Caf".utf8) + [0xE9, 0x0D, 0x0A],
      Array("Location: /Caf\u{E9}\r\n".utf8), Array("X: ".utf8) + [0xE9, 0x0D, 0x0A],
      Array("\r\n".utf8),
    ]
    for line in lines { _ = line.withUnsafeBytes { parser.take($0) } }
    #expect(parser.head?.values("Location") == ["/Caf%E9", "/Caf\u{E9}"])
    #expect(parser.head?.first("X") == "\u{FFFD}")
  }

  @Test("row 59: interim heads are ignored")
  func interim() {
    let (parser, completedBy) = parse([
      "HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n",
      "HTTP/1.1 206 Partial Content\r\n", "A: b\r\n", "\r\n",
    ])
    #expect(completedBy == [7])
    #expect(parser.head == ResponseHead(status: 206, fields: [HTTPField("A", "b")]))
  }

  @Test("after the final head no line begins another one")
  func several() {
    let (parser, completedBy) = parse([
      "HTTP/1.1 302 Found\r\n", "Location: /b\r\n", "\r\n", "HTTP/1.1 404\r\n", "\r\n",
      "HTTP/1.1 200 OK\r\n", "ETag: \"b\"\r\n", "\r\n",
    ])
    #expect(completedBy == [2])
    #expect(
      parser.head == ResponseHead(status: 302, fields: [HTTPField("Location", "/b")]))
  }

  /// The line, counted from 1, at which a parser stops.
  private func limit(after lines: [String], of line: String) -> Int? {
    var (parser, _) = parse(lines)
    return (1...500_000).first { _ in
      Array(line.utf8).withUnsafeBytes { parser.take($0) } == .excessive
    }
  }

  @Test("row F15: heads, interim heads and trailers have a maximum length")
  func bounds() {
    let line = "X: 456789\r\n"
    let status = "HTTP/1.1 103 Early Hints\r\n\r\n"
    #expect(limit(after: [], of: line) == 300 * 1024 / 11 + 1)
    #expect(limit(after: ["HTTP/1.1 200 OK\r\n"], of: line) == (300 * 1024 - 17) / 11 + 1)
    #expect(limit(after: ["HTTP/1.1 200 OK\r\n", "\r\n"], of: line) == 64 * 1024 / 11 + 1)
    #expect(limit(after: ["HTTP/1.1 200 OK\r\n", "\r\n"], of: status) == 64 * 1024 / 28 + 1)
    var parser = HeadParser()
    let interim = ["HTTP/1.1 103 Early Hints\r\n", "\r\n"].map { Array($0.utf8) }
    let rounds = (1...50_000).first { _ in
      interim.contains { $0.withUnsafeBytes { parser.take($0) } == .excessive }
    }
    #expect(rounds == 300 * 1024 / 28 + 1)
  }

  @Test("a status line within a head does not start another")
  func within() {
    let (parser, completedBy) = parse([
      "HTTP/1.1 206 Partial Content\r\n", "A: b\r\n", "HTTP/1.1 200 OK\r\n", "C: d\r\n", "\r\n",
    ])
    #expect(completedBy == [4])
    #expect(parser.head?.status == 206)
    #expect(parser.head?.fields == [HTTPField("A", "b"), HTTPField("C", "d")])
  }

  @Test("a folded line continues the field before it")
  func folded() {
    let (parser, _) = parse([
      "HTTP/1.1 200 OK\r\n", " lost\r\n", "A: one\r\n", "  two\r\n", "\tthree\r\n", "\r\n",
    ])
    #expect(parser.head?.fields == [HTTPField("A", "one two three")])
  }

  @Test("bare line feeds end lines too")
  func lineFeeds() {
    let (parser, completedBy) = parse(["HTTP/1.0 200 OK\n", "A: b\n", "\n"])
    #expect(completedBy == [2])
    #expect(parser.head?.fields == [HTTPField("A", "b")])
  }

  @Test("trailer fields change nothing")
  func trailers() {
    let (parser, completedBy) = parse([
      "HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n", "Content-Range: bytes 0-1/2\r\n", "\r\n",
    ])
    #expect(completedBy == [2])
    #expect(parser.head?.fields == [HTTPField("A", "b")])
  }

  @Test(
    "an invalid head is ignored",
    arguments: [
      ["\r\n"], ["A: b\r\n", "\r\n"], ["HTTP/1.1\r\n", "\r\n"], ["HTTP/1.1 OK\r\n", "\r\n"],
    ])
  func none(lines: [String]) {
    #expect(parse(lines).parser.head == nil)
  }

  @Test("a line without a colon is ignored, and colons in values stay")
  func colons() {
    let (parser, _) = parse([
      "HTTP/1.1 200 OK\r\n", "nonsense\r\n", "Location: http://a:8/b\r\n", "\r\n",
    ])
    #expect(parser.head?.fields == [HTTPField("Location", "http://a:8/b")])
  }
}
