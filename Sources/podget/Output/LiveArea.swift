import PodcastKit

/// The lines at the bottom of a terminal that are drawn again and again, as escape codes.
///
/// Each change is one text for one write: no moment shows half a frame. The cursor rests on the
/// line below the area and is never hidden, so there is nothing to bring back on any exit.
struct LiveArea: Sendable {
  private var lines: [StyledLine] = []
  private var drawn: [String] = []
  private var columns = 0

  /// The text that settles some lines above the area and redraws it; empty when nothing changes.
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
      // In the last column the cursor stands on the last character, which must stay.
      body += line.width < columns ? text + "\u{1B}[K\n" : text + "\n"
    }
    // Below, not at the top: there some terminals would keep what is erased in their history.
    if live.count < drawn.count || isResized { body += "\u{1B}[J" }
    (lines, drawn, self.columns) = (live, rendered, columns)
    // Synchronised update, without automatic wrapping: a window that shrinks meanwhile cuts lines.
    return "\u{1B}[?2026h\u{1B}[?7l" + body + "\u{1B}[?7h\u{1B}[?2026l"
  }

  /// Forgets the area: somebody else wrote to the screen, and it begins anew below that.
  mutating func forget() {
    self = LiveArea()
  }
}

extension LiveArea {
  /// How many rows the area takes in a window that may have become narrower since it was drawn:
  /// terminals break the lines that no longer fit.
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
