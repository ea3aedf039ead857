import Testing

@testable import PodcastFeeds

/// Lists that are errors, and malicious lists.
@Suite("Damaged lists") struct OPMLDamageTests {
  private func fault(_ bytes: [UInt8]) -> String {
    do {
      _ = try OPMLDocument(reading: bytes)
      return "read"
    } catch {
      return "\(error)"
    }
  }

  private func fault(_ body: String, head: String = "") -> String {
    fault(Array(OPMLCase.list(body, head: head).utf8))
  }

  @Test(
    "are refused with line, column and what to do",
    arguments: [
      (
        "<outline text=\"a & b\"/>",
        "line 5, column 18: Write &amp; for a bare &, and &lt; for a bare <."
      ),
      (
        "\n  <outline text=\"ü\" xmlUrl=\"?a=1&b=2\"/>",
        "line 6, column 33: Write &amp; for a bare &, and &lt; for a bare <."
      ),
      (
        "<outline text=\"a &nbsp; b\"/>",
        "line 5, column 18: XML does not know this reference. Write &amp; for a bare &."
      ),
      (
        "<outline text=\"a\">", "line 6, column 3: This end tag does not match <outline> of line 5."
      ),
      ("</outline>", "line 5, column 1: This end tag does not match <body> of line 4."),
      ("<outline text=a/>", "line 5, column 15: A value needs quotes."),
      (
        "<outline text=\"a\"title=\"b\"/>",
        "line 5, column 18: A space is missing between two attributes."
      ),
      (
        "<outline text=\"a\" text=\"b\"/>",
        "line 5, column 1: An attribute stands twice in one element."
      ),
      ("<outline text=\"<\"/>", "line 5, column 16: Write &lt; for < in a value."),
      ("<outline text/>", "line 5, column 14: An attribute has no value."),
      ("<outline text=\"\u{1}\"/>", "line 5, column 16: XML permits no such character."),
      ("<outline text=\"&#1;\"/>", "line 5, column 16: XML permits no such character."),
      (
        "<outline podget:latest=\"1\" text=\"\"/>",
        "line 5, column 1: A prefix is not declared with xmlns."
      ),
      ("<Outline text=\"a\"/>", "line 5, column 1: Write <outline> in lower case."),
      ("<outline text=\"a\">\n<body/></outline>", "line 6, column 1: <body> does not belong here."),
      ("</body><body>", "line 5, column 8: There is a second <body>."),
    ])
  func places(body: String, expected: String) {
    #expect(fault(body) == expected)
  }

  @Test("are refused when the frame is wrong")
  func frame() {
    let cases = [
      ("", "line 1, column 1: There is no XML here."),
      ("hello", "line 1, column 1: There is no XML here."),
      ("https://example.com/feed.xml\n", "line 1, column 1: There is no XML here."),
      ("\n<html><body/></html>", "line 2, column 1: The root element is not <opml>."),
      ("<opml><head/></opml>", "line 1, column 1: The list has no <body>."),
      (
        "<opml><body/></opml>\n<opml/>",
        "line 2, column 1: There is content after the end of the list."
      ),
      ("<opml><head/><head/><body/></opml>", "line 1, column 14: There is a second <head>."),
      ("<opml><body/><outline/></opml>", "line 1, column 14: <outline> does not belong here."),
      ("<opml>\n<body>", "line 2, column 7: The file ends before the end of <body> of line 2."),
      ("<opml><body><!-- ", "line 1, column 18: A comment is not closed."),
      (
        "<!DOCTYPE opml>\n<opml><body/></opml>",
        "line 1, column 1: A document type (DOCTYPE) is not read; remove it."
      ),
    ]
    for (text, expected) in cases { #expect(fault(Array(text.utf8)) == expected) }
  }

  @Test(
    "are refused where something would be lost, and kept where nothing is",
    arguments: [
      ("<outline text=\"a\" / >", "line 5, column 19: This tag is damaged."),
      ("<outline text=\"a\"></outline x=\"1\">", "line 5, column 29: This tag is damaged."),
      ("<a:b:c/>", "line 5, column 1: XML permits no such name."),
      ("<outline text='a' <outline/>", "line 5, column 19: A > is missing at the end of a tag."),
      ("< outline/>", "line 5, column 1: Write &amp; for a bare &, and &lt; for a bare <."),
      ("<?xml version='1.0'?>", "line 5, column 1: This tag is damaged."),
      ("<![CDATA[", "line 8, column 1: A CDATA section is not closed."),
      ("<?x", "line 8, column 1: A processing instruction is not closed."),
      ("<outline text='", "line 8, column 1: A quote is missing behind a value."),
      ("<x:y/>", "line 5, column 1: A prefix is not declared with xmlns."),
      ("<a xmlns:x=''/>", "line 5, column 1: A prefix is not declared with xmlns."),
      (
        "<a xmlns:x='u' xmlns:y='u' x:a='1' y:a='2'/>",
        "line 5, column 1: An attribute stands twice in one element."
      ),
      ("<größe straße='1'>ß</größe>", "read"), ("<!-- - --><?x?>&#10;]]>", "read"),
      ("<!-- a -- b -->", "line 5, column 1: A comment must not hold --, nor end with -."),
      ("<!-- a --->", "line 5, column 1: A comment must not hold --, nor end with -."),
    ])
  func lost(body: String, expected: String) {
    #expect(fault(body) == expected)
  }

  @Test("are refused when the bytes are not UTF-8")
  func encoding() {
    let list = Array(OPMLCase.list("<outline text=\"é\"/>\n<outline text=\"X\"/>").utf8)
    for bytes: [UInt8] in [[0xE9], [0xC3], [0xED, 0xA0, 0x80], [0xF8]] {
      let place = list.firstIndex(of: UInt8(ascii: "X")) ?? 0
      var broken = list
      broken.replaceSubrange(place...place, with: bytes)
      #expect(fault(broken) == "line 6, column 16: This is not UTF-8.", "\(bytes)")
    }
    #expect(fault(list + [0xE2, 0x82]).hasSuffix("This is not UTF-8."))
    #expect(fault([0xFF, 0xFE, 0x3C, 0]) == "line 1, column 1: This is not UTF-8.")
  }

  @Test("truncated at any byte are an error")
  func cut() {
    let bytes = Array(OPMLCase.list("<!-- é --><outline text=\"é\">x</outline>").utf8)
    // The line end after the root may be missing.
    for length in 0..<(bytes.count - 1) { #expect(fault(Array(bytes[..<length])) != "read") }
  }

  @Test("bombs are refused quickly")
  func bombs() {
    let entities = (1...30).map { "<!ENTITY e\($0) \"&e\($0 - 1);&e\($0 - 1);\">" }.joined()
    let bomb = "<!DOCTYPE opml [<!ENTITY e0 \"x\">\(entities)]><opml><body>&e30;</body></opml>"
    #expect(fault(Array(bomb.utf8)).contains("DOCTYPE"))
    let deep = String(repeating: "<outline text=''>", count: 100_000)
    #expect(fault(deep).hasSuffix("Elements lie more than 100 deep in one another."))
    let wide = "<outline " + (0..<100_000).map { "a\($0)='' " }.joined() + "/>"
    #expect(fault(wide) == "line 5, column 1: An element has more than 200 attributes.")
    let same = "<outline " + String(repeating: "a='' ", count: 1_000_000) + "/>"
    #expect(fault(same) == "line 5, column 1: An attribute stands twice in one element.")
    let names = (0..<20_000).map { "<n\($0) xmlns:x\($0)='u\($0)'/>" }.joined()
    #expect(fault(names) == "read")
    let elements = String(repeating: "<a/>", count: 1_000_001)
    #expect(fault(elements).hasSuffix("more than 1000000 elements, comments and texts."))
    let many = String(repeating: "<outline/>", count: 200_001)
    #expect(fault(many).hasSuffix("There are more than 200000 outlines."))
    #expect(fault([UInt8](repeating: 0x20, count: 64 << 20 + 1)).hasSuffix("more than 64 MiB."))
  }

  @Test("as deep, wide and long as allowed are read")
  func limits() throws {
    // The root and the body are two.
    let deep =
      String(repeating: "<outline text=''>", count: 98)
      + String(repeating: "</outline>", count: 98)
    let wide = "<outline text='' " + (0..<199).map { "a\($0)='' " }.joined() + "/>"
    let document = try OPMLCase.document(OPMLCase.list(deep + wide))
    #expect(try OPMLDocument(reading: document.bytes()) == document)
    #expect(document.outlines.last?.attributes.count == 200)
  }

  @Test("no error repeats a value, which may be a secret")
  func secrets() {
    let address = "https://user:pass@e.com/?auth=SECRET"
    for body in [
      "<outline xmlUrl=\"\(address)&x\"/>", "<outline xmlUrl=\"\(address)>", "\(address)</a>",
    ] {
      let text = fault(body)
      #expect(text.hasPrefix("line "))
      #expect(!text.contains("SECRET") && !text.contains("pass"), "\(text)")
    }
  }
}
