import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

/// Which podcast a `User-Agent` is sent for.
@Suite("The User-Agent of subscriptions") struct SubscribedAgentsTests {
  private let agents = SubscribedAgents()

  private func podcast(_ url: FeedURL, id: Int64? = nil) -> Podcast {
    Podcast(id: id, title: "A", feedURL: url)
  }

  private func subscription(
    _ url: FeedURL, first: String? = nil, id: Int64? = nil
  ) -> Subscription {
    Subscription(name: "a", title: "A", feedURL: url, firstURL: first, id: id)
  }

  @Test func `episodes from before a move keep theirs`() {
    agents.use([(subscription("http://h/new", first: "http://h/old"), "Player")])
    #expect(agents.agent(for: podcast("http://h/new")) == "Player")
    #expect(agents.agent(for: podcast("http://h/old")) == "Player")
    #expect(agents.agent(for: podcast("http://h/other")) == nil)
  }

  @Test(arguments: [false, true])
  func `another podcast at the old address has its own`(isFirst: Bool) {
    let both: [(subscription: Subscription, agent: String?)] = [
      (subscription("http://h/new", first: "http://h/old"), "Player"),
      (subscription("http://h/old", first: "http://h/2"), nil),
    ]
    agents.use(isFirst ? both : both.reversed())
    #expect(agents.agent(for: podcast("http://h/old")) == nil)
    #expect(agents.agent(forFeed: "http://h/old") == nil)
    #expect(agents.agent(for: podcast("http://h/new")) == "Player")
  }

  @Test func `an id comes before an address`() {
    agents.use([
      (subscription("http://h/a", id: 1), nil), (subscription("http://h/b", id: 2), "Player"),
    ])
    #expect(agents.agent(for: podcast("http://h/b", id: 1)) == nil)
    #expect(agents.agent(for: podcast("http://h/a", id: 2)) == "Player")
    #expect(agents.agent(for: podcast("http://h/b", id: 3)) == "Player")
  }
}
