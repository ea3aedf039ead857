import BrowseScreen
import PodcastBrowse
import Synchronization

/// Events on their way to the thread that draws.
///
/// Of the states of an episode only the newest unread one is kept, so a terminal that takes no bytes
/// costs no memory.
final class EventMailbox: Sendable {
  private struct State {
    var events: [BrowseEvent] = []
    /// The places of the unread states, by the episodes' keys.
    var places: [String: Int] = [:]
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup

  /// Creates a mailbox that wakes the thread.
  init(_ wakeup: Wakeup) { self.wakeup = wakeup }

  /// Adds an event.
  func send(_ event: BrowseEvent) {
    state.withLock { state in
      if case .state(let key, let new) = event {
        // A state that says more than how far a download is must be seen.
        if let place = state.places[key], case .running = new,
          case .state(_, .running) = state.events[place]
        {
          state.events[place] = event
          return
        }
        state.places[key] = state.events.endIndex
      }
      state.events.append(event)
    }
    wakeup.signal()
  }

  /// Takes all events.
  func take() -> [BrowseEvent] {
    state.withLock { state in
      defer { state = State() }
      return state.events
    }
  }
}
