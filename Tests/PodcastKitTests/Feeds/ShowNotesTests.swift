import Testing

@testable import PodcastFeeds

/// Descriptions as texts, with their links and items.
@Suite struct ShowNotesTests {
  @Test(
    arguments: [
      ("plain", "plain", []),
      (
        "<p>See <a href='https://a.example/x?v=1&amp;w=2'>this</a>, and <a href=\"https://b.example/\">that</a>.</p>",
        "See this [1], and that [2].", ["https://a.example/x?v=1&w=2", "https://b.example/"]
      ),
      // The same address has one number.
      (
        "<a href=https://a.example/x>a</a> <A HREF='https://a.example/x'/>again</A>",
        "a [1] again [1]", ["https://a.example/x"]
      ),
      ("<ul><li>one</li><li><p>two</p></li></ul>after", "- one\n- two\nafter", []),
      (
        "<ol><li>one<li>two<ul><li>inner</ul><li>three</ol>", "1. one\n2. two\n- inner\n3. three",
        []
      ),
      ("<li><li>x", "- - x", []),
      // An address that is no link has a number too.
      (
        "Go to https://a.example/b, (http://c.example/d) or ftp://e.example.\nhttps://a.example/b",
        "Go to https://a.example/b, [1] (http://c.example/d) [2] or ftp://e.example.\nhttps://a.example/b [1]",
        ["https://a.example/b", "http://c.example/d"]
      ),
      (
        "<a href='https://a.example/b'>https://a.example/b</a> ok", "https://a.example/b [1] ok",
        ["https://a.example/b"]
      ),
      ("<a href='mailto:me@a.example?attach=/etc/passwd'>Mail</a>", "Mail", []),
      ("https://a.example/1 [5 min]", "https://a.example/1 [1] [5 min]", ["https://a.example/1"]),
      // What cannot be opened is a text.
      (
        "<a href='javascript:alert(1)'>a</a> <a href='/relative'>b</a> <a href='file:///etc/passwd'>c</a>",
        "a b c", []
      ),
      (
        "<a href='https://a.example/\u{1B}]8;;\u{07}x'>a</a>", "a [1]",
        ["https://a.example/%1B]8;;%07x"]
      ),
      ("<a href='https://a.example/ü'>a</a>", "a [1]", ["https://a.example/%C3%BC"]),
      ("<a href='https://a.example/'><img src=x></a>", "[1]", ["https://a.example/"]),
      (
        "<a href='https://a.example/'>one <a href='https://b.example/'>two</a>", "one [1] two [2]",
        ["https://a.example/", "https://b.example/"]
      ),
      ("<a href='https://a.example/'>never closed", "never closed", ["https://a.example/"]),
      ("</a></ul></ol></li>x", "x", []),
    ]) func `links have numbers and items have marks`(html: String, text: String, links: [String])
  {
    let notes = ShowNotes(html, page: nil)
    #expect(notes?.text == text)
    #expect(notes?.links == links)
  }

  @Test func `the page of the episode is the first link`() {
    let notes = ShowNotes("<a href='https://b.example/'>b</a>", page: "https://a.example/")
    #expect(notes?.links == ["https://a.example/", "https://b.example/"])
    #expect(notes?.text == "b [2]")
    #expect(ShowNotes("<p> </p>", page: "https://a.example/") == nil)
  }

  @Test func `hostile descriptions have few links, and take little time`() {
    let many = (0..<5000).map { "<a href='https://a.example/\($0)'>x</a>" }.joined()
    let notes = ShowNotes(many, page: nil)
    #expect(notes?.links.count == 200 && notes?.text.hasSuffix("[200] xx") == false)
    #expect(ShowNotes(String(repeating: "<ol><li>", count: 20_000) + "x", page: nil) != nil)
    #expect(
      ShowNotes(
        "<a href='https://a.example/\(String(repeating: "x", count: 3000))'>y</a>", page: nil)?
        .links == [])
  }
}
