import PodcastKit

/// Rows in columns for `list`, `show` and `search`, fitted to a window if there is one.
struct Table: Sendable {
  /// The alignment of a column's cells.
  enum Alignment: Sendable, Hashable {
    case left, right
  }

  /// A column.
  struct Column: Sendable, Hashable {
    /// The heading.
    var title: String
    /// Numbers are aligned on the right.
    var alignment = Alignment.left
    /// Whether the cells may be cut if the window is too narrow.
    var mayShrink = false
  }

  /// A text that is safe, by its position among the bytes of all, with its width: measuring it is
  /// most of the work for a long table.
  private struct Cell: Sendable {
    var bytes: Range<Int>
    var width: Int
  }

  private enum Line: Sendable {
    /// A row, by the position of its first cell.
    case row(Int)
    case heading(String)
    case detail(String)
  }

  /// Lines that were added one after the other.
  private struct Block: Sendable {
    /// The cells of all rows, one after the other: a list for each row would take longer than the
    /// rest.
    var cells: [Cell] = []
    /// How the cells look; none without colors.
    var looks: [StyledLine.Style] = []
    var bytes: [UInt8] = []
    var lines: [Line] = []
  }

  private static let separator = "  "
  private static let narrowest = 8
  /// In bytes: about as much as a pipe accepts from a writer at once.
  private static let pieceSize = 64 * 1024

  private let columns: [Column]
  private let style: TerminalStyle
  private var widths: [Int]
  private var blocks = [Block()]

  /// Creates a table without rows.
  init(columns: [Column], style: TerminalStyle) {
    self.columns = columns
    self.style = style
    self.widths = columns.map { TerminalText.width($0.title) }
  }

  /// Reserves memory for more rows, as far as their size is known.
  mutating func reserve(rows: Int) {
    let last = blocks.endIndex - 1
    blocks[last].lines.reserveCapacity(blocks[last].lines.count + rows)
    blocks[last].cells.reserveCapacity(blocks[last].cells.count + rows * columns.count)
  }

  /// Adds the lines of another table with the same columns.
  mutating func append(_ other: Table) {
    for index in columns.indices { widths[index] = max(widths[index], other.widths[index]) }
    blocks += other.blocks
  }

  /// Adds a row of texts, one for each column; they are made safe for a terminal.
  mutating func addRow(_ texts: [String]) { addRow { texts[$0] } }

  /// Adds a row by asking for the text of each column.
  ///
  /// - Parameter look: how each column's text looks if there are colors.
  mutating func addRow(
    _ text: (Int) -> String, look: (Int) -> StyledLine.Style = { _ in .plain }
  ) {
    let last = blocks.endIndex - 1
    blocks[last].lines.append(.row(blocks[last].cells.count))
    for index in columns.indices {
      let (text, width) = TerminalText.measured(text(index))
      widths[index] = max(widths[index], width)
      let start = blocks[last].bytes.count
      blocks[last].bytes.append(contentsOf: text.utf8)
      blocks[last].cells.append(Cell(bytes: start..<blocks[last].bytes.count, width: width))
      if style.hasColor { blocks[last].looks.append(look(index)) }
    }
  }

  /// Adds a line across all columns, such as a group's name.
  mutating func addHeading(_ text: String) {
    blocks[blocks.endIndex - 1].lines.append(.heading(TerminalText.safe(text)))
  }

  /// Adds a line below a row, which is never cut, so that it can be copied.
  mutating func addDetail(_ text: String) {
    blocks[blocks.endIndex - 1].lines.append(.detail(TerminalText.safe(text)))
  }

  /// The table's lines, each with a newline; empty for a table without lines.
  ///
  /// - Parameter window: the width of a line in cells; nil is no limit.
  func text(window: Int?) -> String {
    var text = ""
    write(window: window) { text += $0 }
    return text
  }

  /// The same in pieces of limited size: a long table needs much memory as one text.
  func write<Failure: Error>(
    window: Int?, send: (String) throws(Failure) -> Void
  ) throws(Failure) {
    guard blocks.contains(where: { !$0.lines.isEmpty }) else { return }
    let fitted = fittedWidths(window: window)
    var text: [UInt8] = []
    appendTitles(fitted, window, to: &text)
    for block in blocks {
      for line in block.lines {
        switch line {
        case .row(let start): append(block, start, fitted, window, to: &text)
        case .heading(let heading):
          let heading = window.map { style.truncated(heading, to: $0) } ?? heading
          text.append(contentsOf: "\n\(style.styled(heading, .bold))\n".utf8)
        case .detail(let detail):
          text.append(contentsOf: "    \(style.styled(detail, .dim))\n".utf8)
        }
        if text.count >= Self.pieceSize {
          try send(String(decoding: text, as: UTF8.self))
          text.removeAll(keepingCapacity: true)
        }
      }
    }
    try send(String(decoding: text, as: UTF8.self))
  }
}

extension Table {
  /// Shrinks the widest column that may shrink, until the row fits.
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

  private func shortened(_ text: String, _ column: Column, to room: Int) -> String {
    column.mayShrink
      ? style.shortened(text, to: room) : style.truncated(text, to: room)
  }

  private func appendTitles(_ fitted: [Int], _ window: Int?, to text: inout [UInt8]) {
    var titles = Table(columns: columns, style: style)
    titles.addRow({ columns[$0].title }, look: { _ in .bold })
    titles.append(titles.blocks[0], 0, fitted, window, to: &text)
  }

  /// Appends the row whose first cell is at a position of a block.
  private func append(
    _ block: Block, _ first: Int, _ fitted: [Int], _ window: Int?, to text: inout [UInt8]
  ) {
    let start = text.count
    var used = 0
    // A line that must be cut as a whole has no escape codes in it.
    let isStyled =
      style.hasColor
      && fitted.reduce(-Self.separator.count) { $0 + $1 + Self.separator.count } <= window ?? .max
    for index in columns.indices {
      let cell = block.cells[first + index]
      let look = isStyled && !cell.bytes.isEmpty ? block.looks[first + index] : .plain
      if index > 0 { text.append(contentsOf: Self.separator.utf8) }
      let room = fitted[index]
      let isRight = columns[index].alignment == .right
      if cell.width > room {
        let whole = String(decoding: block.bytes[cell.bytes], as: UTF8.self)
        let (cut, width) = TerminalText.measured(shortened(whole, columns[index], to: room))
        if isRight { Self.pad(&text, room - width) }
        text.append(contentsOf: (look == .plain ? cut : style.styled(cut, look)).utf8)
        if !isRight { Self.pad(&text, room - width) }
      } else {
        if isRight { Self.pad(&text, room - cell.width) }
        if look == .plain {
          text.append(contentsOf: block.bytes[cell.bytes])
        } else {
          let whole = String(decoding: block.bytes[cell.bytes], as: UTF8.self)
          text.append(contentsOf: style.styled(whole, look).utf8)
        }
        if !isRight { Self.pad(&text, room - cell.width) }
      }
      used += room + (index > 0 ? Self.separator.utf8.count : 0)
    }
    if let window, used > window {
      let line = String(decoding: text[start...], as: UTF8.self)
      text.replaceSubrange(start..., with: style.truncated(line, to: window).utf8)
    }
    while text.count > start, text.last == UInt8(ascii: " ") { text.removeLast() }
    text.append(UInt8(ascii: "\n"))
  }

  private static func pad(_ text: inout [UInt8], _ count: Int) {
    text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
  }
}
