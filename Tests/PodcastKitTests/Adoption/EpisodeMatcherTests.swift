import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("Which episode a file is") struct EpisodeMatcherTests {
  private static func episode(
    _ title: String, _ day: String? = nil, guid: String? = nil, url: String = "",
    duration: Duration? = nil
  ) -> Episode {
    Episode(
      guid: guid ?? title, title: title, date: day.flatMap { Date(timestamp: $0) },
      duration: duration,
      enclosure: Enclosure(url: url.isEmpty ? "https://example.org/\(title).mp3" : url))
  }

  private static let world = PodcastListing(
    podcast: Podcast(id: 1, title: "The Symbolic World"),
    episodes: [
      episode("275 - Michael Legaspi: Subjectivity", "2023-02-16", guid: "g-275"),
      episode("Q&A", "2023-01-01", guid: "g-qa1"), episode("Q&A", "2023-02-01", guid: "g-qa2"),
      episode("Psalms", "2023-03-01", url: "https://cdn.example.org/x/ep-17.mp3?token=1"),
      episode("Long", "2023-04-01", duration: .seconds(7200)),
      episode("A title that is so long that tools cut it somewhere in its middle", "2023-05-01"),
    ])
  private static let other = PodcastListing(
    podcast: Podcast(id: 2, title: "Other"), episodes: [episode("Psalms", "2020-01-01", guid: "o")])

  private static func file(
    _ path: String, sidecar: String? = nil, _ change: (inout FoundFile) -> Void = { _ in }
  ) -> FoundFile {
    var file = FoundFile(path: path, bytes: 1, fileExtension: "mp3")
    file.sidecar = sidecar.flatMap { Sidecar.read(Data($0.utf8)) }
    change(&file)
    return file
  }

  private static func guid(_ file: FoundFile) -> String {
    let index = EpisodeLookup([])
    let matcher = EpisodeMatcher([world, other].map(index.identify))
    switch matcher.verdict(on: file) {
    case .certain(let match): return match.episode.guid ?? ""
    case .ambiguous(let matches): return "\(matches.count) episodes"
    case .unknown(let reason): return reason
    }
  }

  private static let noTitle = "No listed episode has its title or its name."
  private static let contradicted = "The title matches an episode of another date or length."

  @Test(
    "by the names that tools give",
    arguments: [
      // podget, and podcast-archiver as it is
      ("in/The Symbolic World/2023-02-16 - 275 - Michael Legaspi - Subjectivity.mp3", "g-275"),
      // gPodder, with its extension for renaming
      ("in/The Symbolic World/275 - Michael Legaspi Subjectivity.mp3", "g-275"),
      ("in/The_Symbolic_World/2023-02-16-275_-_Michael_Legaspi__Subjectivity.mp3", "g-275"),
      // yt-dlp: a full-width colon, and an id in brackets
      ("in/275 - Michael Legaspi： Subjectivity [a1B2].mp3", "g-275"),
      ("in/20230216 275 - Michael Legaspi Subjectivity.mp3", "g-275"),
      ("in/The Symbolic World - 275 - Michael Legaspi Subjectivity.mp3", "g-275"),
      ("in/2023-02-16 - The Symbolic World - 275 - Michael Legaspi Subjectivity.mp3", "g-275"),
      // podget in bash keeps the server's name
      ("in/ep-17.mp3", "Psalms"), ("in/The Symbolic World/ep-17.mp3", "Psalms"),
      ("in/Other/Psalms.mp3", "o"), ("in/The Symbolic World/Psalms.mp3", "Psalms"),
      ("in/Psalms.mp3", "2 episodes"), ("in/2020-01-01 Psalms.mp3", "o"),
      ("in/The Symbolic World/Q&A.mp3", "2 episodes"),
      ("in/The Symbolic World/2023-02-01 - Q&A.mp3", "g-qa2"),
      ("in/The Symbolic World/2023-01-31 - Q&A.mp3", "g-qa2"),
      ("in/The Symbolic World/2023-03-09 - Q&A.mp3", contradicted),
      (
        "in/A title that is so long that tools cut.mp3",
        "A title that is so long that tools cut it somewhere in its middle"
      ),
      ("in/A title that.mp3", noTitle), ("in/275.mp3", noTitle), ("in/2023-02-16.mp3", noTitle),
    ]) func names(path: String, expected: String)
  {
    #expect(Self.guid(Self.file(path)) == expected)
  }

  @Test("by tags and by metadata files next to the file") func metadata() {
    #expect(Self.guid(Self.file("a.mp3") { $0.tags.guid = "g-qa2" }) == "g-qa2")
    let tagged = Self.file("a.mp3") {
      $0.tags.title = "psalms"
      $0.tags.album = "OTHER"
    }
    #expect(Self.guid(tagged) == "o")
    let dated = Self.file("a.mp3") {
      $0.tags.title = "Q&A"
      $0.tags.date = "2023-01-01T10:00:00"
    }
    #expect(Self.guid(dated) == "g-qa1")
    let archiver = #"{"title":"?","guid":"g-275","id":7,"enclosure":{"href":"https://x"}}"#
    #expect(Self.guid(Self.file("a.mp3", sidecar: archiver)) == "g-275")
    let address = #"{"enclosure":{"href":"http://cdn.example.org/x/ep-17.mp3?token=9"}}"#
    #expect(Self.guid(Self.file("a.mp3", sidecar: address)) == "Psalms")
    let downloader = #"{"title":"Q&A","upload_date":"20230201","playlist_title":"x","id":"9"}"#
    #expect(Self.guid(Self.file("a.mp3", sidecar: downloader)) == "g-qa2")
    #expect(Self.guid(Self.file("a.mp3", sidecar: "not JSON")) == Self.noTitle)
    #expect(Self.guid(Self.file("a.mp3", sidecar: #"{"title":5,"timestamp":"x"}"#)) == Self.noTitle)
  }

  @Test("a very different duration contradicts") func durations() {
    #expect(Self.guid(Self.file("Long.mp3") { $0.duration = .seconds(6900) }) == "Long")
    #expect(
      Self.guid(Self.file("Long.mp3") { $0.duration = .seconds(1200) }) == Self.contradicted)
  }

  @Test("tags of another podcast, and titles that all have, need the day") func otherPodcasts() {
    func guid(_ day: String?, _ change: (inout FoundFile) -> Void) -> String {
      Self.guid(
        Self.file("a.mp3") { file in
          file.tags.date = day
          change(&file)
        })
    }
    let other = "Its tags name a podcast that no source lists: Elsewhere."
    #expect(
      guid(nil) {
        $0.tags.title = "Long"
        $0.tags.album = "Elsewhere"
      } == other)
    #expect(
      guid("2023-04-02") {
        $0.tags.title = "Long"
        $0.tags.album = "Elsewhere"
      } == "Long")
    #expect(
      guid("2023-05-02") {
        $0.tags.title = "Long"
        $0.tags.album = "Elsewhere"
      } == Self.contradicted)
    // The name at a server is no title.
    #expect(
      Self.guid(
        Self.file("2023-03-01 x/ep-17.mp3") {
          $0.tags.album = "Elsewhere"
          $0.tags.date = "2023-03-01"
        }) == other)
  }

  @Test("a tool's own number is not a guid") func numbers() {
    let listing = PodcastListing(
      podcast: Podcast(id: 3, title: "Numbers"),
      episodes: [Self.episode("One", "2024-01-01", guid: "1", url: "https://a.example/p?e=1")])
    let matcher = EpisodeMatcher([EpisodeLookup([]).identify(listing)])
    func status(_ sidecar: String) -> Bool {
      if case .certain = matcher.verdict(on: Self.file("x.mp3", sidecar: sidecar)) { return true }
      return false
    }
    #expect(!status(#"{"id":"1"}"#))
    #expect(!status(#"{"id":"1","title":"Two"}"#))
    #expect(status(#"{"id":"1","upload_date":"20240101"}"#))
    #expect(status(#"{"guid":"1"}"#))
    #expect(!status(#"{"guid":"1","title":"Two","upload_date":"20230101"}"#))
    #expect(status(#"{"url":"http://a.example/p?e=1&utm_medium=x"}"#))
    #expect(!status(#"{"url":"http://a.example/p?e=2"}"#))
  }

  @Test("very many files and episodes are compared quickly") func crowds() {
    let count = 3000
    func episode(_ number: Int) -> Episode {
      Self.episode(
        number % 2 == 0 ? "The news of the hour, as it is read every day" : "News \(number)",
        "2023-02-16", guid: "g", url: "https://a.example/\(number)/news.mp3")
    }
    let listing = PodcastListing(
      podcast: Podcast(id: 3, title: "News"), episodes: (0..<count).map(episode))
    let matcher = EpisodeMatcher([EpisodeLookup([]).identify(listing)])
    let start = ContinuousClock.now
    for number in 0..<count {
      let name = [
        "The news of the hour, as it is read", "news", "2023-02-16 - News", "News \(number)",
      ][number % 4]
      _ = matcher.verdict(on: Self.file("\(number)/\(name).mp3") { $0.tags.guid = "x" })
    }
    // In proportion to the product it would be many minutes.
    #expect(.now - start < .seconds(60))
  }

  @Test("without listings nothing is certain") func nothing() {
    let verdict = EpisodeMatcher([]).verdict(on: Self.file("Psalms.mp3"))
    #expect(verdict == .unknown("No podcast is known for it; name its source."))
  }
}
