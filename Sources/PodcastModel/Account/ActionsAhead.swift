/// The actions of devices whose clocks are ahead: each counts as said when it was received, or it would
/// undo everything that is said until its time has come.
///
/// Of each episode the latest times that were ahead are kept, and when each was received. A time that
/// has come and is none of these counts as it is.
package struct ActionsAhead: Sendable {
  /// The most episodes of which a pair is kept.
  private static let mostEpisodes = 20_000

  /// The most times of an episode, two numbers each.
  private static let mostTimes = 8

  private var all: [String: [Int64]]
  private let now: Int64

  /// - Parameters:
  ///   - pairs: of episodes by their keys: each time that was said, and when it was received; earlier
  ///     times come first.
  ///   - now: in seconds since 1970 (UTC).
  package init(_ pairs: [String: [Int64]], at now: Int64) {
    (all, self.now) = (pairs.filter { $0.value.count > 1 && $0.value.count % 2 == 0 }, now)
  }

  /// An action with the time that counts. Earlier ones come first.
  package mutating func received(_ state: EpisodeAction.State, of key: String)
    -> EpisodeAction.State
  {
    var (state, times) = (state, all[key] ?? [])
    let places = stride(from: 0, to: times.count, by: 2)
    if let place = places.first(where: { times[$0] == state.time }) {
      state.time = min(times[place + 1], now)
    } else if state.time > now {
      let isFull = times.count >= 2 * Self.mostTimes
      if isFull, state.time < times[0] {
        // It was forgotten, perhaps.
        state.time = min(times[1], now)
      } else if !times.isEmpty || all.count < Self.mostEpisodes {
        times.insert(
          contentsOf: [state.time, now],
          at: places.first { times[$0] > state.time } ?? times.count)
        all[key] = Array(times.dropFirst(isFull ? 2 : 0))
        state.time = now
      } else {
        // It would be said anew at each exchange.
        state.time = 0
      }
    }
    return state
  }

  /// What is to be remembered: times later than one that the server lists no more; nil for nothing.
  package func pairs(since time: Int64) -> [String: [Int64]]? {
    let kept = all.filter { $0.value[$0.value.count - 2] > time }
    return kept.isEmpty ? nil : kept
  }
}
