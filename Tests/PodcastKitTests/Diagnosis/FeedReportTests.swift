import PodcastFeeds
import PodcastKit
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@Suite("The report about a feed") struct FeedReportTests {
  private func document(_ guids: [String?]) -> FeedDocument {
    var document = FeedDocument(podcast: Podcast(title: "The Feed"), format: .rss)
    document.episodes = guids.enumerated().map { place, guid in
      Episode(
        guid: guid, title: "Number \(place)",
        enclosure: Enclosure(url: "https://one.example/\(place).mp3"))
    }
    return document
  }

  private func answer(_ fields: [HTTPField] = [], hops: [RedirectHop] = []) -> ProbeAnswer {
    let head = ResponseHead(status: 200, fields: fields)
    return ProbeAnswer(
      hops: hops, url: "https://one.example/feed", end: TransferEnd(.complete, head: head))
  }

  private func advice(
    _ guids: [String?] = ["a"], _ plain: ProbeAnswer? = nil,
    _ repetition: FeedObservations.Repetition = .untested,
    _ change: (inout FeedDocument) -> Void = { _ in }
  ) -> [FeedAdvice] {
    var document = document(guids)
    change(&document)
    return FeedReport(
      FeedObservations(
        source: "https://one.example/feed", url: FeedURL("https://one.example/feed"), plain: plain,
        document: document, repetition: repetition)
    ).advice
  }

  @Test("how an unchanged feed is checked") func conditions() {
    let tagged = answer([HTTPField("ETag", "\"1\"")])
    #expect(advice(["a"], tagged, .notModified) == [.asksConditionally])
    #expect(advice(["a"], tagged, .sameBytes) == [.fetchesAgain(hasValidators: true)])
    #expect(advice(["a"], tagged, .otherBytes) == [.parsesAgain])
    #expect(advice(["a"], tagged, .untested) == [])
    #expect(advice(["a"], answer()) == [.fetchesAgain(hasValidators: false)])
    #expect(advice(["a"]) == [], "a file is not checked")
  }

  @Test("only the leading run of permanent redirects moves a subscription") func moves() {
    func moved(_ statuses: [Int]) -> String? {
      let hops = statuses.enumerated().map { place, status in
        RedirectHop(url: "https://\(place).example/", status: status, target: "\(place + 1)")
      }
      return FeedReport(
        FeedObservations(source: "", plain: answer(hops: hops), document: document(["a"]))
      ).movedTo
    }
    #expect(moved([]) == nil)
    #expect(moved([301]) == "1")
    #expect(moved([308, 301, 302, 301]) == "2")
    #expect(moved([302, 301]) == nil)
  }

  @Test("guids that are missing or repeated") func guids() {
    #expect(advice(["a", nil, nil]) == [.identifiesByAddress(2)])
    #expect(advice(["a", "a", "b", "a"]) == [.distinguishesGUIDs(2)])
  }

  @Test("a feed that broke off, and one without episodes") func obstacles() {
    let error = PodgetError(.decoding, "The feed is cut short.")
    #expect(
      advice(["a"], answer([HTTPField("ETag", "\"1\"")]), .notModified) { $0.error = error }
        == [.cannotRead(error), .usesWhatCame(1)])
    guard case .cannotRead(let none)? = advice([]).first else {
      Issue.record("a feed without episodes can be read")
      return
    }
    #expect(none.code == .notFound)
  }

  @Test("what a feed says about itself") func statements() {
    let new: FeedURL = "https://two.example/feed"
    #expect(
      advice { document in
        document.newFeedURL = new
        document.nextPage = FeedURL("https://one.example/feed?page=2")
        document.isComplete = true
        document.unplayableCount = 3
      } == [
        .followsAnnouncement(to: new), .readsPages, .isComplete, .ignoresUnplayable(3),
      ])
    #expect(advice { $0.newFeedURL = FeedURL("https://one.example/feed") } == [])
  }
}
