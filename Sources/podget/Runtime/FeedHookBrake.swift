import PodcastKit

/// Bounds how many commands follow changes of feeds: when the server of thousands fails, each of them
/// begins to fail, and a command for each would take hours.
struct FeedHookBrake: Sendable {
  /// How many commands run for changes of one kind in an hour.
  static let most = 20
  private static let time = Duration.seconds(3600)

  private struct Window: Sendable {
    var start: ContinuousClock.Instant
    var count = 0
  }

  private var windows: [String: Window] = [:]
  private var leftOut: [(event: String, count: Int)] = []

  /// Whether a command follows a change; one that does not is counted.
  mutating func allows(_ change: FeedChange, at now: ContinuousClock.Instant) -> Bool {
    var window = windows[change.event] ?? Window(start: now)
    if now - window.start >= Self.time { window = Window(start: now) }
    window.count += 1
    windows[change.event] = window
    guard window.count > Self.most else { return true }
    if let place = leftOut.firstIndex(where: { $0.event == change.event }) {
      leftOut[place].count += 1
    } else {
      leftOut.append((change.event, 1))
    }
    return false
  }

  /// A sentence for each kind of which changes were left out since the last call.
  mutating func takeSentences() -> [String] {
    defer { leftOut = [] }
    return leftOut.map { event, count in
      let feeds = count == 1 ? "1 more feed is" : "\(count) more feeds are"
      return "after-feed runs for \(Self.most) feeds in an hour: \(feeds) \(event)."
    }
  }
}
