import PodcastKit

/// Lays out the lines of a report for people: wrapped to the window, with safe texts.
struct ReportLines: Sendable {
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  let style: TerminalStyle

  private static let indentation = 15

  /// A line with a name and a value.
  func line(_ name: String, _ value: String) -> String {
    let gap = Self.indentation + 1
    return paragraph(
      TerminalText.padded(name, to: Self.indentation), value, indentation: gap, look: .bold)
  }

  /// A text after a mark, wrapped to the window and indented to its first word.
  func paragraph(
    _ mark: String, _ text: String, indentation: Int, look: StyledLine.Style = .plain
  ) -> String {
    let shown = TerminalText.safe(AddressRedaction.shown(in: text))
    let lines = window.map {
      WrappedText.lines(shown, columns: max(20, $0 - indentation))
    }
    let first = style.styled(TerminalText.padded(mark, to: indentation), look)
    let others = String(repeating: " ", count: indentation)
    return (lines ?? [shown]).enumerated()
      .map { ($0.offset == 0 ? first : others) + $0.element + "\n" }.joined()
  }
}
