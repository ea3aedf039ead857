import PodcastLibrary
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

@Suite("Which records are of one podcast") struct LibraryPodcastsTests {
  private typealias Key = LibraryPodcasts.Key

  private func podcast(_ title: String, id: Int64? = nil, feed: String? = nil) -> Podcast {
    Podcast(id: id, title: title, feedURL: feed.flatMap { FeedURL($0) })
  }

  private func subscription(
    _ name: String, _ title: String, _ feed: FeedURL, id: Int64? = nil
  ) -> Subscription {
    Subscription(name: name, title: title, feedURL: feed, id: id)
  }

  private func keys(_ podcasts: [Podcast], _ subscriptions: [Subscription] = []) -> [Key] {
    let all = LibraryPodcasts(podcasts, subscriptions: subscriptions)
    return podcasts.map { all.key(of: $0) }
  }

  @Test("podcasts that a person made one, and no other show at an earlier address of them")
  func merged() throws {
    let (old, moved) = ("https://old.example/feed", "https://moved.example/feed")
    let a = [podcast("A", feed: old), podcast("A", feed: moved)]
    let b = podcast("B", id: 2, feed: "https://b.example/feed")
    let keys = try (a + [b]).map {
      try #require(EpisodeKey(EpisodeIdentity.key(of: $0)))
    }
    var part = PodcastFact(keys[0], names: a)
    part.into = PodcastFact.Said(keys[2])
    let folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    try library.say([part, PodcastFact(keys[2], names: [b])], after: PodcastFacts())
    let facts = try library.podcastFacts()
    let all = a + [b, podcast("Another", feed: old), podcast("A"), podcast("B", id: 3)]
    func found(_ subscriptions: [Subscription] = []) -> [Key] {
      let podcasts = LibraryPodcasts(all, subscriptions: subscriptions, facts: facts)
      return all.map { podcasts.key(of: $0) }
    }
    let others: [Key] = [.feed("old.example/feed"), .title("A"), .apple(3)]
    #expect(found() == [.apple(2), .apple(2), .apple(2)] + others)
    // The one that is followed is what they belong to.
    let followed = subscription("a", "A", try #require(FeedURL(moved)))
    let own = Key.subscription("a")
    #expect(found([followed]) == [own, own, own] + others)
    let both = [followed, subscription("b", "B", "https://b.example/feed", id: 2)]
    let whole = Key.subscription("b")
    #expect(found(both) == [whole, whole, whole] + others)
    let podcasts = LibraryPodcasts(all, subscriptions: both, facts: facts)
    #expect(podcasts.whole(of: own) == whole)
    #expect(podcasts.keys(of: .feed(url: moved)) == [whole])
  }

  @Test("without subscriptions: the id, and an address that is recorded with one id only")
  func alone() {
    let (a, b) = ("https://a.example/feed", "http://www.a.example/feed/")
    #expect(
      keys([
        podcast("News", id: 1, feed: a), podcast("Old", feed: b), podcast("New", id: 1),
        podcast("News", id: 2), podcast("News"), podcast("News", feed: "https://b.example/"),
      ]) == [
        .apple(1), .apple(1), .apple(1), .apple(2), .title("News"), .feed("b.example"),
      ])
    // An address that two ids have proves nothing.
    #expect(
      keys([podcast("N", id: 1, feed: a), podcast("N", id: 2, feed: a), podcast("N", feed: a)])
        == [.apple(1), .apple(2), .feed("a.example/feed")])
  }

  @Test("a subscription: its id, its addresses, and an id that only records know")
  func followed() {
    var alpha = subscription("alpha", "News", "https://a.example/feed")
    alpha.remember(["https://old.example/a"])
    let beta = subscription("beta", "News", "https://a.example/premium", id: 2)
    let own = Key.subscription("alpha")
    #expect(
      keys(
        [
          podcast("Any", feed: "http://a.example/feed/"),
          podcast("news", feed: "https://old.example/a"),
          podcast("News", id: 7, feed: "https://a.example/feed"), podcast("News", id: 7),
          podcast("News", id: 2), podcast("News", feed: "https://a.example/premium"),
          podcast("News", id: 3, feed: "https://a.example/premium"),
          podcast("News", feed: "https://a.example/third"), podcast("News"),
        ], [alpha, beta])
        == [
          own, own, own, own, .subscription("beta"), .subscription("beta"), .apple(3),
          .feed("a.example/third"), .title("News"),
        ])
  }

  @Test("another show at an earlier address of a subscription is none of its own")
  func reusedAddress() {
    var alpha = subscription("alpha", "News", "https://new.example/feed", id: 7)
    alpha.remember(["https://old.example/feed"])
    let (old, new) = ("https://old.example/feed", "https://new.example/feed")
    let own = [
      podcast("News", feed: old), podcast("Old News", feed: old),
      // Titles that are surely its own.
      podcast("Old News", id: 7), podcast("New News", feed: new), podcast("New News", feed: old),
      podcast("Any", id: 7, feed: old),
    ]
    let others = [
      podcast("Talk", feed: old), podcast("Talk", id: 9, feed: old), podcast("", feed: old),
    ]
    let all = LibraryPodcasts(own + others, subscriptions: [alpha])
    #expect(own.map { all.key(of: $0) } == own.map { _ in .subscription("alpha") })
    #expect(
      others.map { all.key(of: $0) }
        == [.feed("old.example/feed"), .apple(9), .feed("old.example/feed")])
    #expect(all.keys(of: .feed(url: old)) == [.apple(9), .feed("old.example/feed")])
    #expect(all.keys(of: .feed(url: new)) == [.subscription("alpha")])
    // The id of the show that was there is not that of the one that is there.
    let fewer = LibraryPodcasts(own + others.prefix(1), subscriptions: [alpha])
    #expect(fewer.key(of: others[0]) == .feed("old.example/feed"))
    #expect(fewer.keys(of: .feed(url: old)) == [.feed("old.example/feed")])
    // Where no other show is known, the address still names the one that was there.
    #expect(
      LibraryPodcasts(own, subscriptions: [alpha]).keys(of: .feed(url: old)) == [
        .subscription("alpha")
      ])
  }

  @Test("an id is learned from records, but not from those of another show") func learnedIDs() {
    var alpha = subscription("alpha", "News", "https://new.example/feed")
    alpha.remember(["https://old.example/feed"])
    let (old, new) = ("https://old.example/feed", "https://new.example/feed")
    let own = Key.subscription("alpha")
    #expect(
      keys([podcast("Talk", id: 9, feed: old), podcast("Talk", id: 9)], [alpha])
        == [.apple(9), .apple(9)])
    #expect(
      keys([podcast("news!", id: 9, feed: old), podcast("Talk", id: 9)], [alpha]) == [own, own])
    #expect(
      keys(
        [
          podcast("N", id: 7, feed: new), podcast("Before", id: 7), podcast("Before", feed: old),
          podcast("Talk", id: 9, feed: old),
        ], [alpha]) == [own, own, own, .apple(9)])
  }

  @Test("a title alone decides if no other podcast has it")
  func titles() {
    let alpha = subscription("alpha", "News", "https://a.example/feed")
    #expect(keys([podcast("news")], [alpha]) == [.subscription("alpha")])
    #expect(
      keys([podcast("NEWS", feed: "https://b.example/"), podcast("news")], [alpha])
        == [.feed("b.example"), .title("news")])
    let beta = subscription("beta", "news", "https://b.example/feed")
    #expect(keys([podcast("News")], [alpha, beta]) == [.title("News")])
  }
}
