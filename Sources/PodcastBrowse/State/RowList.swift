/// Rows with a filter, an order and a selection.
///
/// The selection belongs to a row, not to a place: when rows come, go or change their order, it stays
/// on its row. When that row goes, the one in its place is selected.
package struct RowList<Row: BrowseRow>: Sendable, Hashable {
  /// All rows, as they came.
  package private(set) var rows: [Row] = []
  /// What is shown, in order.
  package private(set) var lines: [RowLine] = []
  /// What the rows must contain, as typed.
  package private(set) var filter = ""
  /// How the rows are sorted and grouped.
  package var arrangement = RowArrangement() {
    didSet {
      guard arrangement != oldValue else { return }
      rearrange { $0.makeLines(sorting: $0.arrangement.sort != oldValue.sort) }
    }
  }
  /// The selected line; nil if there is no row.
  package private(set) var selection: Int?
  /// The first line on the screen.
  package private(set) var top = 0

  /// The keys of the rows that are marked, but for those of a range that is being chosen.
  private var marked: Set<String> = []
  /// The row at which the range begins that is being chosen.
  private var rangeStart: String?
  /// The lines of that range.
  private var range: ClosedRange<Int>?

  /// What a word of a filter begins with that names a kind of rows.
  private static var kindPrefix: String { "is:" }
  /// The kinds of rows that the filter names.
  private var kinds: [String] = []
  private var places: [String: Int] = [:]
  /// The positions of all rows in the usual order, with which every other one begins.
  private var usual: [Int] = []
  /// The positions of all rows in their order: a letter of a filter sorts nothing.
  private var order: [Int] = []
  /// What a filter searches.
  private var texts = SearchTexts()
  private var selectedKey: String?

  /// Creates an empty list.
  package init() {}

  /// Creates an empty list whose rows will be grouped.
  init(grouped group: RowArrangement.Group) { arrangement.group = group }

  /// Creates a list of rows in the usual order.
  package init(_ rows: [Row]) { set(rows) }

  /// The selected row.
  package var selected: Row? { selection.flatMap(row) }

  /// How many rows the filter leaves.
  package private(set) var count = 0

  /// The row in a line; nil for a heading.
  package func row(_ line: Int) -> Row? {
    guard lines.indices.contains(line), case .row(let place) = lines[line] else { return nil }
    return rows[place]
  }

  /// The row with a key.
  package func row(key: String) -> Row? { places[key].map { rows[$0] } }

  /// The rows that are shown, in order.
  package var shownRows: [Row] {
    lines.compactMap { if case .row(let place) = $0 { rows[place] } else { nil } }
  }

  /// Replaces all rows.
  package mutating func set(_ rows: [Row]) {
    rearrange { list in
      list.rows = rows
      list.places = Dictionary(
        zip(rows.map(\.key), rows.indices), uniquingKeysWith: { first, _ in first })
      list.usual = Row.usualOrder(rows)
      list.texts = SearchTexts(rows.lazy.map(\.searchText))
      list.makeLines(sorting: true)
    }
  }

  /// Takes all rows of a list in the usual order instead. Sorting many thousands of rows was its work,
  /// unless this one has a filter or another order.
  package mutating func take(_ other: RowList) {
    rearrange { list in
      (list.rows, list.places) = (other.rows, other.places)
      (list.usual, list.order, list.texts) = (other.usual, other.order, other.texts)
      guard list.filter == other.filter, list.arrangement == other.arrangement else {
        return list.makeLines(sorting: list.arrangement.sort != other.arrangement.sort)
      }
      (list.lines, list.count) = (other.lines, other.count)
    }
  }

  /// Changes one row, if it is there. Its place may change too.
  package mutating func update(_ key: String, _ change: (inout Row) -> Void) {
    guard let place = places[key] else { return }
    var row = rows[place]
    change(&row)
    guard row != rows[place] else { return }
    let before = rows[place]
    let moves =
      Row.isMoved(before, row, arrangement) || kinds.contains { before.isOf($0) != row.isOf($0) }
    rows[place] = row
    if row.searchText != before.searchText {
      texts = SearchTexts(rows.lazy.map(\.searchText))
    }
    // Progress comes many times a second, and sorting thousands of rows takes milliseconds. Of what
    // changes, an order knows only the size.
    if moves { rearrange { $0.makeLines(sorting: $0.arrangement.sort == .size) } }
  }

  /// Shows only rows that contain every word of a text.
  package mutating func setFilter(_ text: String) {
    guard text != filter else { return }
    rearrange { list in
      list.filter = text
      list.makeLines()
    }
  }

  /// Moves the selection by some rows, as far as there are any.
  package mutating func move(by distance: Int) {
    guard let selection, distance != 0 else { return }
    let step = distance < 0 ? -1 : 1
    var (line, rest, found) = (selection + step, abs(distance), selection)
    while rest > 0, lines.indices.contains(line) {
      if case .row = lines[line] {
        found = line
        rest -= 1
      }
      line += step
    }
    select(found)
  }

  /// Scrolls so that the selection is on a screen of so many lines.
  package mutating func scroll(height: Int) {
    let height = max(1, height)
    guard let selection else {
      top = 0
      return
    }
    // The heading of the first row is part of it.
    var first = selection
    if height > 1, first > 0, case .heading = lines[first - 1] { first -= 1 }
    if first < top { top = first }
    if selection >= top + height { top = selection - height + 1 }
    top = max(0, min(top, lines.count - height))
  }

  /// Selects the row in a line, if there is one.
  package mutating func select(line: Int) {
    if row(line) != nil { select(line) }
  }

  /// Scrolls by some lines, as far as there are any. The selection moves no further than to stay on
  /// a screen of so many lines.
  package mutating func scroll(by distance: Int, height: Int) {
    let height = max(1, height)
    top = max(0, min(top + distance, lines.count - height))
    let shown = top..<min(top + height, lines.count)
    guard let selection, !shown.contains(selection) else { return }
    // If only a heading is shown, the row behind it in the direction of the scroll.
    let line =
      selection < top
      ? (top..<lines.count).first { row($0) != nil }
      : (0..<shown.upperBound).last { row($0) != nil }
    if let line { select(line) }
  }

  private mutating func select(_ line: Int) {
    selection = line
    selectedKey = row(line)?.key
    if let range {
      // One of its ends is the row at which it begins.
      let start = row(range.lowerBound)?.key == rangeStart ? range.lowerBound : range.upperBound
      self.range = min(start, line)...max(start, line)
    }
  }

  private mutating func makeLines(sorting: Bool = false) {
    if sorting { order = Row.order(rows, by: arrangement.sort, usual: usual, texts: texts) }
    let all = filter.lowercased().split(separator: " ")
    kinds = all.filter { $0.hasPrefix(Self.kindPrefix) }
      .map { String($0.dropFirst(Self.kindPrefix.count)) }
    let words = all.filter { !$0.hasPrefix(Self.kindPrefix) }.map { Array($0.utf8) }
    let kinds = kinds
    let kept =
      words.isEmpty && kinds.isEmpty
      ? order
      : texts.having(words).withUnsafeBufferPointer { isFound in
        order.filter { isFound[$0] && kinds.allSatisfy(rows[$0].isOf) }
      }
    count = kept.count
    lines = Row.lines(rows, kept, arrangement)
  }

  private mutating func restoreSelection() {
    let place = selectedKey.flatMap { places[$0] }
    if let place, let line = lines.firstIndex(of: .row(place)) {
      selection = line
      return
    }
    let wanted = min(selection ?? 0, max(0, lines.count - 1))
    let after = lines.indices.dropFirst(wanted).first { row($0) != nil }
    guard let line = after ?? lines.indices.last(where: { row($0) != nil }) else {
      // The row is remembered: a filter that leaves nothing may leave it again.
      selection = nil
      return
    }
    select(line)
  }
}

/// Marks: what is done next is done to all rows that have one.
extension RowList {
  /// Whether the row in a line is marked.
  package func isMarked(_ line: Int) -> Bool {
    guard let row = row(line) else { return false }
    return range?.contains(line) == true || marked.contains(row.key)
  }

  /// Whether a range is being chosen.
  package var choosesRange: Bool { range != nil }

  /// The rows that are marked: those that are shown, in order, then those that a filter hides.
  package var markedRows: [Row] {
    guard range != nil || !marked.isEmpty else { return [] }
    let shown = lines.indices.compactMap { isMarked($0) ? row($0) : nil }
    let hidden = marked.subtracting(shown.map(\.key)).compactMap { places[$0] }.sorted()
    return shown + hidden.map { rows[$0] }
  }

  /// How many rows are marked, whether they are shown or not.
  package var markCount: Int {
    guard let range else { return marked.count }
    return marked.union(range.compactMap { row($0)?.key }).count
  }

  /// The keys of the rows on a screen of so many lines.
  func visibleKeys(height: Int) -> Set<String> {
    Set((top..<top + max(1, height)).compactMap { row($0)?.key })
  }

  /// Marks the selected row, or takes its mark away.
  mutating func mark() {
    endRange()
    guard let selectedKey, selection != nil else { return }
    if marked.remove(selectedKey) == nil { marked.insert(selectedKey) }
  }

  /// Begins a range of marks at the selected row, which the selection extends; or ends it.
  mutating func markRange() {
    if range != nil { return endRange() }
    guard let selection else { return }
    (rangeStart, range) = (selectedKey, selection...selection)
  }

  /// Takes all marks away; whether there were any.
  @discardableResult mutating func unmark() -> Bool {
    defer { (marked, rangeStart, range) = ([], nil, nil) }
    return range != nil || !marked.isEmpty
  }

  private mutating func endRange() {
    if let range { for line in range { if let row = row(line) { marked.insert(row.key) } } }
    (rangeStart, range) = (nil, nil)
  }

  /// Changes the rows or the lines. A range is of the rows that the person saw: when these no longer
  /// follow each other, they keep their marks, and the range ends.
  private mutating func rearrange(_ change: (inout RowList) -> Void) {
    let chosen = range?.compactMap { row($0)?.key }
    range = nil
    change(&self)
    restoreSelection()
    marked = marked.filter { places[$0] != nil }
    guard let chosen else { return }
    let start = rangeStart.flatMap { places[$0] }.flatMap { lines.firstIndex(of: .row($0)) }
    if let start, let selection {
      let now = min(start, selection)...max(start, selection)
      if now.compactMap({ row($0)?.key }) == chosen {
        range = now
        return
      }
    }
    rangeStart = nil
    marked.formUnion(chosen.filter { places[$0] != nil })
  }
}

extension RowList: ExpressibleByArrayLiteral {
  package init(arrayLiteral rows: Row...) { self.init(rows) }
}
