import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

/// Two descriptions of a show's episodes, with what they mean: one episode or two.
@Suite("Pairs of descriptions") struct EpisodePairTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    var name: String
    var first: Episode
    var second: Episode

    var testDescription: String { name }
  }

  private static func episode(
    _ title: String, _ date: String? = "2024-01-01T05:00:00Z", guid: String? = nil,
    id: Int64? = nil, url: String, duration: Int? = nil
  ) -> Episode {
    Episode(
      id: id, guid: guid, title: title, date: date.flatMap { Date(timestamp: $0) },
      duration: duration.map { .seconds($0) }, enclosure: Enclosure(url: url))
  }

  private static func changed(
    _ name: String, _ episode: Episode, _ change: (inout Episode) -> Void
  ) -> Pair {
    var second = episode
    change(&second)
    return Pair(name: name, first: episode, second: second)
  }

  private static let nextDay = Date(timestamp: "2024-01-02T05:00:00Z")
  private static let nextHour = Date(timestamp: "2024-01-01T06:00:00Z")
  private static let titled = episode(
    "One", guid: "g", url: "https://a.example/1.mp3", duration: 1801)
  private static let bare = episode("One", url: "https://a.example/play.php?id=1", duration: 1801)
  private static let bulletin = episode(
    "News", guid: "1", url: "https://a.example/10/news.mp3", duration: 300)

  static let same: [Pair] = [
    changed("a guid with its address", titled) {
      ($0.title, $0.date, $0.duration) = ("Two", nextDay, .seconds(7))
    },
    changed("a guid with its title and day", titled) {
      ($0.enclosure.url, $0.duration) = ("https://b.example/2.mp3", nil)
    },
    changed("a guid with its title, where a date is not known", titled) {
      ($0.enclosure.url, $0.date, $0.duration) = ("https://b.example/2.mp3", nil, nil)
    },
    changed("a guid with its title, a few hours off", titled) {
      $0.enclosure.url = "https://b.example/2.mp3"
      $0.date?.addTimeInterval(-6 * 3600)
    },
    changed("a guid with its day", titled) {
      ($0.title, $0.enclosure.url, $0.duration) = ("Two", "https://b.example/2.mp3", nil)
    },
    changed("a guid with its length, a few hours off", titled) {
      ($0.title, $0.enclosure.url) = ("Two", "https://b.example/2.mp3")
      $0.date?.addTimeInterval(-6 * 3600)
      $0.duration = .seconds(1803)
    },
    changed("a track id with its title", episode("One", id: 5, url: "https://a.example/1.mp3")) {
      $0.enclosure.url = "https://b.example/2.mp3"
    },
    changed("an address with its query", bare) {
      ($0.title, $0.date) = ("Two", nextHour)
    },
    changed("an address with its query and title", bare) { $0.date = nextDay },
    changed("an address with its query, with a guid on one side", bare) {
      ($0.guid, $0.title) = ("g", "One, corrected")
    },
    changed("a query that tracks and signs", bare) {
      $0.title = "One, corrected"
      $0.enclosure.url =
        "https://a.example/play.php?utm_source=rss&id=1&Expires=17&Signature=x%3D&Key-Pair-Id=K"
    },
    changed("a token that nobody knows", episode("One", url: "https://a.example/1.mp3?t=1")) {
      $0.enclosure.url = "https://a.example/1.mp3?t=2"
      $0.date?.addTimeInterval(120)
    },
    changed("a title and a day", bare) { $0.enclosure.url = "https://b.example/2.mp3" },
    changed("a new guid at the same address", titled) { $0.guid = "h" },
    changed("a new guid, with title, minute and length", titled) {
      ($0.guid, $0.enclosure.url) = ("h", "https://b.example/2.mp3")
      $0.date?.addTimeInterval(60)
    },
  ]

  static let others: [Pair] = [
    changed("a guid without any other sign", titled) {
      ($0.title, $0.enclosure.url, $0.date) = ("Two", "https://a.example/2.mp3", nextDay)
      $0.duration = .seconds(1700)
    },
    changed("a guid for a show of one length", titled) {
      ($0.title, $0.enclosure.url, $0.date) = ("Two", "https://a.example/2.mp3", nextDay)
    },
    changed("a guid for a show of one title and one length", titled) {
      ($0.enclosure.url, $0.date) = ("https://a.example/2.mp3", nextDay)
    },
    changed("a track id without any other sign", episode("One", id: 5, url: "https://a.example/1"))
    {
      ($0.title, $0.enclosure.url, $0.date) = ("Two", "https://a.example/2", nextDay)
    },
    changed("a track id that follows the guid", titled) {
      ($0.title, $0.enclosure.url, $0.date) = ("Two", "https://a.example/2.mp3", nextDay)
      ($0.id, $0.duration) = (5, nil)
    },
    changed("a query that names the episode", bare) {
      ($0.title, $0.enclosure.url) = ("Two", "https://a.example/play.php?id=2")
    },
    changed("a query that names the bulletin of the hour", bare) {
      ($0.date, $0.enclosure.url) = (nextHour, "https://a.example/play.php?id=2")
    },
    changed("a query that names the bulletin of the day", bare) {
      ($0.date, $0.enclosure.url) = (nextDay, "https://a.example/play.php?id=2")
    },
    changed("a query with a parameter that may name it", bare) {
      ($0.title, $0.enclosure.url) = ("Two", "https://a.example/play.php?id=1&token=2")
    },
    changed("whatever is the latest, without a guid", bare) {
      ($0.title, $0.date) = ("Two", nextDay)
    },
    changed("whatever is the latest, with guids", bulletin) {
      ($0.guid, $0.date) = ("2", nextHour)
    },
    changed("bulletins of one length and one file name", bulletin) {
      ($0.guid, $0.date, $0.enclosure.url) = ("2", nextHour, "https://a.example/11/news.mp3")
    },
    changed("bulletins of one length", bulletin) {
      ($0.guid, $0.date, $0.enclosure.url) = ("2", nextHour, "https://a.example/11/b.mp3")
    },
    changed("bulletins that are told apart by the hour", bulletin) {
      ($0.guid, $0.date, $0.enclosure.url) = (nil, nextHour, "https://a.example/11/news.mp3")
    },
    changed(
      "bulletins without a time",
      episode("News", "2024-01-01", guid: "1", url: "https://a.example/1.mp3", duration: 300)
    ) {
      ($0.guid, $0.enclosure.url) = ("2", "https://a.example/2.mp3")
    },
    changed(
      "bulletins without a date",
      episode("News", nil, guid: "1", url: "https://a.example/1.mp3", duration: 300)
    ) {
      ($0.guid, $0.enclosure.url) = ("2", "https://a.example/2.mp3")
    },
  ]

  private static let podcast = Podcast(id: 1, title: "P")

  private static func key(_ episode: Episode) -> String {
    EpisodeIdentity.key(podcast: podcast, episode: episode)
  }

  /// Whether a listing of the second is the first, which the library knows.
  private static func isOne(_ known: Episode, _ listed: Episode) -> Bool {
    let local = LocalEpisode(
      plan: DownloadPlan(
        key: key(known), podcast: podcast, episode: known, folder: "P", stem: "x",
        announcedExtension: "mp3"),
      file: LocalEpisode.File(status: .complete, bytes: 1))
    let found = EpisodeLookup([local]).identify(
      PodcastListing(podcast: podcast, episodes: [listed]))
    let isKnown = found.locals[listed] != nil
    #expect((found.keys.key(podcast: podcast, episode: listed) == key(known)) == isKnown)
    return isKnown
  }

  @Test("are one", arguments: same) func one(pair: Pair) {
    #expect(Self.isOne(pair.first, pair.second))
    #expect(Self.isOne(pair.second, pair.first))
  }

  @Test("are two, also within one listing", arguments: others) func two(pair: Pair) {
    #expect(!Self.isOne(pair.first, pair.second))
    #expect(!Self.isOne(pair.second, pair.first))
    let both = [pair.first, pair.second]
    let keys = EpisodeKeys(of: both, podcast: Self.podcast, known: [])
    let listed = both.map { keys.key(podcast: Self.podcast, episode: $0) }
    #expect(Set(listed).count == 2)
    let reversed = EpisodeKeys(of: both.reversed(), podcast: Self.podcast, known: [])
    #expect(both.map { reversed.key(podcast: Self.podcast, episode: $0) } == listed)
    // Both keep their keys when they come again, together and alone.
    let known = zip(both, listed).map { EpisodeMatching.Known(key: $1, episode: $0) }
    for again in [both, both.reversed(), [both[0]], [both[1]]] {
      let keys = EpisodeKeys(of: again, podcast: Self.podcast, known: known)
      for (episode, key) in zip(both, listed) where again.contains(episode) {
        #expect(keys.key(podcast: Self.podcast, episode: episode) == key)
        #expect(keys.known[episode] != nil)
      }
    }
  }

  @Test("any number of episodes with one guid keep their keys", arguments: [2, 32, 33, 45, 200])
  func manyOnOneGUID(count: Int) {
    let episodes = (0..<count).map { number in
      Self.episode(
        "News \(number % 7)", "2024-01-01T05:00:00Z", guid: "g",
        url: "https://a.example/play.php?id=\(number)", duration: 300)
    }
    let keys = EpisodeKeys(of: episodes, podcast: Self.podcast, known: [])
    let known = episodes.map {
      EpisodeMatching.Known(key: keys.key(podcast: Self.podcast, episode: $0), episode: $0)
    }
    #expect(Set(known.map(\.key)).count == count)
    #expect(known.map(\.key).contains(Self.key(episodes[0])))
    let again = EpisodeKeys(of: episodes.shuffled(), podcast: Self.podcast, known: known)
    for (place, episode) in episodes.enumerated() { #expect(again.known[episode] == place) }
  }

  @Test("episodes whose guids are their positions stay known") func numberedByPlace() {
    let known = (1...5).map { number in
      Self.episode(
        "Part \(number)", "2024-01-0\(number)T05:00:00Z", guid: "\(6 - number)",
        url: "https://a.example/\(number).mp3")
    }
    let listed = (2...6).map { number in
      Self.episode(
        "Part \(number)", "2024-01-0\(number)T05:00:00Z", guid: "\(7 - number)",
        url: "https://a.example/\(number).mp3")
    }
    let matching = EpisodeMatching(
      listed, known: known.map { EpisodeMatching.Known(key: $0.title, episode: $0) })
    #expect(matching.matches == [1, 2, 3, 4, nil])
  }

  @Test("keys that an earlier podget made are found again") func earlierKeys() {
    // Both were the same to it: the record has the key of the address without the query.
    let record = EpisodeMatching.Known(key: Self.key(Self.bare), episode: Self.bare)
    var other = Self.bare
    (other.title, other.enclosure.url) = ("Two", "https://a.example/play.php?id=2")
    let keys = EpisodeKeys(of: [other, Self.bare], podcast: Self.podcast, known: [record])
    #expect(keys.known == [Self.bare: 0])
    #expect(keys.key(podcast: Self.podcast, episode: Self.bare) == record.key)
    #expect(keys.key(podcast: Self.podcast, episode: other) != record.key)
  }
}
