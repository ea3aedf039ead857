import PodcastModel

/// The content of a whole screen.
package struct Frame: Sendable, Hashable {
  /// The size.
  package let size: ScreenSize
  /// The cells of all rows, one row after the other.
  private(set) var cells: [Cell]
  /// The images. Nothing is written into their cells.
  package private(set) var images: [FrameImage] = []
  /// Whether each cell is one of an image; empty without images.
  private var isOfImage: [Bool] = []
  /// The addresses of the rows that are links.
  package private(set) var links: [Int: String] = [:]

  /// How many scalars of a character count; emoji of a family have seven.
  private static let mostScalars = 32

  /// Creates an empty frame.
  package init(_ size: ScreenSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// The cells of a row, from 0 at the top.
  func row(_ row: Int) -> ArraySlice<Cell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// Writes a text into a row. What does not fit is cut between characters, and places outside the
  /// frame are ignored.
  ///
  /// - Parameters:
  ///   - text: text that is safe for a terminal.
  ///   - row: the row, from 0 at the top.
  ///   - column: where it begins, from 0 at the left.
  ///   - width: how many columns it may take; nil for all up to the end of the row.
  ///   - style: how it looks.
  /// - Returns: the column behind the text.
  @discardableResult
  package mutating func write(
    _ text: String, row: Int, column: Int, width: Int? = nil, style: CellStyle = []
  ) -> Int {
    guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return column }
    let end = min(size.columns, column + min(size.columns, max(0, width ?? size.columns)))
    var place = column
    for character in text {
      let columns = ColumnWidth.of(character)
      guard columns > 0 else { continue }
      guard place + columns <= end else { break }
      let cell = Cell(
        character: Self.bounded(character), columns: UInt8(columns), style: style)
      put(cell, row, place)
      place += columns
    }
    return place
  }

  /// Places an image, and empties its cells. It is left out if it is not inside the frame.
  package mutating func place(_ image: FrameImage) {
    guard image.area.isInside(size) else { return }
    let blanks = String(repeating: " ", count: image.area.columns)
    for row in image.area.row..<image.area.row + image.area.rows {
      write(blanks, row: row, column: image.area.column)
    }
    if isOfImage.isEmpty { isOfImage = Array(repeating: false, count: cells.count) }
    for row in image.area.row..<image.area.row + image.area.rows {
      for column in image.area.column..<image.area.column + image.area.columns {
        isOfImage[row * size.columns + column] = true
      }
    }
    images.append(image)
  }

  /// Replaces an image by cells that look like it, row by row.
  mutating func replace(_ image: FrameImage, by drawn: [Cell]) {
    let area = image.area
    guard drawn.count == area.rows * area.columns else { return }
    images.removeAll { $0 == image }
    for row in 0..<area.rows {
      let place = (area.row + row) * size.columns + area.column
      cells.replaceSubrange(
        place..<place + area.columns,
        with: drawn[row * area.columns..<(row + 1) * area.columns])
    }
  }

  /// Makes the cells of an area different from any that are drawn.
  mutating func forget(_ area: CellArea) {
    guard area.isInside(size) else { return }
    for row in area.row..<area.row + area.rows {
      for column in area.column..<area.column + area.columns {
        cells[row * size.columns + column] = .unknown
      }
    }
  }

  /// Makes a row a link.
  ///
  /// - Parameter address: printable ASCII without blanks.
  package mutating func link(row: Int, to address: String) {
    guard (0..<size.rows).contains(row) else { return }
    links[row] = address
  }

  /// Makes a row the selected one: a bar without colors, which would be boxes in it. An image in it
  /// stays as it is, and would be damaged by cells that change.
  package mutating func select(row: Int) {
    guard (0..<size.rows).contains(row) else { return }
    for place in row * size.columns..<(row + 1) * size.columns
    where isOfImage.isEmpty || !isOfImage[place] {
      let style = cells[place].style.withoutColor.subtracting(.dim)
      cells[place].style = style.union(.reverse)
    }
  }

  /// Takes the colors away.
  package mutating func removeColors() {
    for place in cells.indices { cells[place].style = cells[place].style.withoutColor }
  }

  /// The text of each row, without the blanks at its end.
  package var lines: [String] {
    (0..<size.rows).map { row in
      var line = ""
      for cell in self.row(row) where cell.columns > 0 { line.append(cell.character) }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The beginning of a character that is too long: one of a megabyte is a single character, and
  /// would take a second on a slow line.
  private static func bounded(_ character: Character) -> Character {
    let scalars = character.unicodeScalars
    guard scalars.count > mostScalars else { return character }
    let start = String(String.UnicodeScalarView(scalars.prefix(mostScalars)))
    return start.first ?? " "
  }

  private mutating func put(_ cell: Cell, _ row: Int, _ column: Int) {
    let place = row * size.columns + column
    let end = place + Int(cell.columns) - 1
    guard isOfImage.isEmpty || !isOfImage[place] && !isOfImage[end] else { return }
    // Half of a wide character cannot stay.
    if cells[place].columns == 0, column > 0 { cells[place - 1] = .blank }
    let last = column + Int(cell.columns) - 1
    if last + 1 < size.columns, cells[place - column + last + 1].columns == 0 {
      cells[place - column + last + 1] = .blank
    }
    cells[place] = cell
    if cell.columns == 2 {
      cells[place + 1] = Cell(character: " ", columns: 0, style: cell.style)
    }
  }
}
