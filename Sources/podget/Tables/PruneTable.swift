import PodcastKit

/// The table of `prune --dry-run`: what would be removed, what would stay, and why.
struct PruneTable: Sendable {
  /// The rules that decided.
  let policy: RetentionPolicy
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle

  /// The decisions in a table, each podcast under a heading if there are several, and their totals.
  func text(_ decisions: [PruneDecision]) -> String {
    let layout = layout
    var table = layout.emptyTable
    let podcasts = Dictionary(grouping: decisions, by: \.podcast)
    let ordered = podcasts.values.compactMap { group in group.first.map { ($0, group) } }.sorted {
      ($0.0.local.podcast.shownTitle.lowercased(), $0.0.podcast.text)
        < ($1.0.local.podcast.shownTitle.lowercased(), $1.0.podcast.text)
    }
    for (first, group) in ordered {
      if ordered.count > 1 {
        table.addHeading("\(first.local.podcast.shownTitle): \(Self.total(group))")
      }
      layout.add(group, to: &table)
    }
    let total = Self.total(decisions)
    let line = window.map { style.truncated(total, to: $0) } ?? total
    return table.text(window: window) + (decisions.isEmpty ? "" : "\n") + line + "\n"
  }

  /// The totals, such as `3 of 5 episodes would be removed (71.2 MiB), 48.0 MiB would stay`.
  static func total(_ decisions: [PruneDecision]) -> String {
    let going = decisions.filter(\.isRemoved)
    guard !going.isEmpty else { return "Nothing would be removed." }
    let kept = ByteSum.of(decisions.filter { !$0.isRemoved }.map(\.bytes))
    let freed = ByteText.size(ByteSum.of(going.map(\.freedBytes)))
    return "\(going.count) of \(EventText.episodes(decisions.count)) would be removed (\(freed)), "
      + "\(ByteText.size(kept)) would stay"
  }

  /// Why, in a few words.
  func reason(_ decision: PruneDecision) -> String {
    switch decision.decision {
    case .remove(let rule): policy.reason(of: rule)
    case .keepStarred: "starred"
    case .keepUnfinished:
      decision.local.status == .missing ? "missing: no file is there" : "partial: not finished"
    case .keep: keptReason
    }
  }

  /// Why an episode stays if no rule matches.
  private var keptReason: String {
    guard !policy.removesPlayed else { return "no rule matches" }
    return switch (policy.newest, policy.firstDay, policy.maximumBytes) {
    case (let newest?, nil, nil): "among the newest \(newest)"
    case (nil, let day?, nil): "not from before \(day)"
    case (nil, nil, let bytes?): "within \(ByteText.size(bytes))"
    default: "no rule matches"
    }
  }
}

extension PruneTable {
  private var layout: TableLayout<PruneDecision> {
    typealias Column = TableLayout<PruneDecision>.Column
    return TableLayout(
      [
        Column(
          column: .init(title: ""), cell: { $0.isRemoved ? "remove" : "keep" },
          look: { $0.isRemoved ? .yellow : .green }),
        Column(
          column: .init(title: "Date"),
          cell: { $0.local.date.map { CivilDay($0).description } ?? "" }),
        Column(
          column: .init(title: "Title", mayShrink: true), cell: { $0.local.title }),
        Column(
          column: .init(title: "Size", alignment: .right), narrowestWindow: 56,
          cell: { $0.local.status == .missing ? "" : ByteText.size($0.bytes) }),
        Column(column: .init(title: "Why"), narrowestWindow: 72, cell: reason),
      ], window: window, style: style)
  }
}

extension RetentionPolicy {
  /// Why a rule removes an episode, in a few words.
  func reason(of rule: Rule) -> String {
    switch rule {
    case .keep: "not among the newest \(newest ?? 0)"
    case .olderThan: "from before \(firstDay?.description ?? "")"
    case .downloadedBefore: "downloaded before \(firstDownloadDay?.description ?? "")"
    case .played: "played"
    case .maxSize: "does not fit in \(maximumBytes.map { ByteText.size($0) } ?? "")"
    }
  }
}
