import BrowseScreen

/// Pages of text over the lists: the help and the details of an episode.
extension BrowseModel {
  /// A key while a page of text is shown.
  mutating func read(_ key: Key) -> [BrowseEffect] {
    if let effects = control(key) { return effects }
    if case .settings? = overlay, let effects = pressInSettings(key) { return effects }
    if let effects = pressInWords(key) { return effects }
    if key == .enter, let effects = playSelection() { return effects }
    if let effects = beginLink(key) { return effects }
    if key == .character("/"), let searched = searchedOnPage {
      prompt = Prompt(purpose: .page, text: searched)
      return []
    }
    let page = textHeight
    var distance = 0
    let isSecond = hasG
    hasG = key == .character("g") && !hasG
    switch key {
    case .character("g"): distance = isSecond ? -1_000_000 : 0
    case .control("u"): distance = -max(1, page / 2)
    case .control("d"): distance = max(1, page / 2)
    case .up, .character("k"): distance = -1
    case .down, .character("j"): distance = 1
    case .pageUp: distance = -page
    case .pageDown, .character(" "): distance = page
    case .home: distance = -1_000_000
    case .end, .character("G"): distance = 1_000_000
    case .escape where searchedOnPage?.isEmpty == false:
      searchPage("")
      return []
    case .escape, .backspace, .left, .enter, .character("i"), .character("?"), .character("!"),
      .character("q"):
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
    case .character("n"): return showDetails(after: 1)
    case .character("N"): return showDetails(after: -1)
    case .character(let letter):
      guard case .details? = overlay else { return [] }
      return actIfKnown(letter)
    default: return []
    }
    scrollPage(by: distance)
    return []
  }

  /// What is searched on the page, empty for nothing; nil for a page that is not searched.
  private var searchedOnPage: String? {
    switch overlay {
    case .help: helpFilter
    case .details(let details): details.searched
    case .errors, .settings, .words, nil: nil
    }
  }

  /// Shows what keys do, all of it.
  mutating func showHelp() {
    helpFilter = ""
    overlay = .help(0)
  }

  /// Shows only what a text is in.
  mutating func searchPage(_ text: String) {
    if case .details(var details)? = overlay {
      details.search(text)
      overlay = .details(details)
    } else {
      helpFilter = text
      overlay = .help(0)
    }
  }

  /// Shows the details of the next row, or of the one before.
  private mutating func showDetails(after distance: Int) -> [BrowseEffect] {
    guard case .details(let details)? = overlay else { return [] }
    move(by: distance)
    guard let key = episodes?.selected?.key, key != details.key else {
      message = distance > 0 ? "It is the last one." : "It is the first one."
      return []
    }
    return showDetails(of: key)
  }

  /// Shows a page of the details, and asks for it if it is not there.
  mutating func show(_ page: DetailPage) -> [BrowseEffect] {
    guard case .details(var details)? = overlay else { return [] }
    let isWanted = details.show(page)
    overlay = .details(details)
    guard isWanted else { return [] }
    return [page == .notes ? .loadDetails(details.key) : .loadPage(details.key, page)]
  }

  /// Scrolls the page of text that is shown, as far as there is any. Where lines can be selected, the
  /// selection moves.
  mutating func scrollPage(by distance: Int) {
    if case .details(var details)? = overlay, details.hasTimes {
      var (selection, top) = (details.selection, details.top)
      wrapped.move(&selection, &top, by: distance, height: textHeight)
      (details.selection, details.top) = (selection, top)
      overlay = .details(details)
      return
    }
    if case .settings(var page)? = overlay {
      wrapped.move(&page.selection, &page.top, by: distance, height: textHeight)
      overlay = .settings(page)
      return
    }
    if case .words(var page)? = overlay {
      wrapped.move(&page.selection, &page.top, by: distance, height: textHeight)
      overlay = .words(page)
      return
    }
    let last = max(0, BrowseText.lines(self).count - textHeight)
    switch overlay {
    case .help(let top): overlay = .help(min(max(0, top + distance), last))
    case .errors(let top): overlay = .errors(min(max(0, top + distance), last))
    case .details(var details):
      details.top = min(max(0, details.top + distance), last)
      overlay = .details(details)
    case .settings, .words, nil: break
    }
  }
}
