/// The actions of devices whose clocks are ahead: each counts as said when it was received, or it would
/// undo everything that is said until its time has come.
///
/// Of each episode one pair is kept: the latest time that was ahead, and when it was received. What has
/// a time between the two counts as received then too. Another device that says something in that
/// time counts for as much as the one that is ahead.
package struct ActionsAhead: Sendable {
  /// The most episodes of which a pair is kept.
  private static let mostEpisodes = 20_000

  private var all: [String: [Int64]]
  private let now: Int64

  /// - Parameters:
  ///   - pairs: of episodes by their keys: the time that was said, and when it was received.
  ///   - now: in seconds since 1970 (UTC).
  package init(_ pairs: [String: [Int64]], at now: Int64) {
    (all, self.now) = (pairs.filter { $0.value.count == 2 }, now)
  }

  /// An action with the time that counts. Earlier ones come first.
  package mutating func received(_ state: EpisodeAction.State, of key: String)
    -> EpisodeAction.State
  {
    var (state, pair) = (state, all[key] ?? [0, 0])
    if state.time > pair[1], state.time <= pair[0] {
      state.time = min(pair[1], now)
    } else if state.time > now {
      pair = [state.time, now]
      if all[key] != nil || all.count < Self.mostEpisodes {
        all[key] = pair
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
    let kept = all.filter { $0.value[0] > time }
    return kept.isEmpty ? nil : kept
  }
}
