import PodcastKit

/// The table of `list`: the library's episodes, in groups or not, and what they come to.
struct LocalEpisodeTable: Sendable {
  /// How statuses are written.
  let status: StatusText
  /// The cells that a line may take; nil is no limit.
  let window: Int?
  /// Whether each episode's id and path stand below it.
  var isDetailed = false

  /// The episodes in one table; empty when there are none.
  func text(_ episodes: [LocalEpisode]) -> String {
    guard !episodes.isEmpty else { return "" }
    let layout = layout(episodes, namesPodcast: Self.haveSeveralPodcasts(episodes))
    var table = layout.emptyTable
    layout.add(episodes, to: &table, detail: detail)
    return withTotal(table, episodes)
  }

  /// The groups, each under its heading; empty when there are none.
  func text(_ groups: [ListGroup], by kind: ListGroup.Kind) -> String {
    guard !groups.isEmpty else { return "" }
    let episodes = groups.flatMap(\.episodes)
    let layout = layout(
      episodes, namesPodcast: kind != .podcast && Self.haveSeveralPodcasts(episodes))
    var table = layout.emptyTable
    for group in groups {
      table.addHeading("\(group.title): \(Self.total(group.episodes))")
      layout.add(group.episodes, to: &table, detail: detail)
    }
    return withTotal(table, episodes)
  }

  /// How many episodes there are, their bytes on the disk unless all were removed, and how many are
  /// not complete.
  static func total(_ episodes: [LocalEpisode]) -> String {
    var parts = [EventText.episodes(episodes.count)]
    if episodes.contains(where: { $0.status != .removed }) {
      parts.append(ByteText.size(ByteSum.of(episodes.map(\.bytes))))
    }
    for status in [LocalEpisode.Status.partial, .missing] {
      let count = episodes.count { $0.status == status }
      if count > 0 { parts.append("\(count) \(status.rawValue)") }
    }
    return parts.joined(separator: ", ")
  }
}

extension LocalEpisodeTable {
  private func layout(
    _ episodes: [LocalEpisode], namesPodcast: Bool
  ) -> TableLayout<LocalEpisode> {
    typealias Column = TableLayout<LocalEpisode>.Column
    var columns = [
      Column(column: .init(title: status.isShort ? "" : "Status"), cell: { status.text($0) })
    ]
    if episodes.contains(where: \.isStarred) {
      columns.append(Column(column: .init(title: ""), cell: { status.star($0) }))
    }
    columns += [
      Column(
        column: .init(title: "Date"),
        cell: { $0.plan.episode.date.map { CivilDay($0).description } ?? "" }),
      Column(column: .init(title: "Title", mayShrink: true), cell: { $0.plan.episode.title }),
    ]
    if namesPodcast {
      columns.append(
        Column(
          column: .init(title: "Podcast", mayShrink: true), narrowestWindow: 76,
          cell: { $0.plan.podcast.title }))
    }
    columns += [
      Column(
        column: .init(title: "Duration", alignment: .right),
        narrowestWindow: namesPodcast ? 96 : 72,
        cell: { $0.plan.episode.duration.map(DurationText.clock) ?? "" }),
      Column(
        column: .init(title: "Size", alignment: .right), narrowestWindow: 40,
        cell: { $0.status.hasBytes ? ByteText.size($0.bytes) : "" }),
    ]
    return TableLayout(columns, window: window)
  }

  /// What commands take to name the episode, and where it lies.
  private func detail(_ local: LocalEpisode) -> String? {
    guard isDetailed else { return nil }
    let name = local.plan.episode.id.map { String($0) } ?? local.plan.episode.guid
    return name.map { "\($0)  \(local.path)" } ?? local.path
  }

  private func withTotal(_ table: Table, _ episodes: [LocalEpisode]) -> String {
    let total = Self.total(episodes)
    var text = table.text(window: window)
    text += "\n\(window.map { TerminalText.truncated(total, to: $0) } ?? total)\n"
    return text
  }

  private static func haveSeveralPodcasts(_ episodes: [LocalEpisode]) -> Bool {
    guard let first = episodes.first?.plan.podcast.identity else { return false }
    return episodes.contains { $0.plan.podcast.identity != first }
  }
}

extension LocalEpisode.Status {
  /// Whether some of the episode lies in its place.
  fileprivate var hasBytes: Bool { self == .complete || self == .partial }
}
