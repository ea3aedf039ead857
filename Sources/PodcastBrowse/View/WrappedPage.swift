import PodcastModel

/// A page of text, wrapped once for a width and not for each frame: it may be very long.
struct WrappedPage: Sendable {
  /// The widest column of labels.
  private static let widestLabel = 10

  /// The lines.
  private(set) var lines: [String] = []

  private var source: [DetailLine] = []
  private var columns = 0

  /// Wraps the lines of a page, unless that has been done.
  mutating func wrap(_ source: [DetailLine], columns: Int) {
    guard source != self.source || columns != self.columns else { return }
    self.source = source
    self.columns = columns
    let labels = source.lazy.map { TerminalText.width($0.label) }.max() ?? 0
    let width = min(labels, Self.widestLabel, columns / 3)
    let indent = width == 0 ? 0 : width + 2
    lines = source.flatMap { line in
      let text = WrappedText.lines(TerminalText.safe(line.text), columns: columns - indent)
      guard indent > 0 else { return text }
      return text.enumerated().map { place, text in
        guard place == 0 else { return String(repeating: " ", count: indent) + text }
        let label = TerminalText.truncated(TerminalText.safe(line.label), to: width, mark: "")
        let space = String(repeating: " ", count: width - TerminalText.width(label))
        return space + label + "  " + text
      }
    }
  }
}
