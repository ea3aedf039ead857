import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

/// Subscriptions that the server of an account has removed, and what cannot be written.
@Suite struct SubscriptionKeepingTests {
  private static func list(_ body: String) throws -> SubscriptionList {
    let text = """
      <opml version="2.0" xmlns:podget="urn:podget:opml"><body>
      \(body)
      </body></opml>
      """
    return try SubscriptionList(Array(text.utf8), name: "f")
  }

  private static func again(_ list: SubscriptionList) throws -> SubscriptionList {
    try SubscriptionList(list.bytes, name: "f")
  }

  private static func text(_ list: SubscriptionList) -> String {
    String(decoding: list.bytes, as: UTF8.self)
  }

  @Test func `a subscription that is kept comes back at its place`() throws {
    var list = try Self.list(
      """
      <outline text="News"><outline text="A" xmlUrl="https://me:pw@a.example/f" podget:name="a"
        podget:latest="3" mine="1"/></outline>
      <outline text="B" xmlUrl="https://b.example/f" podget:name="b"/>
      """)
    let before = Self.text(list)
    list.remove(["a"], isKept: true)
    list = try Self.again(list)
    #expect(list.subscriptions.map(\.name) == ["b"])
    #expect(list.warnings.isEmpty)
    #expect(Self.text(list).contains("isComment=\"true\""))
    #expect(!list.hasCommands)
    // Another one has its name by now, or not.
    var named = Subscription(
      name: "", title: "https://a.example", feedURL: "http://www.a.example/f/")
    named.isFromAccount = true
    named.name = list.freeName(for: named.title)
    let added = list.add(named)
    #expect(added.name == "a" && added.title == "A" && !added.isFromAccount)
    #expect(added.feedURL.text == "https://me:pw@a.example/f")
    #expect(added.settings[.latest] == "3" && added.categories == ["News"])
    let back = Self.text(list)
    #expect(back.contains("mine=\"1\"") && !back.contains("isComment") && !back.contains("removed"))
    #expect(try Self.again(list).subscriptions.count == 2)
    #expect(try Self.text(Self.list("")).count < before.count)
  }

  @Test func `one that has moved comes back by an address that it had`() throws {
    var list = try Self.list(
      """
      <outline text="A" xmlUrl="https://a.example/new" podget:name="a" podget:latest="3"
        podget:earlier="https://a.example/old https://a.example/Old"/>
      """)
    list.remove(["a"], isKept: true)
    list = try Self.again(list)
    var other = list
    // A person means the address that is named.
    other.add(Subscription(name: "b", title: "B", feedURL: "https://a.example/old"))
    #expect(other.subscriptions.map(\.feedURL.text) == ["https://a.example/old"])
    var named = Subscription(name: "x", title: "X", feedURL: "https://a.example/Old")
    named.isFromAccount = true
    let added = list.add(named)
    #expect(added.name == "a" && added.feedURL.text == "https://a.example/new")
    #expect(added.settings[.latest] == "3")
    #expect(try Self.again(list).subscriptions == [added])
  }

  @Test func `of two that can be brought back under one address the first one is`() throws {
    let kept = "xmlUrl=\"https://a.example/f\" isComment=\"true\" podget:removed=\"account\""
    var list = try Self.list(
      """
      <outline text="A" \(kept) podget:name="a" podget:latest="3"/>
      <outline text="B" \(kept) podget:name="b"/>
      """)
    var named = Subscription(name: "x", title: "X", feedURL: "https://a.example/f")
    named.isFromAccount = true
    let added = list.add(named)
    #expect(added.name == "a" && added.settings[.latest] == "3")
    let again = try Self.again(list)
    #expect(again.subscriptions == [added] && again.warnings.isEmpty)
  }

  @Test func `what is given with the address stays`() throws {
    var list = try Self.list(
      "<outline text=\"A\" xmlUrl=\"https://a.example/f\" podget:name=\"a\" podget:latest=\"3\"/>")
    list.remove(["a"], isKept: true)
    list = try Self.again(list)
    var other = Subscription(name: "mine", title: "New", feedURL: "https://a.example/f")
    other.settings[.latest] = "5"
    let added = list.add(other, hasName: true)
    #expect(added.name == "mine" && added.title == "New" && added.settings[.latest] == "5")
    #expect(try Self.again(list).subscriptions == [added])
  }

  @Test func `settings that contradict those of before take no login away`() throws {
    var list = try Self.list(
      "<outline text=\"A\" xmlUrl=\"https://a.example/f\" podget:name=\"a\" podget:user=\"me\" "
        + "podget:password-command=\"echo pw\" podget:since=\"2024-06-01\"/>")
    list.remove(["a"], isKept: true)
    list = try Self.again(list)
    var other = Subscription(name: "a", title: "A", feedURL: "https://a.example/f")
    other.settings[.until] = "2024-01-01"
    let added = list.add(other)
    #expect(added.settings[.since] == nil && added.settings[.until] == "2024-01-01")
    #expect(added.settings[.user] == "me" && added.settings[.passwordCommand] == "echo pw")
  }

  @Test func `a folder stays, and what a person removes is not kept`() throws {
    var list = try Self.list(
      """
      <outline text="A" xmlUrl="https://a.example/f" podget:name="a">
        <outline text="B" xmlUrl="https://b.example/f" podget:name="b"/></outline>
      """)
    list.remove(["a"], isKept: true)
    list = try Self.again(list)
    #expect(
      list.subscriptions.map(\.name) == ["b"] && list.subscriptions.map(\.categories) == [["A"]])
    list.remove(["b"])
    #expect(!Self.text(list).contains("b.example"))
    #expect(Self.text(list).contains("a.example"))
  }

  @Test func `of what only the server named not everything is kept`() throws {
    var list = SubscriptionList()
    var names: Set<String> = []
    for number in 0..<1002 {
      var subscription = Subscription(
        name: "n\(number)", title: "N",
        feedURL: "https://a.example/\(number)")
      subscription.isFromAccount = number > 0
      names.insert(subscription.name)
      list.add(subscription)
    }
    list = try Self.again(list)
    list.remove(names, isKept: true)
    #expect(Self.text(list).split(separator: "isComment").count == 1002)
    #expect(Self.text(list).contains("https://a.example/0\""))
  }

  @Test func `commands of what is kept are commands of the file`() throws {
    var list = try Self.list(
      "<outline text=\"A\" xmlUrl=\"https://a.example/f\" podget:name=\"a\" podget:user=\"me\" "
        + "podget:password-command=\"echo pw\"/>")
    list.remove(["a"], isKept: true)
    #expect(try Self.again(list).hasCommands)
  }

  @Test func `comments of a person are none of these`() throws {
    var list = try Self.list(
      "<outline text=\"A\" isComment=\"true\" xmlUrl=\"https://a.example/f\" podget:latest=\"3\"/>")
    let added = list.add(Subscription(name: "a", title: "A", feedURL: "https://a.example/f"))
    #expect(added.settings[.latest] == nil)
    #expect(Self.text(list).contains("isComment"))
  }

  @Test func `a list that could not be read is not written`() throws {
    let folder = try TemporaryFolder()
    let file = SubscriptionFile(
      try #require(try Library.open(folder.path("library"), creating: true)))
    try file.update { list throws(PodgetError) in
      list.add(Subscription(name: "a", title: "A", feedURL: "https://a.example/f"))
    }
    let before = try folder.read("library/.podget/\(SubscriptionFile.name)")
    let title = String(repeating: "x", count: 33 << 20)
    #expect(throws: PodgetError.self) {
      try file.update { list throws(PodgetError) in
        list.add(Subscription(name: "b", title: title, feedURL: "https://b.example/f"))
      }
    }
    #expect(try folder.read("library/.podget/\(SubscriptionFile.name)") == before)
  }
}
