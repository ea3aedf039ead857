import FoundationEssentials
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastLibrary

@Suite("What a person said of podcasts") struct PodcastFactsTests {
  private func podcast(_ title: String, _ feed: String, id: Int64? = nil) -> Podcast {
    Podcast(id: id, title: title, feedURL: FeedURL("https://\(feed).example/feed"))
  }

  private func key(_ podcast: Podcast) throws -> EpisodeKey {
    try #require(EpisodeKey(EpisodeIdentity.key(of: podcast)))
  }

  private func said(_ podcast: Podcast, at time: Int64) throws -> PodcastFact {
    var fact = PodcastFact(try key(podcast), names: [podcast])
    fact.written = RecordTime(microseconds: time)
    return fact
  }

  @Test("the last word counts, in whatever order the lines of two machines come")
  func order() throws {
    var random = SeededGenerator(seed: 7)
    let podcasts = (0..<4).map { podcast("P\($0)", "p\($0)", id: $0 == 0 ? 1 : nil) }
    for _ in 1...200 {
      var facts: [PodcastFact] = []
      for _ in 1...12 {
        let own = Int.random(in: 0..<4, using: &random)
        var fact = try said(podcasts[own], at: Int64.random(in: 1...8, using: &random))
        let value = ["X", "Y", nil].randomElement(using: &random) ?? nil
        switch Int.random(in: 0..<3, using: &random) {
        case 0: fact.title = .init(value)
        case 1: fact.folder = .init(value)
        default:
          let other = Int.random(in: 0..<4, using: &random)
          fact.into = .init(value == nil ? nil : try key(podcasts[other]))
        }
        facts.append(fact)
      }
      let first = PodcastFacts(facts)
      let again = PodcastFacts(facts.shuffled(using: &random) + facts.suffix(3))
      for one in podcasts {
        #expect(first.corrected(one) == again.corrected(one))
        for other in podcasts { #expect(first.areOne(one, other) == again.areOne(one, other)) }
      }
      // Each is part of one whole, however they were merged.
      for one in podcasts {
        for other in podcasts where first.areOne(one, other) {
          #expect(first.wholeKey(of: one) == first.wholeKey(of: other))
        }
      }
    }
  }

  @Test("a podcast is found by its id and its addresses, and not by its title")
  func found() throws {
    var fact = PodcastFact(
      try key(podcast("Now", "new")),
      names: [podcast("Then", "old"), podcast("Now", "new", id: 5)])
    fact.title = .init("Mine")
    fact.written = RecordTime(microseconds: 10)
    let facts = PodcastFacts([fact])
    func title(_ podcast: Podcast) -> String { facts.corrected(podcast).shownTitle }
    #expect(title(podcast("Now", "new")) == "Mine")
    #expect(title(podcast("Retitled", "new")) == "Mine")
    #expect(title(podcast("Anything", "elsewhere", id: 5)) == "Mine")
    #expect(title(podcast("Then", "old")) == "Mine")
    // Another show is there by now, and Apple's id decides.
    #expect(title(podcast("Another", "old")) == "Another")
    #expect(title(podcast("Now", "new", id: 6)) == "Now")
    #expect(title(podcast("Now", "elsewhere")) == "Now")
    #expect(title(Podcast(title: "Now")) == "Now")
    #expect(facts.corrected(podcast("Now", "new")).title == "Now")
  }

  @Test("a part has the title and the folder of the whole, and its own ones again after that")
  func merged() throws {
    let (a, b, c) = (podcast("A", "a"), podcast("B", "b"), podcast("C", "c"))
    var (first, second, third) = (try said(a, at: 1), try said(b, at: 2), try said(c, at: 3))
    first.title = .init("Own")
    first.into = .init(try key(b))
    second.into = .init(try key(c))
    third.folder = .init("Folder")
    let facts = PodcastFacts([first, second, third])
    #expect(facts.corrected(a).correction == PodcastCorrection(title: "C", folder: "Folder"))
    #expect(facts.corrected(c).correction == PodcastCorrection(folder: "Folder"))
    #expect(facts.areOne(a, c) && facts.areOne(a, b))
    #expect(facts.path(from: try key(a)) == [try key(a), try key(b), try key(c)])
    var undo = PodcastFact(try key(a), names: [])
    undo.into = .init(nil)
    undo.written = RecordTime(microseconds: 4)
    let two = PodcastFacts([undo, third, second, first])
    #expect(two.corrected(a).correction == PodcastCorrection(title: "Own"))
    #expect(!two.areOne(a, b) && two.areOne(b, c))
  }

  @Test("two keys that two machines gave one podcast are one")
  func twoKeys() throws {
    let (then, now, other) = (podcast("A", "old"), podcast("A", "new"), podcast("B", "b"))
    var (first, second) = (try said(then, at: 1), try said(now, at: 2))
    // One machine knows where it was before; the other one merged it before it moved.
    var moved = PodcastFact(try key(then), names: [then, now])
    moved.written = RecordTime(microseconds: 3)
    first.into = .init(try key(other))
    second.title = .init("Own")
    let facts = [first, second, moved, try said(other, at: 1)]
    for lines in [facts, facts.reversed()] {
      let facts = PodcastFacts(lines)
      #expect(facts.areOne(now, other) && facts.areOne(then, other))
      #expect(facts.corrected(now).shownTitle == "B")
    }
    var undo = PodcastFact(try key(now), names: [])
    undo.into = .init(nil)
    undo.written = RecordTime(microseconds: 4)
    let two = PodcastFacts(facts + [undo])
    #expect(!two.areOne(now, other))
    #expect(two.corrected(then).shownTitle == "Own")
    // Two ids are two podcasts, whatever address they have.
    var one = try said(podcast("C", "c", id: 1), at: 1)
    let another = try said(podcast("C", "c", id: 2), at: 1)
    one.title = .init("One")
    #expect(PodcastFacts([one, another]).corrected(podcast("C", "c", id: 2)).shownTitle == "C")
  }

  @Test("lines of a newer podget count as far as they are known, and stay; copies are read too")
  func file() throws {
    let folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    let a = podcast("A", "a")
    var title = PodcastFact(try key(a), names: [a])
    title.title = .init("T")
    try library.say([title], after: try library.podcastFacts())
    let name = "library/.podget/podcasts.ndjson"
    let line = String(decoding: try folder.read(name), as: UTF8.self)
    let newer = line.replacing(#""version":1"#, with: #""version":9,"mood":"x""#)
      .replacing(#""title":"T","version""#, with: #""title":"N","version""#)
    let bytes = Array((line + newer + "torn {\n").utf8)
    try folder.write(name, bytes)
    var undo = PodcastFact(try key(a), names: [a])
    undo.folder = .init("F")
    try library.say([undo], after: try library.podcastFacts())
    #expect(Array(try folder.read(name).prefix(bytes.count)) == bytes)
    try folder.write(
      "library/.podget/podcasts.sync-conflict-20260101-120000-ABCDEFG.ndjson",
      Array(line.replacing("\"T\"", with: "\"Z\"").utf8))
    #expect(try library.podcastFacts().corrected(a).correction.folder == "F")
    #expect(try library.podcastFacts().corrected(a).correction.title == "Z")
  }

  @Test(
    "values that podget never writes are refused",
    arguments: [
      #""folder":"a/b""#, #""folder":"..""#, #""title":"""#, #""moves":["../x"]"#,
      #""into":"x""#, #""written":"never""#,
    ])
  func refused(member: String) throws {
    let key = String(repeating: "a", count: 32)
    let time = member.contains("written") ? "" : #","written":"2026-01-01T00:00:00.000001Z""#
    let line = #"{"version":1,"key":"\#(key)"\#(time),\#(member)}"#
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(PodcastFact.self, from: Data(line.utf8))
    }
    let right = #"{"version":1,"key":"\#(key)","written":"2026-01-01T00:00:00.000001Z"}"#
    _ = try JSONDecoder().decode(PodcastFact.self, from: Data(right.utf8))
  }
}
