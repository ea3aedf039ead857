import BrowseScreen

/// How much of each list and page is on the screen.
extension BrowseModel {
  /// How many lines the list has on the screen.
  package var listHeight: Int { listHeight(below: headerRows) }

  /// How many lines a page of text has; the names of the pages of details have a row above it.
  package var textHeight: Int { max(1, listHeight - (hasPageNames ? 1 : 0)) }

  /// Whether the details have several pages.
  var hasPageNames: Bool {
    if case .details(let details)? = overlay { details.pages.count > 1 } else { false }
  }

  /// All rows but the tabs, the header with its line, and the status.
  private func listHeight(below headerRows: Int) -> Int { max(1, size.rows - 3 - headerRows) }

  /// The names of the pages of the details, with the columns in which they are.
  var pageNames: [(page: DetailPage, columns: Range<Int>)] {
    guard case .details(let details)? = overlay else { return [] }
    var column = 1
    return details.pages.map { page in
      defer { column += page.title.count + 2 }
      return (page, column..<column + page.title.count + 2)
    }
  }

  /// Fits lists and pages to the screen.
  mutating func layOut() {
    let height = listHeight(below: 1)
    if case .settings(let page)? = overlay {
      wrapped.wrap(page.lines, columns: BrowseText.columns(size))
    } else if let page = wordsPage {
      wrapped.wrap(page.lines, columns: BrowseText.columns(size))
    } else if case .details(let details)? = overlay {
      let lines: [DetailLine]
      switch details.text {
      case .waiting: lines = [DetailLine(BrowseText.waiting(for: details.shown))]
      case .lines(let text): lines = text
      case .failed(let reason): lines = [DetailLine(reason)]
      }
      wrapped.wrap(lines, columns: BrowseText.columns(size))
    } else {
      wrapped = WrappedPage()
    }
    // In a larger window a page has fewer lines that are not shown.
    scrollPage(by: 0)
    subscriptions.scroll(height: height)
    found.scroll(height: height)
    // Not the height of a page over it: its place on the screen stays the same.
    let podcastHeight = listHeight(below: headerRows(of: podcast?.artwork))
    podcast?.list.scroll(height: podcastHeight)
    saved.scroll(height: height)
    trash.scroll(height: height)
    new.scroll(height: listHeight(below: newHeaderRows))
    downloads.scroll(height: height)
  }
}
