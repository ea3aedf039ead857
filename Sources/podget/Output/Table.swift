import PodcastKit

/// Rows in columns for `list`, `show` and `search`, fitted to a window where there is one.
struct Table: Sendable {
  /// On which side a column's cells are filled up.
  enum Alignment: Sendable, Hashable {
    case left, right
  }

  /// A column.
  struct Column: Sendable, Hashable {
    /// The heading.
    var title: String
    /// Numbers are aligned on the right.
    var alignment = Alignment.left
    /// Whether the cells may be cut where the window is too narrow.
    var mayShrink = false
  }

  private enum Line: Sendable {
    case cells([String])
    case heading(String)
  }

  private static let separator = "  "
  private static let narrowest = 8

  private let columns: [Column]
  private var widths: [Int]
  private var lines: [Line] = []

  /// A table without rows.
  init(columns: [Column]) {
    self.columns = columns
    self.widths = columns.map { TerminalText.width($0.title) }
  }

  /// Adds a row with one cell for each column; the texts are made safe for a terminal.
  mutating func addRow(_ cells: [String]) {
    let cells = zip(columns, cells).map { TerminalText.safe($1) }
    for (index, cell) in cells.enumerated() {
      widths[index] = max(widths[index], TerminalText.width(cell))
    }
    lines.append(.cells(cells))
  }

  /// Adds a line across all columns, such as a group's name.
  mutating func addHeading(_ text: String) {
    lines.append(.heading(TerminalText.safe(text)))
  }

  /// The table's lines, each with a newline; empty for a table without lines.
  ///
  /// - Parameter window: The cells that a line may take; nil is no limit.
  func text(window: Int?) -> String {
    guard !lines.isEmpty else { return "" }
    let fitted = fittedWidths(window: window)
    var text = ""
    append(columns.map(\.title), fitted, window, to: &text)
    for line in lines {
      switch line {
      case .cells(let cells): append(cells, fitted, window, to: &text)
      case .heading(let heading):
        text += "\n" + (window.map { TerminalText.truncated(heading, to: $0) } ?? heading) + "\n"
      }
    }
    return text
  }
}

extension Table {
  /// Takes what is too much from the widest column that may shrink, again and again.
  private func fittedWidths(window: Int?) -> [Int] {
    guard let window else { return widths }
    var fitted = widths
    var excess = fitted.reduce(-Self.separator.count) { $0 + $1 + Self.separator.count } - window
    while excess > 0 {
      let shrinkable = columns.indices.filter {
        columns[$0].mayShrink && fitted[$0] > Self.narrowest
      }
      guard let widest = shrinkable.max(by: { fitted[$0] < fitted[$1] }) else { break }
      let next = shrinkable.filter { $0 != widest }.map { fitted[$0] }.max() ?? Self.narrowest
      let step = min(excess, max(1, fitted[widest] - max(next, Self.narrowest)))
      fitted[widest] -= step
      excess -= step
    }
    return fitted
  }

  private func append(_ cells: [String], _ fitted: [Int], _ window: Int?, to text: inout String) {
    var line = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { line += Self.separator }
      let cut = TerminalText.truncated(cell, to: fitted[index])
      if columns[index].alignment == .right {
        line += String(repeating: " ", count: fitted[index] - TerminalText.width(cut)) + cut
      } else {
        line += index < cells.count - 1 ? TerminalText.padded(cut, to: fitted[index]) : cut
      }
    }
    if let window { line = TerminalText.truncated(line, to: window) }
    while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
    text += line + "\n"
  }
}
