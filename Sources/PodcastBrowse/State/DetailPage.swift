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
  /// When it begins; nil if it has no time.
  package var time: Duration?
  /// The address that it names; nil if it is no link.
  package var link: String?

  /// Creates a line.
  package init(_ text: String, label: String = "", time: Duration? = nil, link: String? = nil) {
    self.label = label
    self.text = text
    self.time = time
    self.link = link
  }
}

/// How far a page is with being read.
package enum DetailText: Sendable, Hashable {
  case waiting
  case lines([DetailLine])
  /// It cannot be read: why.
  case failed(String)
}

/// The lines of a page that have what a person searches.
private struct Search: Sendable, Hashable {
  let text: String
  let places: [Int]

  /// Searches a page; nil if there is nothing to search.
  init?(_ text: String, in page: DetailText?) {
    let words = text.lowercased().split(separator: " ").map { Array($0.utf8) }
    guard !words.isEmpty else { return nil }
    self.text = text
    guard case .lines(let lines)? = page else {
      places = []
      return
    }
    let isFound = SearchTexts(lines.lazy.map { "\($0.label) \($0.text)".lowercased() })
      .having(words)
    places = lines.indices.filter { isFound[$0] }
  }
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
  /// What is searched on a page.
  private var searches: [DetailPage: Search] = [:]
  /// How many lines are above the screen: of the whole page, and of what was found.
  private var tops: [DetailPage: Int] = [:]
  private var foundTops: [DetailPage: Int] = [:]
  /// The selected lines, as places in the whole texts.
  private var selections: [DetailPage: Int] = [:]

  /// Creates the details of an episode about which nothing is known.
  init(of key: String) { self.key = key }

  /// The text of the page that is shown: all of it, or the lines that have what is searched.
  package var text: DetailText {
    let all = texts[shown] ?? .waiting
    guard let search = searches[shown], case .lines(let lines) = all else { return all }
    return search.places.isEmpty
      ? .lines([DetailLine("Nothing here has \"\(search.text)\". Esc shows all.")])
      : .lines(search.places.map { lines[$0] })
  }

  /// What is searched on the page that is shown; empty for nothing.
  package var searched: String { searches[shown]?.text ?? "" }

  /// How many lines of the page are above the screen.
  package var top: Int {
    get { (searches[shown] == nil ? tops[shown] : foundTops[shown]) ?? 0 }
    set {
      if searches[shown] == nil { tops[shown] = newValue } else { foundTops[shown] = newValue }
    }
  }

  /// Which line of the text is selected, on a page that has times: if that one was not found, the next
  /// one that was.
  package var selection: Int {
    get {
      let place = selections[shown] ?? 0
      guard let found = searches[shown]?.places else { return place }
      return found.firstIndex { $0 >= place } ?? max(0, found.count - 1)
    }
    set {
      guard let found = searches[shown]?.places else { return selections[shown] = newValue }
      if found.indices.contains(newValue) { selections[shown] = found[newValue] }
    }
  }

  /// Whether lines of the page have times, from which the episode can be played.
  package var hasTimes: Bool {
    guard shown != .notes, case .lines(let lines)? = texts[shown] else { return false }
    return lines.contains { $0.time != nil }
  }

  /// When the selected line begins.
  var selectedTime: Duration? {
    lines.indices.contains(selection) ? lines[selection].time : nil
  }

  /// Selects the last line of a page that begins at a time or before.
  mutating func select(_ time: Duration, on page: DetailPage) {
    guard case .lines(let lines)? = texts[page] else { return }
    selections[page] = lines.lastIndex { $0.time.map { $0 <= time } ?? false }
  }

  /// The links of the page, by their numbers from 1 on.
  package var links: [String] {
    if case .lines(let lines)? = texts[shown] { lines.compactMap(\.link) } else { [] }
  }

  private var lines: [DetailLine] {
    if case .lines(let lines) = text { lines } else { [] }
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
  mutating func take(_ text: DetailText, of page: DetailPage) {
    texts[page] = text
    if let text = searches[page]?.text { searches[page] = Search(text, in: texts[page]) }
  }

  /// Shows only the lines of the page that have each word of a text.
  mutating func search(_ text: String) {
    searches[shown] = Search(text, in: texts[shown])
    foundTops[shown] = nil
  }

  /// Takes which pages the episode has.
  mutating func take(_ pages: Set<DetailPage>) {
    self.pages = DetailPage.allCases.filter { $0 == .notes || pages.contains($0) }
  }

  private func page(after distance: Int) -> DetailPage? {
    guard pages.count > 1, let place = pages.firstIndex(of: shown) else { return nil }
    return pages[(place + distance + pages.count) % pages.count]
  }
}
