import FoundationEssentials
import PodcastKit

/// The table of `subscriptions`.
struct SubscriptionTable: Sendable {
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle

  /// The podcasts in their order; empty when there are none.
  func text(_ podcasts: [FollowedPodcast]) -> String {
    guard !podcasts.isEmpty else { return "" }
    var table = layout.emptyTable
    layout.add(podcasts, to: &table) { podcast in
      if let error = podcast.lastError {
        let sentence = AddressRedaction.shown(in: error.sentence)
        guard podcast.failures > 1, let since = podcast.failingSince else { return sentence }
        return "Failing since \(CivilDay(since)) (\(podcast.failures) checks): \(sentence)"
      }
      if let until = podcast.deferredUntil {
        return "Its server wants no request before \(until.timestamp)."
      }
      let name = podcast.subscription.name
      if let address = podcast.waitingMove {
        return podcast.subscription.hasLogin
          ? "Its feed has moved to \(address); podget subscribe --accept-move \(name) takes it and its "
            + "login there."
          : "Its feed says that it has moved to \(address), where another podcast is followed; podget "
            + "subscribe --accept-move \(name) makes them one."
      }
      guard podcast.waiting > 0 else { return nil }
      let episodes =
        podcast.waiting == 1 ? "1 new episode waits" : "\(podcast.waiting) new episodes wait"
      return
        "\(episodes); podget sync \(name) --accept downloads \(podcast.waiting == 1 ? "it" : "them")."
    }
    return table.text(window: window)
  }

  private var layout: TableLayout<FollowedPodcast> {
    typealias Column = TableLayout<FollowedPodcast>.Column
    return TableLayout(
      [
        Column(column: .init(title: "Name", mayShrink: true), cell: { $0.subscription.name }),
        Column(column: .init(title: "Title", mayShrink: true), cell: { $0.subscription.title }),
        Column(
          column: .init(title: "Status"), cell: { $0.status.rawValue },
          look: { $0.status == .active ? .green : $0.status == .failing ? .red : .yellow }),
        Column(
          column: .init(title: "Checked"), narrowestWindow: 60, cell: { Self.day($0.lastChecked) }),
        Column(column: .init(title: "New"), narrowestWindow: 72, cell: { Self.day($0.lastNew) }),
        Column(
          column: .init(title: "Next"), narrowestWindow: 84, cell: { Self.time($0.nextCheck) }),
        Column(
          column: .init(title: "Settings", mayShrink: true), narrowestWindow: 100,
          cell: { Self.settings($0.subscription.settings) }),
      ], window: window, style: style)
  }

  /// The minute, in UTC: `2024-03-01 06:30`.
  private static func time(_ date: Date?) -> String {
    date.map { "\($0.timestamp.prefix(16))".replacing("T", with: " ") } ?? ""
  }

  private static func day(_ date: Date?) -> String { date.map { "\(CivilDay($0))" } ?? "" }

  private static func settings(_ settings: SubscriptionSettings) -> String {
    settings.all.filter { $0.name != .user && $0.name != .passwordCommand }.map { name, text in
      name == .all || name == .paused ? name.rawValue : "\(name.rawValue)=\(text)"
    }.joined(separator: " ")
  }
}
