import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastModel

@Suite("The stream of events") struct EventChannelTests {
  private static func plan(_ key: String) -> DownloadPlan {
    DownloadPlan(
      key: key, podcast: Podcast(title: "P"),
      episode: Episode(title: key, enclosure: Enclosure(url: "https://a.example/\(key)")),
      folder: "P", stem: key, announcedExtension: "mp3")
  }

  private static func progress(_ key: String, _ received: Int64) -> DownloadEvent {
    DownloadEvent(plan(key), .progress(received: received, total: 100))
  }

  private static func retrying(_ key: String, _ attempt: Int) -> DownloadEvent {
    DownloadEvent(plan(key), .retrying(attempt: attempt, delay: .zero, reason: .network))
  }

  private func drained(_ channel: EventChannel) async -> [DownloadEvent] {
    var events: [DownloadEvent] = []
    for await event in channel.episodes { events.append(event) }
    return events
  }

  @Test("lifecycle events are all kept, in order")
  func order() async {
    let channel = EventChannel()
    let sent = (0..<5000).map { Self.retrying(["a", "b"][$0 % 2], $0) }
    sent.forEach { channel.send(.episode($0)) }
    channel.finish()
    #expect(await drained(channel) == sent)
  }

  @Test("of each episode's unread progress the newest stays")
  func coalescing() async {
    let channel = EventChannel()
    for number in 1...1000 {
      channel.send(.episode(Self.progress("a", Int64(number))))
      channel.send(.episode(Self.progress("b", Int64(-number))))
    }
    channel.send(.episode(DownloadEvent(Self.plan("a"), .paused)))
    channel.finish()
    let expected = [
      Self.progress("a", 1000), Self.progress("b", -1000), DownloadEvent(Self.plan("a"), .paused),
    ]
    #expect(await drained(channel) == expected)
  }

  @Test("progress that was read is not replaced", arguments: [1, 7, 1500])
  func afterTaking(lifecycle: Int) async throws {
    let channel = EventChannel()
    var iterator = channel.episodes.makeAsyncIterator()
    for number in 0..<lifecycle { channel.send(.episode(Self.retrying("b", number))) }
    channel.send(.episode(Self.progress("a", 1)))
    for number in 0..<lifecycle { #expect(await iterator.next() == Self.retrying("b", number)) }
    channel.send(.episode(Self.progress("a", 2)))
    #expect(await iterator.next() == Self.progress("a", 2))
    channel.send(.episode(Self.progress("a", 3)))
    channel.send(.episode(Self.retrying("a", 2)))
    channel.send(.episode(Self.progress("a", 4)))
    // What comes after another event of the episode must not overtake it.
    #expect(await iterator.next() == Self.progress("a", 3))
    #expect(await iterator.next() == Self.retrying("a", 2))
    #expect(await iterator.next() == Self.progress("a", 4))
    channel.finish()
    #expect(await iterator.next() == nil)
  }

  @Test("a consumer that waits gets each event, and then the end")
  func waiting() async throws {
    let channel = EventChannel()
    let consumer = Task { await drained(channel) }
    for number in 0..<200 {
      channel.send(.episode(Self.retrying("a", number)))
      await Task.yield()
    }
    channel.finish()
    #expect(await consumer.value == (0..<200).map { Self.retrying("a", $0) })
  }

  @Test("a cancelled consumer ends, and later events are kept")
  func cancelled() async {
    let channel = EventChannel()
    let consumer = Task { await drained(channel) }
    consumer.cancel()
    #expect(await consumer.value.isEmpty)
    channel.send(.episode(Self.retrying("a", 2)))
    channel.finish()
    #expect(await drained(channel) == [Self.retrying("a", 2)])
  }

  @Test("events of sources keep their order among those of episodes")
  func sources() async {
    let channel = EventChannel()
    channel.send(.episode(Self.progress("a", 1)))
    channel.send(.note("One."))
    channel.send(.episode(Self.progress("a", 2)))
    channel.send(.sourceFailed("b", PodgetError(.network, "Two.")))
    channel.finish()
    var told: [String] = []
    for await event in channel.stream {
      switch event {
      case .episode(let event): told.append("\(event.kind)")
      case .note(let text), .sourceFailed(let text, _): told.append(text)
      case .listing(let podcast, _): told.append(podcast.title)
      case .checked, .checking, .feedFailed, .feedChanged, .feedStillFails, .roundChecked, .removed,
        .belonging:
        Issue.record("No feed is checked here.")
      }
    }
    #expect(told == ["progress(received: 2, total: Optional(100))", "One.", "b"])
  }

  @Test("after the end there are no events") func finished() async {
    let channel = EventChannel()
    channel.finish()
    channel.send(.episode(Self.retrying("a", 2)))
    #expect(await drained(channel).isEmpty)
  }

  @Test("many senders lose nothing, and each one's order stays")
  func concurrent() async {
    let channel = EventChannel()
    let consumer = Task { await drained(channel) }
    await withTaskGroup(of: Void.self) { group in
      for key in ["a", "b", "c", "d"] {
        group.addTask {
          for number in 0..<500 {
            channel.send(.episode(Self.retrying(key, number)))
            channel.send(.episode(Self.progress(key, Int64(number))))
          }
        }
      }
    }
    channel.finish()
    let events = await consumer.value
    for key in ["a", "b", "c", "d"] {
      let attempts = events.compactMap { event -> Int? in
        guard event.plan.episodeKey == EpisodeKey(named: key),
          case .retrying(let attempt, _, _) = event.kind
        else {
          return nil
        }
        return attempt
      }
      #expect(attempts == Array(0..<500))
      let received = events.compactMap { event -> Int64? in
        guard event.plan.episodeKey == EpisodeKey(named: key),
          case .progress(let received, _) = event.kind
        else {
          return nil
        }
        return received
      }
      #expect(received.last == 499)
      #expect(received == received.sorted())
    }
  }
}
