import PodcastKit

/// The table of `show`: a podcast's heading and its episodes as published.
struct PublishedEpisodeTable: Sendable {
  /// How statuses are written.
  let status: StatusText
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle

  /// The heading, and the episodes below it, if any.
  func text(_ podcast: Podcast, _ episodes: [PublishedEpisode]) -> String {
    let heading = heading(podcast).enumerated().map { place, line in
      let line = window.map { style.truncated(line, to: $0) } ?? line
      return style.styled(line, place == 0 ? .bold : .plain) + "\n"
    }
    guard !episodes.isEmpty else { return heading.joined() }
    var table = layout.emptyTable
    layout.add(episodes, to: &table)
    return heading.joined() + "\n" + table.text(window: window)
  }

  /// Title and author, then other identification of the podcast, one per line.
  private func heading(_ podcast: Podcast) -> [String] {
    var facts: [String] = []
    if let count = podcast.episodeCount { facts.append(EventText.episodes(count)) }
    if let id = podcast.id { facts.append("id \(id)") }
    return [
      EventText.heading(podcast, style), facts.joined(separator: ", "),
      podcast.feedURL.map { TerminalText.safe($0.redacted) } ?? "",
    ].filter { !$0.isEmpty }
  }
}

extension PublishedEpisodeTable {
  private var layout: TableLayout<PublishedEpisode> {
    typealias Column = TableLayout<PublishedEpisode>.Column
    return TableLayout(
      [
        Column(
          column: .init(title: status.isShort ? "" : "Status"), cell: { status.text($0.local) },
          look: { StatusText.look($0.local?.status) }),
        Column(
          column: .init(title: "Date"),
          cell: { $0.episode.date.map { CivilDay($0).description } ?? "" }),
        Column(column: .init(title: "Title", mayShrink: true), cell: { $0.episode.title }),
        Column(
          column: .init(title: "Duration", alignment: .right), narrowestWindow: 56,
          cell: { $0.episode.duration.map(DurationText.clock) ?? "" }),
        Column(
          column: .init(title: "Size", alignment: .right), narrowestWindow: 72,
          cell: { $0.size.map(ByteText.size) ?? "" }),
        Column(
          column: .init(title: "ID"), narrowestWindow: 96,
          cell: { $0.episode.id.map { String($0) } ?? $0.episode.guid ?? "" }),
      ], window: window, style: style)
  }
}
