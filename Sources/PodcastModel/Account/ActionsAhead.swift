/// The actions of devices whose clocks are ahead: each counts as said when it was received first, or it
/// would undo everything that is said until its time has come.
package struct ActionsAhead: Sendable {
  /// The most actions of one episode that are remembered, and the most episodes.
  private static let (mostTimes, mostEpisodes) = (8, 20_000)

  private var all: [String: [Int64]]
  private let now: Int64

  /// - Parameters:
  ///   - times: of episodes by their keys, in turn: the time that was said, and when it was received.
  ///   - now: in seconds since 1970 (UTC).
  package init(_ times: [String: [Int64]], at now: Int64) { (all, self.now) = (times, now) }

  /// An action with the time that counts.
  package mutating func received(_ state: EpisodeAction.State, of key: String)
    -> EpisodeAction.State
  {
    var (state, times) = (state, all[key] ?? [])
    if let place = stride(from: 1, to: times.count, by: 2).first(where: {
      times[$0 - 1] == state.time
    }) {
      state.time = min(times[place], now)
    } else if state.time > now {
      times += [state.time, now]
      if all[key] != nil || all.count < Self.mostEpisodes {
        all[key] = times.suffix(2 * Self.mostTimes)
      }
      state.time = now
    }
    return state
  }

  /// What is to be remembered: times later than one that the server lists no more; nil for nothing.
  package func times(since time: Int64) -> [String: [Int64]]? {
    let kept = all.filter { $0.value.contains { $0 > time } }
    return kept.isEmpty ? nil : kept
  }
}
