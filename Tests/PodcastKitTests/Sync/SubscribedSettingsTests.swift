import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

/// Which podcast's requests have the `User-Agent` of a subscription, and which of its files is preferred.
@Suite("Settings of subscriptions for requests") struct SubscribedSettingsTests {
  private let subscribed = SubscribedSettings()

  private func podcast(_ url: FeedURL, id: Int64? = nil) -> Podcast {
    Podcast(id: id, title: "A", feedURL: url)
  }

  private func agent(_ url: FeedURL, id: Int64? = nil) -> String? {
    subscribed.own(of: podcast(url, id: id)).userAgent
  }

  private func subscription(
    _ url: FeedURL, first: String? = nil, id: Int64? = nil, agent: String? = nil,
    prefer: String? = nil
  ) -> Subscription {
    var subscription = Subscription(name: "a", title: "A", feedURL: url, firstURL: first, id: id)
    subscription.settings[.userAgent] = agent
    subscription.settings[.prefer] = prefer
    return subscription
  }

  @Test func `episodes from before a move keep theirs`() {
    subscribed.use([subscription("http://h/new", first: "http://h/old", agent: "Player")])
    #expect(agent("http://h/new") == "Player")
    #expect(agent("http://h/old") == "Player")
    #expect(agent("http://h/other") == nil)
  }

  @Test(arguments: [false, true])
  func `another podcast at the old address has its own`(isFirst: Bool) {
    let both = [
      subscription("http://h/new", first: "http://h/old", agent: "Player"),
      subscription("http://h/old", first: "http://h/2"),
    ]
    subscribed.use(isFirst ? both : both.reversed())
    #expect(agent("http://h/old") == nil)
    #expect(subscribed.own(ofFeed: "http://h/old").userAgent == nil)
    #expect(agent("http://h/new") == "Player")
  }

  @Test func `an id comes before an address`() {
    subscribed.use([
      subscription("http://h/a", id: 1), subscription("http://h/b", id: 2, agent: "Player"),
    ])
    #expect(agent("http://h/b", id: 1) == nil)
    #expect(agent("http://h/a", id: 2) == "Player")
    #expect(agent("http://h/b", id: 3) == "Player")
  }

  @Test func `what an option replaces does not count, and what is no preference is none`() {
    let subscriptions = [
      subscription("http://h/a", agent: "Player", prefer: "smallest"),
      subscription("http://h/b", prefer: "a b"),
    ]
    subscribed.use(subscriptions)
    #expect(subscribed.own(ofFeed: "http://h/a").preference == .smallest)
    #expect(subscribed.own(ofFeed: "http://h/b").preference == nil)
    subscribed.use(subscriptions, counting: [.userAgent])
    #expect(subscribed.own(ofFeed: "http://h/a").preference == nil)
    #expect(agent("http://h/a") == "Player")
    subscribed.use(subscriptions, counting: [.prefer])
    #expect(
      subscribed.own(ofFeed: "http://h/a").preference == .smallest && agent("http://h/a") == nil)
  }
}
