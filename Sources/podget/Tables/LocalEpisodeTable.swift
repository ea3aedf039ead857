import FoundationEssentials
import PodcastKit

/// The table of `list`: the library's episodes, in groups or not, and their totals.
struct LocalEpisodeTable: Sendable {
  /// How statuses are written.
  let status: StatusText
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle
  /// Whether each episode's id and path are shown below it.
  var isDetailed = false
  /// Until when removed episodes are in the trash, by their keys.
  var keptUntil: [String: Date] = [:]

  /// Sends the groups in one table, piece by piece, each under its heading; nothing when there are none.
  ///
  /// - Parameter isByPodcast: whether the headings are the podcasts' titles.
  func write<Failure: Error>(
    _ groups: [ListGroup], isByPodcast: Bool = false, send: (String) throws(Failure) -> Void
  ) throws(Failure) {
    guard !groups.isEmpty else { return }
    let episodes = groups.count == 1 ? groups[0].episodes : groups.flatMap(\.episodes)
    guard !episodes.isEmpty else { return }
    // The last group has episodes of all podcasts.
    let named = isByPodcast ? groups.last { $0.isUnfinished }?.episodes ?? [] : episodes
    let layout = layout(episodes, namesPodcast: Self.haveSeveralPodcasts(named))
    var table = layout.emptyTable
    for group in groups {
      if !group.title.isEmpty {
        table.addHeading("\(group.title): \(Self.total(group.episodes))")
      }
      layout.add(group.episodes, to: &table, detail: detail)
    }
    try table.write(window: window, send: send)
    let total = Self.total(episodes)
    try send("\n\(window.map { style.truncated(total, to: $0) } ?? total)\n")
  }

  /// The number of episodes, their bytes on the disk unless all were removed, and how many are not
  /// complete.
  static func total(_ episodes: [LocalEpisode]) -> String {
    var (partial, planned, missing, removed) = (0, 0, 0, 0)
    // One pass for all counts: the processor waits for memory at each episode.
    let bytes = ByteSum.of(
      episodes.lazy.map { episode in
        switch episode.status {
        case .complete: break
        case .partial: partial += 1
        case .planned: planned += 1
        case .missing: missing += 1
        case .removed: removed += 1
        }
        return episode.bytes
      })
    var parts = [EventText.episodes(episodes.count)]
    if removed < episodes.count { parts.append(ByteText.size(bytes)) }
    if partial > 0 { parts.append("\(partial) partial") }
    if planned > 0 { parts.append("\(planned) planned") }
    if missing > 0 { parts.append("\(missing) missing") }
    return parts.joined(separator: ", ")
  }
}

extension LocalEpisodeTable {
  private func layout(
    _ episodes: [LocalEpisode], namesPodcast: Bool
  ) -> TableLayout<LocalEpisode> {
    typealias Column = TableLayout<LocalEpisode>.Column
    var columns = [
      Column(
        column: .init(title: status.isShort ? "" : "Status"), cell: { status.text($0) },
        look: { StatusText.look($0.status) })
    ]
    if episodes.contains(where: \.isStarred) {
      columns.append(
        Column(column: .init(title: ""), cell: { status.star($0) }, look: { _ in .yellow }))
    }
    if episodes.contains(where: { $0.isPlayed || $0.position != nil }) {
      columns.append(Column(column: .init(title: "Played"), cell: StatusText.played))
    }
    columns += [
      Column(
        column: .init(title: "Date"),
        cell: { $0.date.map { CivilDay($0).description } ?? "" }),
      Column(column: .init(title: "Title", mayShrink: true), cell: { $0.title }),
    ]
    if namesPodcast {
      columns.append(
        Column(
          column: .init(title: "Podcast", mayShrink: true), narrowestWindow: 76,
          cell: { $0.podcast.shownTitle }))
    }
    columns += [
      Column(
        column: .init(title: "Duration", alignment: .right),
        narrowestWindow: namesPodcast ? 96 : 72,
        cell: { $0.duration.map(DurationText.clock) ?? "" }),
      Column(
        column: .init(title: "Size", alignment: .right), narrowestWindow: 40,
        cell: { $0.status.hasBytes ? ByteText.size($0.bytes) : "" }),
    ]
    if !keptUntil.isEmpty {
      let keptUntil = keptUntil
      columns.append(
        Column(
          column: .init(title: "In the trash until"), narrowestWindow: 60,
          cell: { keptUntil[$0.key].map { CivilDay($0).description } ?? "" }))
    }
    return TableLayout(columns, window: window, style: style)
  }

  /// The name of the episode for commands, and its path.
  private func detail(_ local: LocalEpisode) -> String? {
    guard isDetailed else { return nil }
    return local.name.map { "\($0)  \(local.path)" } ?? local.path
  }

  private static func haveSeveralPodcasts(_ episodes: [LocalEpisode]) -> Bool {
    guard let first = episodes.first?.podcast else { return false }
    let identity = PodcastIdentity(first)
    var last = first
    return episodes.contains { local in
      guard local.podcast != last else { return false }
      last = local.podcast
      return identity.relation(to: PodcastIdentity(last)) != .same
    }
  }
}

extension LocalEpisode.Status {
  /// Whether bytes of the episode are in its place.
  fileprivate var hasBytes: Bool { self == .complete || self == .partial }
}
