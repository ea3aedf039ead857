import PodcastKit

/// The table of `search`: podcasts with the ids that other commands take.
struct FoundPodcastTable: Sendable {
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle

  /// The podcasts in their order; empty when there are none.
  func text(_ podcasts: [Podcast]) -> String {
    var table = layout.emptyTable
    layout.add(podcasts, to: &table)
    return table.text(window: window)
  }

  private var layout: TableLayout<Podcast> {
    typealias Column = TableLayout<Podcast>.Column
    return TableLayout(
      [
        Column(
          column: .init(title: "ID", alignment: .right), cell: { $0.id.map { String($0) } ?? "" }),
        Column(column: .init(title: "Title", mayShrink: true), cell: { $0.title }),
        Column(
          column: .init(title: "Author", mayShrink: true), narrowestWindow: 60,
          cell: { $0.author ?? "" }),
        Column(
          column: .init(title: "Episodes", alignment: .right), narrowestWindow: 48,
          cell: { $0.episodeCount.map { String($0) } ?? "" }),
      ], window: window, style: style)
  }
}
