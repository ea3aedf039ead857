import PodcastModel

/// A podcast in a list. Its texts are safe for a terminal.
package struct PodcastRow: BrowseRow {
  /// The source that names it for podget: an id, an address or the name of a subscription.
  package let key: String
  /// The title.
  package let title: String
  /// The author, if known.
  package let author: String
  /// What there is to know besides, such as "failing" or "120 episodes".
  package let note: String
  /// What is known of its feed, in a sentence or more; empty for nothing.
  package let about: String
  /// Whether it is followed.
  package var isFollowed: Bool
  /// The address of its artwork, if known.
  package let artwork: String?
  /// What a filter searches.
  package let searchText: String

  /// Creates a row; the texts are made safe.
  package init(
    source: String, title: String, author: String? = nil, note: String = "", about: String = "",
    isFollowed: Bool = false, artwork: String? = nil
  ) {
    key = source
    self.title = TerminalText.safe(title)
    self.author = TerminalText.safe(author ?? "")
    self.note = note
    self.about = about
    self.isFollowed = isFollowed
    self.artwork = artwork
    searchText = "\(self.title)\n\(self.author)".lowercased()
  }

  package static func usualOrder(_ rows: [PodcastRow]) -> [Int] { Array(rows.indices) }

  package static func order(
    _ rows: [PodcastRow], by sort: RowArrangement.Sort, usual: [Int], texts: SearchTexts
  ) -> [Int] {
    sort == .title ? texts.sorted(usual) : usual
  }

  package static func lines(
    _ rows: [PodcastRow], _ places: [Int], _ arrangement: RowArrangement
  ) -> [RowLine] {
    places.map { .row($0) }
  }

  package func isOf(_ kind: String) -> Bool { true }

  package static func isMoved(
    _ before: PodcastRow, _ after: PodcastRow, _ arrangement: RowArrangement
  ) -> Bool {
    false
  }
}
