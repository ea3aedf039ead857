import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

/// Which subscription an episode belongs to that was planned or recorded before a feed moved.
@Suite("The addresses of subscriptions") struct SubscriptionPlacesTests {
  private func list(_ addresses: FeedURL...) -> SubscriptionList {
    var list = SubscriptionList()
    for (place, url) in addresses.enumerated() {
      list.add(Subscription(name: "feed\(place)", title: "Feed \(place)", feedURL: url))
    }
    return list
  }

  /// The list as the next run reads it.
  private func read(_ list: SubscriptionList) throws -> SubscriptionList {
    try SubscriptionList(list.bytes, name: "subscriptions.opml")
  }

  /// The names of the subscriptions that feeds belong to.
  private func names(_ feeds: [FeedURL], in list: SubscriptionList) -> [String?] {
    let places = SubscriptionPlaces(list.subscriptions)
    return feeds.map { feed in
      places.place(feed: feed).map { list.subscriptions[$0].name }
    }
  }

  @Test func `an earlier address counts for a podcast with a title of the subscription`() throws {
    var list = list("https://a.example/1")
    list.move("feed0", from: "https://a.example/1", to: "https://a.example/2")
    list = try read(list)
    let places = SubscriptionPlaces(list.subscriptions)
    for (title, feed, place) in [
      ("feed: 0", "https://a.example/1", 0), ("Feed 0", "https://a.example/2", 0),
      ("Another Show", "https://a.example/1", nil), ("", "https://a.example/1", nil),
      ("Any", "https://a.example/2", 0),
    ] as [(String, FeedURL, Int?)] {
      let podcast = Podcast(title: title, feedURL: feed)
      #expect(places.place(of: podcast) == place, "\(title) \(feed)")
      #expect((list.subscription(of: podcast) != nil) == (place != nil))
    }
  }

  @Test func `an id or an address is no title of another podcast`() {
    let address = "https://b.example/feed"
    var list = SubscriptionList()
    list.add(Subscription(name: "bad", title: "1386867488", feedURL: "https://bad.example/1"))
    list.add(Subscription(name: "worse", title: address, feedURL: "https://bad.example/2"))
    for source in ["1386867488", "id1386867488", address] {
      #expect(list.subscription(named: source) == nil, "\(source)")
    }
    let good = Subscription(
      name: "good", title: "Good", feedURL: "https://b.example/feed", id: 1_386_867_488)
    list.add(good)
    for source in ["1386867488", address, "GOOD", "good"] {
      #expect(list.subscription(named: source)?.name == "good", "\(source)")
    }
    // A short name is what a person chose.
    list.add(Subscription(name: "99", title: "Ninety-nine", feedURL: "https://c.example/"))
    #expect(list.subscription(named: "99")?.name == "99")
  }

  @Test func `every address that a feed had is remembered`() throws {
    var list = list("https://user:pw@a.example/1 x", "https://b.example/")
    list.move("feed0", from: "https://a.example/1 x", to: "https://a.example/2")
    list = try read(list)
    list.move("feed0", from: "https://a.example/2", to: "https://a.example/3?key=1")
    list = try read(list)
    let feeds: [FeedURL] = [
      "https://a.example/1%20x", "http://a.example/2/", "https://a.example/3?key=1",
      "https://a.example/4",
    ]
    #expect(names(feeds, in: list) == ["feed0", "feed0", "feed0", nil])
    #expect(!list.subscriptions[0].earlierURLs.contains { $0.text.contains("pw") })
  }

  @Test(arguments: [("feed0", 1), ("feed1", 0)])
  func `two subscriptions that become one keep all addresses`(moved: String, to: Int) throws {
    let feeds: [FeedURL] = ["https://a.example/", "https://b.example/"]
    var list = list(feeds[0], feeds[1])
    list.move(moved, from: feeds[1 - to], to: feeds[to])
    list = try read(list)
    #expect(names(feeds, in: list) == ["feed0", "feed0"])
  }

  @Test func `an address belongs to the one that has it now`() throws {
    var list = list("https://a.example/")
    list.move("feed0", from: "https://a.example/", to: "https://new.example/")
    list.add(Subscription(name: "other", title: "Other", feedURL: "https://a.example/"))
    list = try read(list)
    #expect(names(["https://a.example/", "https://new.example/"], in: list) == ["other", "feed0"])
    #expect(list.subscriptions[0].addresses == ["https://new.example/"])
  }

  @Test func `a feed that moves without end does not fill the file`() throws {
    var list = list("https://a.example/0")
    for number in 1...200 {
      list.move(
        "feed0", from: FeedURL(stringLiteral: "https://a.example/\(number - 1)"),
        to: FeedURL(stringLiteral: "https://a.example/\(number)"))
    }
    list = try read(list)
    #expect(list.subscriptions[0].earlierURLs.count == 20)
    #expect(names(["https://a.example/199"], in: list) == ["feed0"])
  }
}
