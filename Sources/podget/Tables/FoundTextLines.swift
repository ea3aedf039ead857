import PodcastKit

/// What `grep` has found, as lines below the titles of the episodes.
struct FoundTextLines: Sendable {
  /// The most characters before a match, and of a line in a pipe.
  private static let (before, longest) = (60, 2000)

  /// The terminal's style.
  let style: TerminalStyle
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// Whether the id and the path of each episode are shown.
  let isDetailed: Bool
  private var last: String?

  /// Creates lines of which none is written yet.
  init(style: TerminalStyle, window: Int?, isDetailed: Bool) {
    (self.style, self.window, self.isDetailed) = (style, window, isDetailed)
  }

  /// The lines of more that was found, in the order of the episodes.
  mutating func text(_ found: [FoundText]) -> String {
    var text = ""
    for item in found {
      if item.episode.key != last {
        text += last == nil ? "" : "\n"
        last = item.episode.key
        text += heading(item)
      }
      if item.part != .title { text += line(item) + "\n" }
    }
    return text
  }

  private func heading(_ item: FoundText) -> String {
    let episode = item.episode
    let day = episode.date.map { "\(CivilDay($0))  " } ?? ""
    let title =
      item.part == .title
      ? marked(item.text, item.match)
      : style.styled(TerminalText.safe(episode.title), .bold)
    var text =
      style.styled(TerminalText.safe("\(day)\(episode.podcast.shownTitle): "), .bold) + title + "\n"
    if isDetailed {
      let name = episode.name.map { "\($0)  " } ?? ""
      text += "    " + style.styled(TerminalText.safe("\(name)\(episode.path)"), .dim) + "\n"
    }
    return text
  }

  private func line(_ item: FoundText) -> String {
    let label =
      switch item.part {
      case .title, .notes: "notes"
      case .transcript: item.start.map { DurationText.clock($0) } ?? "transcript"
      }
    let speaker = TerminalText.safe(item.opening)
    let start = "  \(TerminalText.padded(label, to: 8))  "
    let room = window.map { $0 - TerminalText.width(start) - TerminalText.width(speaker) }
    let (text, match) = excerpt(item, max(20, room ?? Self.longest))
    return start + style.styled(speaker, .cyan) + marked(text, match)
  }

  /// The part of a text around the match that fits into so many columns.
  private func excerpt(
    _ item: FoundText, _ columns: Int
  ) -> (text: String, match: Range<String.Index>) {
    let (whole, match) = (item.text, item.match)
    guard TerminalText.width(whole) > columns else { return (whole, match) }
    let before = min(Self.before, columns / 3)
    let start =
      whole.index(match.lowerBound, offsetBy: -before, limitedBy: whole.startIndex)
      ?? whole.startIndex
    let head = (start > whole.startIndex ? style.ellipsis : "") + whole[start..<match.lowerBound]
    let shown = style.truncated(
      String(whole[match.lowerBound...]), to: columns - TerminalText.width(head))
    let text = head + shown
    let from =
      text.index(text.startIndex, offsetBy: head.count, limitedBy: text.endIndex) ?? text.endIndex
    let length = min(whole[match].count, shown.count)
    return (
      text, from..<(text.index(from, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex)
    )
  }

  private func marked(_ text: String, _ match: Range<String.Index>) -> String {
    TerminalText.safe(String(text[..<match.lowerBound]))
      + style.styled(TerminalText.safe(String(text[match])), .red)
      + TerminalText.safe(String(text[match.upperBound...]))
  }
}
