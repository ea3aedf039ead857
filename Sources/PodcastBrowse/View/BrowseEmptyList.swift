import BrowseScreen
import PodcastModel

/// What there is instead of a list without rows.
extension BrowseDrawing {
  private var loading: BrowseModel.Loading {
    if model.tab == .saved, model.isTrashShown { return model.trashLoading }
    if model.tab == .saved || model.tab == .downloads { return model.savedLoading }
    if model.tab == .new { return model.newLoading }
    if let podcast = model.podcast { return podcast.loading }
    return model.searched == nil ? model.subscriptionsLoading : model.foundLoading
  }

  func drawEmpty(hasRows: Bool, _ frame: inout Frame) {
    let sentence: String
    switch loading {
    case .waiting:
      // Rows that are coming have places already.
      for place in 0..<min(8, max(0, lastRow - firstRow)) {
        let width = max(4, min(columns - 6, columns / 2 - place * 3 % 11))
        frame.write(
          String(repeating: look.placeholder, count: width), row: firstRow + place, column: 4,
          style: .dim)
      }
      return
    case .failed(let reason): sentence = reason
    case .loaded:
      if hasRows {
        sentence = "Nothing matches the filter. Esc ends it."
      } else if model.tab == .saved, model.isTrashShown {
        sentence = "The trash is empty."
      } else if model.tab == .saved {
        sentence = "The library is empty. Episodes that you download are listed here."
      } else if model.tab == .downloads {
        sentence = "Nothing is being downloaded, and nothing is unfinished."
      } else if model.tab == .new {
        sentence =
          "Nothing is new of the podcasts that you follow. \(model.keys.name("y")) reads what their feeds list."
      } else if model.podcast != nil {
        sentence = "The podcast lists no episodes."
      } else if model.searched != nil {
        sentence = "Nothing was found. Press \(model.keys.name("a")) to search again."
      } else {
        sentence =
          "No podcast is followed. Press \(model.keys.name("a")) to search Apple's catalog, or "
          + "to type the address of a feed."
      }
    }
    let lines = WrappedText.lines(TerminalText.safe(sentence), columns: columns - 4)
    for (place, line) in lines.enumerated() where firstRow + place < lastRow {
      frame.write(shown(line, to: columns - 2), row: firstRow + place, column: 2)
    }
  }
}
