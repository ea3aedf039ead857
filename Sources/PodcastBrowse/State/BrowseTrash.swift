import BrowseScreen
import PodcastModel

/// The trash, which is shown in place of the library.
extension BrowseModel {
  /// What the key of a row begins with whose file is not that of a removed episode: a repair or a new
  /// download has replaced it.
  package static let replacedPrefix = "/trash/"

  /// Shows what was removed, or the library again.
  mutating func showTrash() -> [BrowseEffect] {
    if tab == .saved, isTrashShown {
      isTrashShown = false
      return []
    }
    (tab, isTrashShown) = (.saved, true)
    return [.loadTrash]
  }

  /// A key while the trash is shown; nil if it does the same as elsewhere.
  mutating func pressInTrash(_ key: Key) -> [BrowseEffect]? {
    let marked = trash.markedRows
    let rows = marked.isEmpty ? trash.selected.map { [$0] } ?? [] : marked
    switch key {
    case .character("x"), .delete: askToDelete(rows)
    case .character("X"): askToDelete(trash.shownRows)
    case .character("d"), .character("D"), .character("p"), .character("c"), .character("s"),
      .character("m"), .character("o"):
      message =
        "It is in the trash: \(keys.name("R")) restores it, \(keys.name("x")) deletes it for good."
    case .enter, .character("i"), .character("R"):
      guard let row = trash.selected, row.key.hasPrefix(Self.replacedPrefix), marked.isEmpty else {
        return nil
      }
      message =
        "Its episode was not removed; the file is \(row.key.dropFirst(Self.replacedPrefix.count)) in the "
        + "library. Copy it from there if you need it."
    default: return nil
    }
    return []
  }

  private mutating func askToDelete(_ rows: [EpisodeRow]) {
    guard !rows.isEmpty else {
      message = "There is nothing to delete."
      return
    }
    question = .empty(
      rows.map(\.key), files: rows.flatMap(\.files), bytes: ByteSum.of(rows.map(\.size)))
  }
}
