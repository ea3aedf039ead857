import PodcastKit

/// The status of an episode, for a cell of a table; it can be read without colors.
struct StatusText: Sendable, Hashable {
  /// Whether the text must be short, as in a window.
  var isShort: Bool
  /// Whether a check mark can be shown.
  var isUTF8: Bool

  /// The words for a local episode, such as `complete`, `partial 42%`, `missing`, or short `✓` and
  /// `42%`; `remote`, or short nothing, for an episode with nothing on disk.
  func text(_ local: LocalEpisode?) -> String {
    switch local?.status {
    case nil: isShort ? "" : "remote"
    case .complete: isShort ? (isUTF8 ? "✓" : "ok") : "complete"
    case .planned: "planned"
    case .missing: "missing"
    case .removed: "removed"
    case .partial:
      switch local.flatMap({ Self.percent($0) }) {
      case nil: "partial"
      case let percent?: isShort ? "\(percent)%" : "partial \(percent)%"
      }
    }
  }

  /// How a status looks where there are colors.
  static func look(_ status: LocalEpisode.Status?) -> StyledLine.Style {
    switch status {
    case .complete: .green
    case .partial: .yellow
    case .missing: .red
    case .removed: .dim
    case .planned, nil: .plain
    }
  }

  /// The mark of a starred episode; nothing for any other.
  func star(_ local: LocalEpisode) -> String {
    local.isStarred ? (isUTF8 ? "★" : "*") : ""
  }

  /// Whether an episode was played, or where playing continues; nothing for a new one.
  static func played(_ local: LocalEpisode) -> String {
    if let position = local.position { return "at \(DurationText.clock(position))" }
    return local.isPlayed ? "played" : ""
  }

  /// The percentage of a partial file; never 100, because it is not complete.
  private static func percent(_ local: LocalEpisode) -> Int? {
    guard let total = local.total, total > 0 else { return nil }
    // Computed in Double: a server may have announced any size.
    return Int(min(99, max(0, Double(local.bytes) / Double(total) * 100)))
  }
}
