/// What a person sees on a terminal after some output: the part of ECMA-48 that programs with a
/// live display use. A double-width character takes one cell here; nothing wraps back on resize.
public struct Screen: Sendable, Hashable {
  /// The width in cells.
  public private(set) var columns: Int
  /// The height in lines.
  public private(set) var rows: Int
  /// The lines that scrolled off the top, oldest first.
  public private(set) var scrolledOff: [String] = []
  /// Where the next character goes: its line, from 0 at the top.
  public private(set) var row = 0
  /// Where the next character goes: its cell, from 0 at the left.
  public private(set) var column = 0
  /// Whether the cursor is shown.
  public private(set) var isCursorVisible = true
  private var cells: [[Character]]

  /// Makes an empty screen.
  public init(columns: Int = 80, rows: Int = 24) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Self.blank(columns), count: rows)
  }

  /// The lines from the top, without the blanks at their ends.
  public var lines: [String] { cells.map(Self.trimmed) }

  /// The lines down to the last that is not empty, joined.
  public var text: String {
    let lines = lines
    let end = (lines.lastIndex { !$0.isEmpty } ?? -1) + 1
    return lines[..<end].joined(separator: "\n")
  }

  /// Everything shown that was not overwritten: what scrolled off the top, then the lines.
  public var history: String { (scrolledOff + [text]).joined(separator: "\n") }

  /// Changes the size; lines are cut or filled on the right, and lost at the top.
  public mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    cells = cells.map { Array(($0 + Self.blank(columns)).prefix(columns)) }
    while cells.count > rows {
      scrolledOff.append(Self.trimmed(cells.removeFirst()))
      row -= 1
    }
    while cells.count < rows { cells.append(Self.blank(columns)) }
    self.rows = rows
    row = max(0, row)
    column = min(column, columns)
  }

  /// Shows output; an escape sequence may not be split between two calls.
  public mutating func show(_ text: String) {
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}": control(&rest)
      case "\r": column = 0
      case "\n": lineFeed()
      case "\u{08}": column = max(0, column - 1)
      case "\t": column = min(columns - 1, (column / 8 + 1) * 8)
      case _ where scalar.value < 0x20: break
      default: put(scalar)
      }
    }
  }
}

extension Screen {
  private static func blank(_ columns: Int) -> [Character] {
    Array(repeating: " ", count: columns)
  }

  private static func trimmed(_ line: [Character]) -> String {
    String(line[..<((line.lastIndex { $0 != " " } ?? -1) + 1)])
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if scalar.properties.isGraphemeExtend {
      guard column > 0 else { return }
      let base = cells[row][column - 1].unicodeScalars
      cells[row][column - 1] = Character(String(String.UnicodeScalarView(base + [scalar])))
      return
    }
    // The last cell stays the cursor's until one more character comes.
    if column >= columns {
      column = 0
      lineFeed()
    }
    cells[row][column] = Character(scalar)
    column += 1
  }

  private mutating func lineFeed() {
    row += 1
    if row == rows {
      scrolledOff.append(Self.trimmed(cells.removeFirst()))
      cells.append(Self.blank(columns))
      row -= 1
    }
  }

  private mutating func control(_ rest: inout ArraySlice<Unicode.Scalar>) {
    let kind = rest.popFirst()
    if let kind, "_P]^X".unicodeScalars.contains(kind) { return skipString(&rest) }
    guard kind == "[" else { return }
    var parameters = ""
    while let scalar = rest.popFirst() {
      if (0x40...0x7E).contains(scalar.value) { return perform(scalar, parameters) }
      parameters.unicodeScalars.append(scalar)
    }
  }

  /// Leaves out a string, up to ST or BEL: images, titles, questions.
  private func skipString(_ rest: inout ArraySlice<Unicode.Scalar>) {
    while let scalar = rest.popFirst(), scalar != "\u{07}" {
      guard scalar == "\u{1B}" else { continue }
      if rest.first == "\\" { rest.removeFirst() }
      return
    }
  }

  private mutating func perform(_ final: Unicode.Scalar, _ parameters: String) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
    let first = numbers.first.flatMap { $0 }
    let count = max(1, first ?? 1)
    switch final {
    case "A": row = max(0, row - count)
    case "B": row = min(rows - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "D": column = max(0, column - count)
    case "E", "F":
      row = final == "E" ? min(rows - 1, row + count) : max(0, row - count)
      column = 0
    case "G": column = min(columns, count) - 1
    case "H", "f":
      row = min(rows, count) - 1
      column = min(columns, max(1, numbers.dropFirst().first.flatMap { $0 } ?? 1)) - 1
    case "J": eraseLines(first ?? 0)
    case "K": eraseCells(first ?? 0)
    case "h" where parameters == "?25": isCursorVisible = true
    case "l" where parameters == "?25": isCursorVisible = false
    default: break
    }
  }

  private mutating func eraseLines(_ mode: Int) {
    let erased = mode == 0 ? row + 1..<rows : mode == 1 ? 0..<row : 0..<rows
    for line in erased { cells[line] = Self.blank(columns) }
    if mode < 2 { eraseCells(mode) }
  }

  private mutating func eraseCells(_ mode: Int) {
    let here = min(column, columns - 1)
    let erased = mode == 0 ? column..<columns : mode == 1 ? 0..<here + 1 : 0..<columns
    for cell in erased { cells[row][cell] = " " }
  }
}
