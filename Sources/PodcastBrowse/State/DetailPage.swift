/// A page of the details of an episode.
package enum DetailPage: Int, Sendable, Hashable, CaseIterable {
  /// What the podcast says about the episode.
  case notes
  case chapters
  case transcript

  /// What it is called on the screen.
  var title: String {
    switch self {
    case .notes: "Notes"
    case .chapters: "Chapters"
    case .transcript: "Transcript"
    }
  }
}

/// A line of a page, which may take several rows.
package struct DetailLine: Sendable, Hashable {
  /// What stands before the text, in a column of its own; empty for none.
  package var label: String
  /// The text.
  package var text: String

  /// Creates a line.
  package init(_ text: String, label: String = "") {
    self.label = label
    self.text = text
  }
}

/// How far a page is with being read.
package enum DetailText: Sendable, Hashable {
  case waiting
  case lines([DetailLine])
  /// It cannot be read: why.
  case failed(String)
}

/// The details of an episode: the pages that it has, and which one is shown.
package struct EpisodeDetailPages: Sendable, Hashable {
  /// The key of the episode.
  package let key: String
  /// The page that is shown.
  package private(set) var shown = DetailPage.notes
  /// The pages that the episode has, as far as that is known.
  package private(set) var pages: [DetailPage] = [.notes]

  /// The texts that were asked for.
  private var texts: [DetailPage: DetailText] = [.notes: .waiting]
  private var tops: [DetailPage: Int] = [:]

  /// Creates the details of an episode about which nothing is known.
  init(of key: String) { self.key = key }

  /// The text of the page that is shown.
  package var text: DetailText { texts[shown] ?? .waiting }

  /// How many lines of the page are above the screen.
  package var top: Int {
    get { tops[shown] ?? 0 }
    set { tops[shown] = newValue }
  }

  /// The page that follows the one that is shown; nil if there is no other.
  var next: DetailPage? { page(after: 1) }

  /// The page before the one that is shown.
  var previous: DetailPage? { page(after: -1) }

  /// Shows a page; whether its text must be asked for.
  mutating func show(_ page: DetailPage) -> Bool {
    shown = page
    return ask()
  }

  /// Whether the text of the page must be asked for: it never was, or that failed.
  mutating func ask() -> Bool {
    switch texts[shown] {
    case .waiting?, .lines?: return false
    case .failed?, nil:
      texts[shown] = .waiting
      return true
    }
  }

  /// Takes the text of a page.
  mutating func take(_ text: DetailText, of page: DetailPage) { texts[page] = text }

  /// Takes which pages the episode has.
  mutating func take(_ pages: Set<DetailPage>) {
    self.pages = DetailPage.allCases.filter { $0 == .notes || pages.contains($0) }
  }

  private func page(after distance: Int) -> DetailPage? {
    guard pages.count > 1, let place = pages.firstIndex(of: shown) else { return nil }
    return pages[(place + distance + pages.count) % pages.count]
  }
}
