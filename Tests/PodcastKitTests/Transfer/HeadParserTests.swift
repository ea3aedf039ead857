import Testing

@testable import PodcastKit

@Suite("Header lines") struct HeadParserTests {
  /// Feeds the lines of a text; line ends belong to their lines. Returns which lines completed it.
  private func parse(_ lines: [String]) -> (parser: HeadParser, completedBy: [Int]) {
    var parser = HeadParser()
    var completedBy: [Int] = []
    for (number, line) in lines.enumerated() {
      let isComplete = Array(line.utf8).withUnsafeBytes { parser.take($0) }
      if isComplete { completedBy.append(number) }
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

  @Test("row 59: interim heads are passed over")
  func interim() {
    let (parser, completedBy) = parse([
      "HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n",
      "HTTP/1.1 206 Partial Content\r\n", "A: b\r\n", "\r\n",
    ])
    #expect(completedBy == [7])
    #expect(parser.head == ResponseHead(status: 206, fields: [HTTPField("A", "b")]))
  }

  @Test("a head that follows replaces the one before")
  func several() {
    let (parser, completedBy) = parse([
      "HTTP/1.1 302 Found\r\n", "Location: /b\r\n", "\r\n", "HTTP/1.1 404\r\n", "\r\n",
    ])
    #expect(completedBy == [2, 4])
    #expect(parser.head == ResponseHead(status: 404))
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
    "what is no head gives none",
    arguments: [
      ["\r\n"], ["A: b\r\n", "\r\n"], ["HTTP/1.1\r\n", "\r\n"], ["HTTP/1.1 OK\r\n", "\r\n"],
    ])
  func none(lines: [String]) {
    #expect(parse(lines).parser.head == nil)
  }

  @Test("a line without a colon is passed over, and colons in values stay")
  func colons() {
    let (parser, _) = parse([
      "HTTP/1.1 200 OK\r\n", "nonsense\r\n", "Location: http://a:8/b\r\n", "\r\n",
    ])
    #expect(parser.head?.fields == [HTTPField("Location", "http://a:8/b")])
  }
}
