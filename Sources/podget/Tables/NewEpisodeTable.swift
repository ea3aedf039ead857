import PodcastKit

/// The tables of `new`.
struct NewEpisodeTable: Sendable {
  /// What is new of one podcast.
  private struct Count {
    var podcast: Podcast
    var count: Int
    var newest: UnplayedEpisodes.Element
  }

  /// How statuses are written.
  let status: StatusText
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle

  /// The episodes in their order; empty when there are none.
  func text(_ episodes: [UnplayedEpisodes.Element]) -> String {
    guard !episodes.isEmpty else { return "" }
    typealias Column = TableLayout<UnplayedEpisodes.Element>.Column
    let layout = TableLayout(
      [
        Column(
          column: .init(title: status.isShort ? "" : "Status"), cell: { status.text($0.local) },
          look: { StatusText.look($0.local?.status) }),
        Column(column: .init(title: "Date"), cell: { Self.day($0) }),
        Column(
          column: .init(title: "Podcast", mayShrink: true), narrowestWindow: 56,
          cell: { $0.podcast.shownTitle }),
        Column(column: .init(title: "Title", mayShrink: true), cell: { $0.episode.title }),
        Column(
          column: .init(title: "Duration", alignment: .right), narrowestWindow: 72,
          cell: { $0.episode.duration.map(DurationText.clock) ?? "" }),
      ], window: window, style: style)
    var table = layout.emptyTable
    layout.add(episodes, to: &table)
    return table.text(window: window)
  }

  /// How many episodes each podcast has, the podcast with the newest first.
  func counts(_ episodes: [UnplayedEpisodes.Element]) -> String {
    var counts: [Count] = []
    var numbers: [Int: Int] = [:]
    for episode in episodes {
      if let number = numbers[episode.place] {
        counts[number].count += 1
      } else {
        numbers[episode.place] = counts.count
        counts.append(Count(podcast: episode.podcast, count: 1, newest: episode))
      }
    }
    guard !counts.isEmpty else { return "" }
    typealias Column = TableLayout<Count>.Column
    let layout = TableLayout(
      [
        Column(column: .init(title: "New", alignment: .right), cell: { "\($0.count)" }),
        Column(
          column: .init(title: "Podcast", mayShrink: true), cell: { $0.podcast.shownTitle }),
        Column(column: .init(title: "Newest"), cell: { Self.day($0.newest) }),
      ], window: window, style: style)
    var table = layout.emptyTable
    layout.add(counts, to: &table)
    return table.text(window: window)
  }

  private static func day(_ episode: UnplayedEpisodes.Element) -> String {
    episode.episode.date.map { CivilDay($0).description } ?? ""
  }
}
