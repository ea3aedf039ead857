import PodcastKit

/// The table of `list`: the library's episodes, in groups or not, and what they come to.
struct LocalEpisodeTable: Sendable {
  /// How statuses are written.
  let status: StatusText
  /// The cells that a line may take; nil is no limit.
  let window: Int?

  /// The episodes in one table; empty when there are none.
  func text(_ episodes: [LocalEpisode]) -> String {
    guard !episodes.isEmpty else { return "" }
    let layout = layout(namesPodcast: Self.haveSeveralPodcasts(episodes))
    var table = layout.emptyTable
    layout.add(episodes, to: &table)
    return table.text(window: window) + totalLine(episodes)
  }

  /// The groups, each under its heading; empty when there are none.
  func text(_ groups: [ListGroup], by kind: ListGroup.Kind) -> String {
    guard !groups.isEmpty else { return "" }
    let episodes = groups.flatMap(\.episodes)
    let layout = layout(namesPodcast: kind != .podcast && Self.haveSeveralPodcasts(episodes))
    var table = layout.emptyTable
    for group in groups {
      table.addHeading("\(group.title): \(Self.total(group.episodes))")
      layout.add(group.episodes, to: &table)
    }
    return table.text(window: window) + totalLine(episodes)
  }

  /// How many episodes there are, their bytes on the disk, and how many are not complete.
  static func total(_ episodes: [LocalEpisode]) -> String {
    // Sparse files may claim any size, and a sum must not overflow.
    let bytes = episodes.reduce(Int64(0)) { sum, episode in
      let (next, overflow) = sum.addingReportingOverflow(episode.bytes)
      return overflow ? .max : next
    }
    var parts = [EventText.episodes(episodes.count), ByteText.size(bytes)]
    for status in [LocalEpisode.Status.partial, .missing] {
      let count = episodes.count { $0.status == status }
      if count > 0 { parts.append("\(count) \(status.rawValue)") }
    }
    return parts.joined(separator: ", ")
  }
}

extension LocalEpisodeTable {
  private func layout(namesPodcast: Bool) -> TableLayout<LocalEpisode> {
    typealias Column = TableLayout<LocalEpisode>.Column
    var columns = [
      Column(column: .init(title: status.isShort ? "" : "Status"), cell: { status.text($0) }),
      Column(
        column: .init(title: "Date"),
        cell: { $0.plan.episode.date.map { CivilDay($0).description } ?? "" }),
      Column(column: .init(title: "Title", mayShrink: true), cell: { $0.plan.episode.title }),
    ]
    if namesPodcast {
      columns.append(
        Column(
          column: .init(title: "Podcast", mayShrink: true), narrowestWindow: 60,
          cell: { $0.plan.podcast.title }))
    }
    columns += [
      Column(
        column: .init(title: "Duration", alignment: .right),
        narrowestWindow: namesPodcast ? 96 : 72,
        cell: { $0.plan.episode.duration.map(DurationText.clock) ?? "" }),
      Column(
        column: .init(title: "Size", alignment: .right), narrowestWindow: 40,
        cell: { $0.status == .missing ? "" : ByteText.size($0.bytes) }),
    ]
    return TableLayout(columns, window: window)
  }

  private func totalLine(_ episodes: [LocalEpisode]) -> String {
    let total = Self.total(episodes)
    return "\n\(window.map { TerminalText.truncated(total, to: $0) } ?? total)\n"
  }

  private static func haveSeveralPodcasts(_ episodes: [LocalEpisode]) -> Bool {
    guard let first = episodes.first?.plan.podcast.identity else { return false }
    return episodes.contains { $0.plan.podcast.identity != first }
  }
}
