import BrowseScreen
import Glibc
import PodcastBrowse
import Testing

@testable import podget

/// Events on their way to the thread that draws.
struct EventMailboxTests {
  private let wakeup: Wakeup
  private let mailbox: EventMailbox

  init() throws {
    wakeup = try #require(Wakeup())
    mailbox = EventMailbox(wakeup)
  }

  private var isAwake: Bool {
    var ready = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 0) == 1
  }

  private func running(_ received: Int64) -> EpisodeState { .running(received: received, total: 9) }

  @Test func `events come in order, once, and wake the thread`() {
    #expect(mailbox.take() == [] && !isAwake)
    let events: [BrowseEvent] = [.message("one"), .state("a", .queued), .message("two")]
    for event in events { mailbox.send(event) }
    #expect(isAwake)
    #expect(mailbox.take() == events)
    #expect(mailbox.take() == [])
    mailbox.send(.message("three"))
    #expect(mailbox.take() == [.message("three")])
  }

  @Test func `of the progress of an episode the newest unread is kept, in the first place`() {
    mailbox.send(.state("a", running(1)))
    mailbox.send(.message("between"))
    mailbox.send(.state("b", running(2)))
    mailbox.send(.state("a", running(3)))
    #expect(
      mailbox.take() == [.state("a", running(3)), .message("between"), .state("b", running(2))])
    // What was taken is read: a newer state is an event of its own.
    mailbox.send(.state("a", running(4)))
    #expect(mailbox.take() == [.state("a", running(4))])
  }

  @Test func `a state that says more than progress is never dropped`() {
    let states: [EpisodeState] = [
      running(1), .paused(received: 1, total: 9), running(1), .complete, running(0),
    ]
    for state in states { mailbox.send(.state("a", state)) }
    #expect(mailbox.take() == states.map { .state("a", $0) })
  }

  @Test func `a terminal that takes nothing costs no memory`() {
    for number in 0..<100_000 { mailbox.send(.state("\(number % 4)", running(Int64(number)))) }
    #expect(mailbox.take().count == 4)
  }
}
