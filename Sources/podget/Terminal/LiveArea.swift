import PodcastKit

/// The lines at the bottom of a terminal that are redrawn, as escape codes.
///
/// Each change is one text for one write: there is never half a frame on the screen. The cursor
/// stays on the line below the area and is never hidden, so nothing must be restored at an exit.
struct LiveArea: Sendable {
  private var lines: [StyledLine] = []
  private var drawn: [String] = []
  private var columns = 0

  /// The text that prints some lines above the area and redraws it; empty when nothing changes.
  mutating func paint(
    settled: [StyledLine], live: [StyledLine], columns: Int, color: Bool
  ) -> String {
    let rendered = live.map { $0.rendered(color: color) }
    let isResized = !drawn.isEmpty && columns != self.columns
    guard !settled.isEmpty || rendered != drawn || isResized else { return "" }
    var body = "\r"
    if !drawn.isEmpty {
      body += "\u{1B}[\(rowsTaken(columns: columns))A"
    }
    for (line, text) in zip(settled + live, settled.map { $0.rendered(color: color) } + rendered) {
      // In the last column the cursor is on the last character, which must stay.
      body += line.width < columns ? text + "\u{1B}[K\n" : text + "\n"
    }
    // Erased from below, not from the top: some terminals would keep the erased lines in their
    // history.
    if live.count < drawn.count || isResized { body += "\u{1B}[J" }
    (lines, drawn, self.columns) = (live, rendered, columns)
    // Synchronized update, without automatic wrapping: if the window shrinks in between, lines are
    // cut.
    return "\u{1B}[?2026h\u{1B}[?7l" + body + "\u{1B}[?7h\u{1B}[?2026l"
  }

  /// Forgets the area: something else wrote to the screen, and the area restarts below that.
  mutating func forget() {
    self = LiveArea()
  }
}

extension LiveArea {
  /// The rows of the area in a window that may have become narrower since it was drawn: terminals
  /// wrap lines that no longer fit.
  private func rowsTaken(columns: Int) -> Int {
    guard columns < self.columns else { return lines.count }
    return lines.reduce(0) { rows, line in
      var (count, used) = (1, 0)
      for character in line.text {
        let width = TerminalText.width(String(character))
        if used + width > max(2, columns) { (count, used) = (count + 1, 0) }
        used += width
      }
      return rows + count
    }
  }
}
