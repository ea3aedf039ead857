import BrowseScreen

/// What the mouse does.
extension BrowseModel {
  /// How many lines one step of the wheel scrolls.
  private static let wheelLines = 3

  /// The columns of the names of the tabs in the first row.
  static let tabColumns: [(tab: Tab, columns: Range<Int>)] = {
    var column = 0
    return Tab.allCases.map { tab in
      defer { column += tab.rawValue.count + 2 }
      return (tab, column..<column + tab.rawValue.count + 2)
    }
  }()

  /// The first row of a list or of a page.
  private var firstRow: Int { headerRows + 2 }

  /// Takes a movement of the wheel or a click, and says what is to be done.
  mutating func point(_ mouse: MouseEvent) -> [BrowseEffect] {
    // What is being typed stays where it belongs.
    guard prompt == nil, question == nil else { return [] }
    switch mouse.kind {
    case .wheelUp: scroll(by: -Self.wheelLines)
    case .wheelDown: scroll(by: Self.wheelLines)
    case .press: return click(mouse)
    }
    return []
  }

  private mutating func scroll(by distance: Int) {
    if overlay != nil { return scrollPage(by: distance) }
    let height = listHeight
    changeList {
      $0.scroll(by: distance, height: height)
    } podcasts: {
      $0.scroll(by: distance, height: height)
    }
  }

  private mutating func click(_ mouse: MouseEvent) -> [BrowseEffect] {
    if mouse.row == 0 {
      guard let tab = Self.tabColumns.first(where: { $0.columns.contains(mouse.column) })?.tab
      else { return [] }
      overlay = nil
      return show(tab)
    }
    if overlay != nil {
      let page = pageNames.first { $0.columns.contains(mouse.column) }?.page
      guard let page, hasPageNames, mouse.row == firstRow else { return [] }
      return show(page)
    }
    let place = mouse.row - firstRow
    guard (0..<listHeight).contains(place) else { return [] }
    let line = place + (episodes?.top ?? podcasts?.top ?? 0)
    // The second click does what Enter does.
    if line == episodes?.selection ?? podcasts?.selection { return press(.enter) }
    changeList {
      $0.select(line: line)
    } podcasts: {
      $0.select(line: line)
    }
    return []
  }
}
