import PodcastLibrary
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

@Suite("What a person said of a podcast whose feed moves") struct MovedFactsTests {
  @Test("it stays true at the new address") func moved() throws {
    let folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    let (old, new): (FeedURL, FeedURL) = ("https://a.example/feed", "https://b.example/feed")
    let file = SubscriptionFile(library)
    try file.update { list throws(PodgetError) in
      list.add(Subscription(name: "a", title: "A", feedURL: old))
    }
    let podcast = Podcast(title: "A", feedURL: old)
    var facts = try library.podcastFacts()
    var fact = PodcastFact(try #require(facts.key(for: [podcast])), names: [podcast])
    fact.title = PodcastFact.Said("Pear")
    try library.say([fact], after: facts)
    try file.update { list throws(PodgetError) in
      list.move("a", from: old, to: new, .follows)
    }
    facts = try library.podcastFacts()
    #expect(facts.corrected(Podcast(title: "A", feedURL: new)).shownTitle == "Pear")
    #expect(facts.corrected(podcast).shownTitle == "Pear")
    // By now another show may be there.
    #expect(facts.corrected(Podcast(title: "Other", feedURL: old)).shownTitle == "Other")
  }
}
