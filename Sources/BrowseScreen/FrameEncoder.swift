/// Turns frames into the bytes that change a terminal from one to the next.
package struct FrameEncoder: Sendable {
  /// How many unchanged cells are written again rather than jumped over: a jump takes as many bytes.
  private static let gap = 6

  /// What the terminal shows; nil when that is not known.
  private var shown: Frame?

  /// The colors of the terminal.
  package var palette = CellPalette.usual {
    didSet { if palette != oldValue { forget() } }
  }

  /// Creates an encoder for a terminal that may show anything.
  package init() {}

  /// Makes the next frame a full redraw, for example after the terminal was used by others.
  package mutating func forget() { shown = nil }

  /// Makes the next frame write all cells of an area, for example where an image is to vanish.
  mutating func forget(_ area: CellArea) { shown?.forget(area) }

  /// Whether a frame clears the screen first.
  func clears(for frame: Frame) -> Bool { shown?.size != frame.size }

  /// The bytes that make the terminal show a frame; none if it shows that already.
  package mutating func bytes(for frame: Frame) -> [UInt8] {
    var output: [UInt8] = []
    let before: Frame
    if let shown, shown.size == frame.size {
      before = shown
    } else {
      before = Frame(frame.size)
      output += "\u{1B}[0m\u{1B}[2J".utf8
    }
    var look: CellLook? = output.isEmpty ? nil : .style([])
    // An image that stays would be damaged by a row that begins empty.
    let kept = frame.images.map(\.area).filter { area in
      before.images.contains { $0.area == area }
    }
    for row in 0..<frame.size.rows {
      let (old, new) = (before.row(row), frame.row(row))
      let link = frame.links[row]
      let isLinked = link == before.links[row]
      guard old != new || !isLinked else { continue }
      let start = kept.compactMap { $0.end(inRow: row) }.max() ?? 0
      var runs = isLinked ? Self.changes(old, new, around: kept, in: row) : [0..<new.count]
      if old.dropFirst(start).contains(where: \.isUncertain)
        || new.dropFirst(start).contains(where: \.isUncertain)
      {
        // A wrong guess about a width left cells that nobody knows: the row begins empty.
        Self.move(row, start, &output)
        output += "\u{1B}[0m\u{1B}[\(start == 0 ? "2" : "")K".utf8
        look = .style([])
        runs = runs.map { $0.clamped(to: 0..<start) }
        runs.append(start..<max(start, Self.end(of: new)))
      }
      if let link { output += "\u{1B}]8;;\(link)\u{1B}\\".utf8 }
      for run in runs { write(new, row, run, &look, &output) }
      if link != nil { output += "\u{1B}]8;;\u{1B}\\".utf8 }
    }
    if look != nil, look != .style([]) { output += "\u{1B}[0m".utf8 }
    shown = frame
    return output
  }
}

extension FrameEncoder {
  /// The runs of columns that differ.
  ///
  /// - Parameter images: areas of a row that are not written again without need.
  private static func changes(
    _ old: ArraySlice<Cell>, _ new: ArraySlice<Cell>, around images: [CellArea], in row: Int
  ) -> [Range<Int>] {
    let images = images.filter { $0.end(inRow: row) != nil }
    var runs: [Range<Int>] = []
    for (column, (before, after)) in zip(old, new).enumerated() where before != after {
      if let last = runs.last, column - last.upperBound <= gap,
        !images.contains(where: { last.upperBound <= $0.column && $0.column < column })
      {
        runs[runs.count - 1] = last.lowerBound..<column + 1
      } else {
        runs.append(column..<column + 1)
      }
    }
    return runs
  }

  /// The column behind the last cell that is not empty.
  private static func end(of row: ArraySlice<Cell>) -> Int {
    guard let last = row.lastIndex(where: { $0 != .blank }) else { return 0 }
    return last - row.startIndex + 1
  }

  private func write(
    _ cells: ArraySlice<Cell>, _ row: Int, _ run: Range<Int>, _ look: inout CellLook?,
    _ output: inout [UInt8]
  ) {
    guard !run.isEmpty else { return }
    Self.move(row, run.lowerBound, &output)
    for column in run {
      let cell = cells[cells.startIndex + column]
      guard cell.columns > 0 else { continue }
      if look != cell.look {
        output += cell.look.sequence(palette).utf8
        look = cell.look
      }
      output += cell.character.utf8
      // Whatever the terminal takes for the width, the next cell is in its place.
      let next = column + Int(cell.columns)
      if cell.isUncertain, next < run.upperBound { Self.move(row, next, &output) }
    }
  }

  private static func move(_ row: Int, _ column: Int, _ output: inout [UInt8]) {
    output += "\u{1B}[\(row + 1);\(column + 1)H".utf8
  }
}
