import PodcastKit
import Testing

/// What a hand-edited list of subscriptions has that means nothing.
@Suite("Warnings about subscriptions") struct SubscriptionWarningTests {
  private func list(_ body: String, namespace: String = "urn:podget:opml") throws
    -> SubscriptionList
  {
    let text = """
      <opml version="2.0" xmlns:podget="\(namespace)">
      <body>
      \(body)
      </body></opml>
      """
    return try SubscriptionList(Array(text.utf8), name: "f")
  }

  @Test(arguments: [
    (
      "<outline xmlUrl=\"http://h/f\" podget:lates=\"10\"/>",
      ["3:30: podget does not know podget:lates, which has no effect; did you mean podget:latest?"]
    ),
    (
      "<outline text=\"ä > podget:lates='1'\" xmlUrl='http://h/f'\n\n  podget:Exclude = 'a'/>",
      [
        "5:3: podget does not know podget:Exclude, which has no effect; did you mean podget:exclude?"
      ]
    ),
    (
      "<outline text=\"folder\" podget:color=\"red\"><outline xmlUrl=\"http://h/f\"/></outline>",
      ["3:24: podget does not know podget:color, which has no effect."]
    ),
    ("<outline xmlUrl=\"http://h/f\" podget:latest=\"1\" lates=\"2\"/>", []),
    (
      "<outline podget:latest=\"1\"><outline xmlUrl=\"http://h/f\"/></outline>",
      [
        "3:10: podget:latest has no effect here: the outline is no subscription, or its feed is "
          + "listed before."
      ]
    ),
    (
      "<outline xmlUrl=\"http://h/f\"/>\n<outline xmlUrl=\"http://h/f\" podget:latest=\"9\"/>",
      [
        "4:30: podget:latest has no effect here: the outline is no subscription, or its feed is "
          + "listed before."
      ]
    ),
    ("<outline xmlUrl=\"http://h/f\"/>\n<outline xmlUrl=\"http://h/f\"/>", []),
    ("<outline isComment=\"true\" podget:lates=\"1\"/>", []),
    (
      "<outline xmlns:p=\"urn:podget:opml\" xmlUrl=\"http://h/f\" p:seasn=\"1\"/>",
      ["3:56: podget does not know p:seasn, which has no effect; did you mean p:season?"]
    ),
  ])
  func `name the place and the nearest attribute`(body: String, expected: [String]) throws {
    #expect(try list(body).warnings == expected.map { "Warning: f:\($0)" })
  }

  @Test func `name a prefix that stands for something else`() throws {
    let list = try list(
      "<outline xmlUrl=\"http://h/f\" podget:latest=\"1\"/>", namespace: "urn:podget:ompl")
    #expect(
      list.warnings == [
        "Warning: f:3:30: podget:latest has no effect, because its prefix is not declared as "
          + "xmlns:podget=\"urn:podget:opml\"."
      ])
  }

  @Test(arguments: [
    String(repeating: "x", count: 10_000),
    // One character for people.
    "x" + String(repeating: "\u{301}", count: 10_000),
  ])
  func `are not more than a few, and never long`(name: String) throws {
    let body = (1...50).map { "<outline xmlUrl=\"http://h/\($0)\" podget:\(name)=\"1\"/>" }
    let warnings = try list(body.joined(separator: "\n")).warnings
    #expect(warnings.count == 21)
    #expect(warnings.last == "Warning: f: 30 more attributes have no effect.")
    #expect(warnings.allSatisfy { $0.utf8.count < 200 })
  }

  @Test func `take no time for attributes that are not named`() throws {
    let attributes = (100..<290).map { "podget:\(String(repeating: "x", count: 27))\($0)=\"\"" }
    let outline = "<outline \(attributes.joined(separator: " "))/>"
    let body = Array(repeating: outline, count: 100).joined(separator: "\n")
    let start = ContinuousClock.now
    let warnings = try list(body).warnings
    #expect(start.duration(to: .now) < .seconds(180))
    #expect(warnings.last == "Warning: f: 18980 more attributes have no effect.")
  }

  @Test func `a wrong value is an error at its own place`() throws {
    let error = #expect(throws: PodgetError.self) {
      try list("<outline xmlUrl=\"http://h/f\"\n  podget:name=\"a\" podget:latest=\"ten\"/>")
    }
    #expect(
      error?.message
        == "f:4:19: The value of podget:latest is wrong: \"ten\" is not a number that is 0 or more. "
        + "The file is left as it is; correct it.")
  }

  @Test func `unknown attributes survive a change`() throws {
    var list = try list("<outline text=\"A\" xmlUrl=\"http://h/f\" podget:lates=\"10\"/>")
    var subscription = try #require(list.subscriptions.first)
    subscription.title = "B"
    list.replace(subscription)
    let text = String(decoding: list.bytes, as: UTF8.self)
    #expect(text.contains("podget:lates=\"10\"") && text.contains("title=\"B\""))
  }
}
