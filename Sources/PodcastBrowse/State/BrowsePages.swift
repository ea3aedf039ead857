import BrowseScreen

/// Pages of text over the lists: the help and the details of an episode.
extension BrowseModel {
  /// A key while a page of text is shown.
  mutating func read(_ key: Key) -> [BrowseEffect] {
    let page = textHeight
    var distance = 0
    switch key {
    case .up, .character("k"): distance = -1
    case .down, .character("j"): distance = 1
    case .pageUp: distance = -page
    case .pageDown, .character(" "): distance = page
    case .home: distance = -1_000_000
    case .end: distance = 1_000_000
    case .escape, .backspace, .left, .enter, .character("i"), .character("?"), .character("q"):
      overlay = nil
      return []
    case .tab, .backTab:
      guard case .details(let details)? = overlay,
        let next = key == .tab ? details.next : details.previous
      else { return [] }
      return show(next)
    case .character("r"):
      retryArtwork()
      if case .details(let details)? = overlay { return show(details.shown) }
    default: return []
    }
    scrollPage(by: distance)
    return []
  }

  /// Shows a page of the details, and asks for it if it is not there.
  mutating func show(_ page: DetailPage) -> [BrowseEffect] {
    guard case .details(var details)? = overlay else { return [] }
    let isWanted = details.show(page)
    overlay = .details(details)
    guard isWanted else { return [] }
    return [page == .notes ? .loadDetails(details.key) : .loadPage(details.key, page)]
  }

  /// Scrolls the page of text that is shown, as far as there is any.
  mutating func scrollPage(by distance: Int) {
    let last = max(0, BrowseText.lines(self).count - textHeight)
    switch overlay {
    case .help(let top): overlay = .help(min(max(0, top + distance), last))
    case .details(var details):
      details.top = min(max(0, details.top + distance), last)
      overlay = .details(details)
    case nil: break
    }
  }
}
