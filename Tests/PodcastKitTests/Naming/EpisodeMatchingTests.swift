import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

/// Pairs of descriptions of one show at two times, as publishers really changed them.
@Suite("Matching listed episodes with known ones") struct EpisodeMatchingTests {
  private static func episode(
    _ title: String, _ day: String? = "2024-01-01T05:00:00Z", guid: String? = nil,
    id: Int64? = nil, url: String = "", duration: Int? = nil
  ) -> Episode {
    Episode(
      id: id, guid: guid, title: title, date: day.flatMap { Date(timestamp: $0) },
      duration: duration.map { .seconds($0) }, enclosure: Enclosure(url: url))
  }

  /// For each listed episode the title of the known one, nil where it is new.
  private func matched(
    _ listed: [Episode], known: [Episode], listedPodcast: Podcast = Podcast(id: 1, title: "P"),
    knownPodcast: Podcast = Podcast(id: 1, title: "P")
  ) -> [String?] {
    let locals = known.map { episode in
      LocalEpisode(
        plan: DownloadPlan(
          key: EpisodeIdentity.key(podcast: knownPodcast, episode: episode), podcast: knownPodcast,
          episode: episode, folder: "P", stem: "x", announcedExtension: "mp3"),
        file: LocalEpisode.File(status: .complete, bytes: 1))
    }
    let listing = PodcastListing(podcast: listedPodcast, episodes: listed)
    let found = EpisodeLookup(locals).identify(listing)
    for episode in listed {
      let key = found.keys.key(podcast: listedPodcast, episode: episode)
      #expect(found.locals[episode].map { $0.plan.key == key } ?? true)
    }
    #expect(
      Set(listed.map { found.keys.key(podcast: listedPodcast, episode: $0) }).count == listed.count)
    return listed.map { found.locals[$0]?.plan.episode.title }
  }

  @Test("another host and prefix under the same guids") func newAddresses() {
    let old = Self.episode(
      "Episode 220", guid: "Buzzsprout-18674372",
      url: "https://www.buzzsprout.com/1890340/18674372-episode-220.mp3")
    let now = Self.episode(
      "Episode 220", guid: "Buzzsprout-18674372",
      url: "https://dts.podtrac.com/redirect.mp3/media.example/9/220.mp3")
    #expect(matched([now], known: [old]) == ["Episode 220"])
  }

  @Test("all titles and addresses changed under the same guids") func newTitles() {
    let dates = ["2018-01-17T04:28:02Z", "2018-01-10T04:33:30Z"]
    let guids = ["903D4C53-092B-4131-BA52-08DBCDE55E3E", "2B587F89-B71C-4B5C-8DFF-EFF1106E8B81"]
    let old = [
      Self.episode(
        "The Secret to Future Linux Success | LUP 232", dates[0], guid: guids[0],
        url: "http://www.podtrac.com/pts/redirect.mp3/traffic.libsyn.com/jnite/lup-0232.mp3"),
      Self.episode(
        "Most Expensive Linux Distro Ever | LUP 231", dates[1], guid: guids[1],
        url: "http://www.podtrac.com/pts/redirect.mp3/traffic.libsyn.com/jnite/lup-0231.mp3"),
    ]
    let now = zip(["Episode 232: The Secret", "Episode 231: Most Expensive"], 0...).map {
      Self.episode(
        $0, dates[$1], guid: guids[$1], url: "https://aphid.fireside.fm/d/14/f31/\(guids[$1]).mp3")
    }
    #expect(matched(now.reversed(), known: old) == old.reversed().map(\.title))
  }

  @Test("a feed that stays as it is, except for a title") func oneNewTitle() {
    let old = [
      Self.episode(
        "iPad Development", guid: "46493e8c", url: "https://pdcn.co/e/media.example/75/372.mp3"),
      Self.episode(
        "Test-Driven", guid: "5db8473b", url: "https://pdcn.co/e/media.example/e0/3e8.mp3"),
    ]
    var now = old
    now[1].title = "Test-Driven Development in Swift"
    #expect(matched(now, known: old) == ["iPad Development", "Test-Driven"])
    for index in old.indices { now[index].guid = nil }
    #expect(matched(now, known: old) == ["iPad Development", "Test-Driven"])
  }

  @Test("news with one title: one episode per guid, by the hour and by the day") func news() {
    func bulletin(_ guid: String, _ date: String) -> Episode {
      Self.episode(
        "Nachrichten", date, guid: guid, url: "https://media.example/4450/\(guid).mp3",
        duration: Int(guid.suffix(2)))
    }
    let known = bulletin("AU-20240313-2303-10", "2024-03-13T21:59:00Z")
    let nextDay = bulletin("AU-20240314-2303-20", "2024-03-14T21:59:00Z")
    let nextHour = bulletin("AU-20240313-2403-30", "2024-03-13T22:59:00Z")
    #expect(matched([nextDay, nextHour], known: [known]) == [nil, nil])
    #expect(matched([nextHour, known], known: [known]) == [nil, "Nachrichten"])
  }

  @Test("a re-host with new guids and addresses, known by title, second and file") func rehost() {
    let old = (539...540).map { number in
      Self.episode(
        "Episode \(number) Oct 18th 2016", "2016-10-18T\(number - 520):05:00Z",
        guid: "http://uhhyeahdude.com/index.php/uyd/podcast/episode_\(number)",
        url: "http://traffic.libsyn.com/uhhyeahdude/ep\(number)impossible.mp3", duration: number)
    }
    func now(_ change: (inout Episode) -> Void) -> [Episode] {
      old.map { episode in
        var episode = episode
        episode.guid = "new \(episode.title)"
        episode.enclosure.url =
          "https://host.example/\(episode.title.count)/default.mp3?\(episode.title)"
        change(&episode)
        return episode
      }
    }
    let titles = old.map(\.title)
    #expect(matched(now { $0.duration = nil }, known: old) == titles)
    #expect(matched(now { $0.date?.addTimeInterval(60) }, known: old) == titles)
    #expect(
      matched(
        now {
          $0.date?.addTimeInterval(60)
          $0.duration = nil
        }, known: old) == [nil, nil])
    // As long as the old ones are listed, the new ones are others.
    #expect(matched(now { _ in } + old, known: old) == [nil, nil] + titles)
  }

  @Test("a new guid at the same address") func newGuid() {
    let old = Self.episode("One", guid: "g", url: "https://a.example/x.mp3?updated=1")
    var now = Self.episode("One", guid: "h", url: "http://pdst.fm/e/a.example/x.mp3?updated=2")
    #expect(matched([now], known: [old]) == ["One"])
    now.title = "One, corrected"
    #expect(matched([now], known: [old]) == [nil])
    now.enclosure.url = old.enclosure.url
    #expect(matched([now], known: [old]) == ["One"])
    now.date = Date(timestamp: "2024-01-02T05:00:00Z")
    #expect(matched([now], known: [old]) == [nil])
  }

  @Test("one address for all episodes names none of them") func sharedAddress() {
    let old = (1...3).map {
      Self.episode("Part \($0)", guid: "g\($0)", url: "https://a.example/play?id=\($0)")
    }
    let now = (2...4).map {
      Self.episode("Part \($0)", guid: "h\($0)", url: "https://a.example/play?id=\($0)")
    }
    #expect(matched(now, known: old) == ["Part 2", "Part 3", nil])
  }

  @Test("a lookup's episode and a feed's are one") func lookupAndFeed() {
    let lookup = Podcast(id: 1, title: "P", feedURL: "https://www.feeds.example/p/")
    let feed = Podcast(title: "P!", feedURL: "http://Feeds.example/p")
    let old = Self.episode(
      "One &amp; All", id: 5, url: "https://chrt.fm/track/1/a.example/x.mp3", duration: 60)
    let now = Self.episode("One & all.", guid: "g", url: "https://a.example/x.mp3?y", duration: 90)
    #expect(
      matched([now], known: [old], listedPodcast: feed, knownPodcast: lookup) == ["One &amp; All"])
    #expect(
      matched([old], known: [now], listedPodcast: lookup, knownPodcast: feed) == ["One & all."])
    #expect(matched([Self.episode("Other", id: 5)], known: [old]) == ["One &amp; All"])
    #expect(matched([Self.episode("One & All")], known: [old]) == ["One &amp; All"])
    #expect(matched([Self.episode("One & All", nil)], known: [old]) == [nil])
  }

  @Test("a moved feed needs two equal properties, another podcast never matches") func movedFeed() {
    let old = Podcast(title: "News", feedURL: "https://a.example/feed")
    let moved = Podcast(title: "NEWS", feedURL: "https://b.example/rss")
    let known = Self.episode("One", guid: "1", url: "https://a.example/1.mp3")
    let same = Self.episode("One", guid: "1", url: "https://b.example/9.mp3")
    let other = Self.episode(
      "Other", "2023-01-01T05:00:00Z", guid: "1", url: "https://b.example/9.mp3")
    func matched(_ listed: Episode, _ one: Podcast, _ two: Podcast) -> [String?] {
      self.matched([listed], known: [known], listedPodcast: one, knownPodcast: two)
    }
    #expect(matched(same, moved, old) == ["One"])
    #expect(matched(other, moved, old) == [nil])
    #expect(matched(same, Podcast(title: "Else", feedURL: "https://b.example/rss"), old) == [nil])
    #expect(matched(same, Podcast(id: 1, title: "P"), Podcast(id: 2, title: "P")) == [nil])
    #expect(matched(same, Podcast(id: 1, title: "P"), Podcast(title: "P")) == ["One"])
    #expect(matched(other, Podcast(title: "P"), Podcast(title: "P")) == [nil])
  }

  @Test("two episodes of one title and day stay two") func twins() {
    let twins = ["a", "b"].map { (guid: String) in
      Self.episode("Trailer", guid: guid, url: "https://a.example/\(guid)/audio.mp3")
    }
    #expect(matched(twins, known: [twins[0]]) == ["Trailer", nil])
    let bare = twins.map { Self.episode($0.title, url: $0.enclosure.url) }
    #expect(matched(bare, known: [bare[1]]) == [nil, "Trailer"])
  }

  @Test("a repeated guid means two episodes, in any order") func repeatedGuid() {
    let all = (1...3).map {
      Self.episode(
        "Meeting \($0)", "2024-01-0\($0)T05:00:00Z", guid: "g", url: "https://a.example/m\($0).mp3")
    }
    #expect(matched(all, known: []) == [nil, nil, nil])
    let podcast = Podcast(id: 1, title: "P")
    let keys = EpisodeKeys(of: all, podcast: podcast, known: [])
    let reversed = EpisodeKeys(of: all.reversed(), podcast: podcast, known: [])
    for episode in all {
      #expect(
        keys.key(podcast: podcast, episode: episode)
          == reversed.key(podcast: podcast, episode: episode))
    }
    #expect(
      keys.key(podcast: podcast, episode: all[0])
        == EpisodeIdentity.key(podcast: podcast, episode: all[0]))
    #expect(matched(all, known: [all[1]]) == [nil, "Meeting 2", nil])
    var corrected = all[0]
    corrected.title = "Meeting"
    let twice = EpisodeKeys(of: [all[0], corrected], podcast: podcast, known: [])
    #expect(
      twice.key(podcast: podcast, episode: corrected)
        == twice.key(podcast: podcast, episode: all[0]))
  }

  @Test("very many episodes with one guid, title, address or all of it are matched quickly")
  func crowd() {
    let count = 2_000
    let shapes: [(Int) -> Episode] = [
      { Self.episode("News", nil, url: "https://a.example/\($0 % 2)?\($0)") },
      { Self.episode("News", nil, guid: "g", url: "https://a.example/\($0)") },
      { Self.episode("News \($0)", guid: "g", url: "https://a.example/latest") },
      { Self.episode("News", guid: "\($0)", url: "https://a.example/latest") },
      { Self.episode("\($0)", url: "https://a.example/latest") },
      { _ in Self.episode("News", guid: "g", url: "https://a.example/latest") },
    ]
    for shape in shapes {
      let known = (0..<count).map {
        EpisodeMatching.Known(key: "\($0)", episode: shape($0))
      }
      let start = ContinuousClock.now
      let others = EpisodeMatching((count..<(2 * count)).map(shape), known: known)
      let listed = (0..<count).map(shape)
      let again = EpisodeKeys(of: listed, podcast: Podcast(title: "P"), known: known)
      // In proportion to the square it would be many minutes.
      #expect(.now - start < .seconds(60))
      #expect(others.matches.count == count)
      #expect(again.known.count == Set(listed).count)
    }
  }
}
