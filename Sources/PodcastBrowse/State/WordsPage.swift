import BrowseScreen
import PodcastModel

/// What a search for words in titles, notes and transcripts of the library has found.
package struct WordsPage: Sendable, Hashable {
  /// A line of what was found.
  package struct Line: Sendable, Hashable {
    /// The key of the episode.
    package let key: String
    /// The text, with the time in the episode if it has one.
    package let line: DetailLine

    /// Creates a line.
    package init(key: String, _ line: DetailLine) { (self.key, self.line) = (key, line) }
  }

  /// What is sought.
  package let text: String
  /// What was found; nil while that is being sought.
  var found: [Line]?
  /// Why nothing was sought.
  var failure: String?
  /// The line that is selected.
  var selection = 0
  /// The first line on the screen.
  var top = 0

  init(_ text: String) { self.text = text }

  /// The line that is selected.
  var selected: Line? {
    guard let found, found.indices.contains(selection) else { return nil }
    return found[selection]
  }

  /// The page as text.
  var lines: [DetailLine] {
    if let failure { return [DetailLine(failure)] }
    guard let found else { return [DetailLine("Looking for it.")] }
    return found.isEmpty
      ? [DetailLine("No title has it, and no notes or transcript that are stored.")]
      : found.map(\.line)
  }
}

/// Words in titles, notes and transcripts.
extension BrowseModel {
  /// What was found, if it is shown.
  package var wordsPage: WordsPage? {
    if case .words(let page)? = overlay { page } else { nil }
  }

  /// Looks for words.
  mutating func findWords(_ text: String) -> [BrowseEffect] {
    overlay = .words(WordsPage(text))
    return [.findWords(text)]
  }

  /// Takes what was found, or why nothing was sought.
  mutating func take(_ found: [WordsPage.Line], failure: String? = nil, of text: String) {
    guard case .words(var page)? = overlay, page.text == text else { return }
    (page.found, page.failure) = (found, failure)
    overlay = .words(page)
  }

  /// A key while what was found is shown; nil if it does the same as on other pages.
  mutating func pressInWords(_ key: Key) -> [BrowseEffect]? {
    guard case .words(let page)? = overlay else { return nil }
    switch key {
    case .character("w"):
      prompt = Prompt(purpose: .words, text: page.text)
      return []
    case .enter, .character("o"):
      guard let selected = page.selected, let row = row(selected.key) else { return [] }
      return play(row, from: selected.line.time)
    case .character("i"):
      guard let selected = page.selected else { return [] }
      return showDetails(of: selected.key)
    default: return nil
    }
  }
}
