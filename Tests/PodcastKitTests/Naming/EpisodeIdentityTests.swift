import Foundation
import PodcastModel
import TestSupport
import Testing

@Suite("Episode identity") struct EpisodeIdentityTests {
  let podcast = Podcast(id: 1, title: "Show", feedURL: "https://example.com/feed")

  func episode(
    id: Int64? = nil, guid: String? = nil, title: String = "T", url: String = "https://a/b.mp3"
  ) -> Episode {
    Episode(id: id, guid: guid, title: title, enclosure: Enclosure(url: url))
  }

  func key(_ episode: Episode) -> String { EpisodeIdentity.key(podcast: podcast, episode: episode) }

  @Test("the key is half of a SHA-256 over the parts with their lengths") func format() {
    // printf '5:apple,1:1,4:guid,3:abc' | sha256sum | cut -c 1-32
    #expect(key(episode(guid: "abc")) == "62fd190258cf2048ecf97b3a14e3111d")
    #expect(EpisodeIdentity.suffix("0123456789abcdef") == "012345")
  }

  @Test("a guid outlives title, address and track id") func guidFirst() {
    let moved = episode(id: 9, guid: "g", title: "New", url: "https://other/x.mp3")
    #expect(key(moved) == key(episode(guid: "g")))
    #expect(key(moved) != key(episode(guid: "G")))
  }

  // A feed can give all but one of them to each of its items: with equal hashes, each lookup would
  // compare it with all others.
  @Test("episodes that differ in one property have other hashes") func hashes() {
    let plain = episode(guid: "g")
    var others = (0..<6).map { _ in plain }
    others[0].title = "U"
    others[1].date = Date(timeIntervalSince1970: 1)
    others[2].season = 2
    others[3].artworkURL = "https://a/b.jpg"
    others[4].enclosure.mimeType = "audio/mpeg"
    others[5].duration = .seconds(1)
    #expect(Set((others + [plain]).map(\.hashValue)).count == others.count + 1)
  }

  @Test("without a guid the track id, then the address, then the title and date count")
  func ladder() {
    #expect(key(episode(id: 5, title: "A")) == key(episode(id: 5, title: "B")))
    #expect(
      key(episode(url: "https://a/b.mp3?x=1")) == key(episode(title: "B", url: "https://a/b.mp3#t"))
    )
    #expect(key(episode(url: "https://a/c.mp3")) != key(episode(url: "https://a/b.mp3")))
    var dated = episode(url: "")
    dated.date = Date(timeIntervalSince1970: 10)
    #expect(key(dated) != key(episode(url: "")))
    #expect(key(episode(guid: "", url: "")) == key(episode(url: "")))
  }

  @Test("values of different kinds, podcasts and parts have different keys") func unambiguous() {
    #expect(key(episode(guid: "5")) != key(episode(id: 5)))
    let byFeed = Podcast(title: "Show", feedURL: "https://example.com/feed")
    let byTitle = Podcast(title: "https://example.com/feed")
    let keys = [podcast, byFeed, byTitle].map {
      EpisodeIdentity.key(podcast: $0, episode: episode(guid: "g"))
    }
    #expect(Set(keys).count == 3)
  }

  @Test("keys of every kind are unchanged") func golden() {
    let byApple = Podcast(id: 1_386_867_488, title: "The Symbolic World")
    let byFeed = Podcast(title: "Show", feedURL: "https://example.com/feed")
    var dated = episode(title: "Über", url: "")
    dated.date = Date(timeIntervalSince1970: 1_676_563_217)
    let written: [(Podcast, Episode, String)] = [
      (byApple, episode(id: 1_000_600_017_070), "508f3ef78c998c4cbe795833d6378591"),
      (byApple, episode(id: 7, guid: "9e3a-é"), "0127a76144ab192dee52e35b9f4c4b0a"),
      (byFeed, episode(guid: "https://example.com/?p=1"), "cd9ec2056c7656b9c1b2a014a8d19576"),
      (
        byFeed, episode(url: "https://example.com/a%20b.mp3?x=1#t"),
        "2a7c23499a97db220cd661d8bdfc37e7"
      ),
      (Podcast(title: "Show"), dated, "5e008767886528312908a68474a571fb"),
    ]
    for (podcast, episode, key) in written {
      #expect(EpisodeIdentity.key(podcast: podcast, episode: episode) == key)
    }
  }
}
