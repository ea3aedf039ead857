import PodcastKit

/// A message that is written once and then scrolls away above the live lines.
enum SettledText: Sendable {
  /// A podcast and how many of its episodes are chosen.
  case heading(String, episodes: Int)
  /// Something that happened to an episode.
  case event(EventText)
  /// A sentence; a failure when it is bad.
  case sentence(String, EventText.Severity)
  /// The last line.
  case summary(String)

  /// The lines for a window of this width. Texts that may be long and matter are wrapped, not cut.
  func lines(columns: Int, style: TerminalStyle) -> [StyledLine] {
    switch self {
    case .heading(let title, let episodes):
      let count = " (\(EventText.episodes(episodes)))"
      guard columns > 2 * count.count else {
        return [StyledLine(style.truncated(title, to: columns), .bold)]
      }
      var line = StyledLine(style.truncated(title, to: columns - count.count), .bold)
      line.append(count, .dim)
      return [line]
    case .event(let event) where event.severity == .bad:
      return broken("\(event.title): \(event.detail)", mark(.bad, style), columns)
    case .event(let event):
      return [eventLine(event, columns: columns, style: style)]
    case .sentence(let text, .bad):
      return broken(text, mark(.bad, style), columns)
    case .sentence(let text, _):
      return WrappedText.lines(text, columns: columns).map { StyledLine($0) }
    case .summary(let text):
      return WrappedText.lines(text, columns: columns).map { StyledLine($0, .bold) }
    }
  }
}

extension SettledText {
  private typealias Mark = (text: String, look: StyledLine.Style)

  private func mark(_ severity: EventText.Severity, _ style: TerminalStyle) -> Mark {
    switch severity {
    case .good: (style.isUTF8 ? "✓ " : "+ ", .green)
    case .bad: (style.isUTF8 ? "✗ " : "x ", .red)
    case .neutral: (style.isUTF8 ? "• " : "- ", .dim)
    }
  }

  private func broken(_ text: String, _ mark: Mark, _ columns: Int) -> [StyledLine] {
    let lines = WrappedText.lines(text, columns: max(1, columns - 2))
    return lines.enumerated().map { index, text in
      var line = StyledLine(index == 0 ? mark.text : "  ", mark.look)
      line.append(text)
      return line
    }
  }

  private func eventLine(
    _ event: EventText, columns: Int, style: TerminalStyle
  ) -> StyledLine {
    let mark = mark(event.severity, style)
    let words = event.severity == .good ? event.detail : neutralWords(event)
    let room = columns - 2 - (words.isEmpty ? 0 : 2 + TerminalText.width(words))
    var line = StyledLine(style.truncated(mark.text, to: columns), mark.look)
    guard room >= 8 else {
      line.append(style.truncated(event.title, to: max(0, columns - 2)))
      return line
    }
    line.append(style.truncated(event.title, to: room))
    if !words.isEmpty { line.append("  " + words, .dim) }
    return line
  }

  /// A skipped episode's reason says that it is skipped; the other verbs are needed.
  private func neutralWords(_ event: EventText) -> String {
    if event.verb == "skipped" { return event.detail }
    return event.detail.isEmpty ? event.verb : "\(event.verb), \(event.detail)"
  }
}
