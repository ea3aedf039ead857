import FoundationEssentials
import PodcastKit

/// A file in the trash, and its episode if a record has it.
struct TrashedEpisode: Sendable {
  var file: Library.TrashedFile
  var local: LocalEpisode?

  /// The episode's title, or the path of a file without one.
  var name: String { local?.title ?? file.path }

  /// Finds the episodes of files.
  static func all(
    _ files: [Library.TrashedFile], of episodes: [LocalEpisode]
  ) -> [TrashedEpisode] {
    guard !files.isEmpty else { return [] }
    let keys = Set(files.map(\.key.text))
    let known = Dictionary(
      episodes.lazy.filter { keys.contains($0.key) }.map { ($0.key, $0) }
    ) { first, _ in first }
    return files.map { TrashedEpisode(file: $0, local: known[$0.key.text]) }
  }

  /// Until when the files of episodes are kept, by their keys; the latest of several.
  static func terms(of library: Library?) -> [String: Date] {
    Dictionary(
      (library?.trashedFiles ?? []).map { ($0.key.text, $0.keptUntil) }, uniquingKeysWith: max)
  }
}

extension ListingOutput {
  /// Says which files of the trash cannot be restored now, if there are any.
  func noteAbsentTrash(of library: Library, at now: Date) {
    if let sentence = library.absentTrash(at: now) { note(sentence) }
  }
}

/// The table of `trash`.
struct TrashTable: Sendable {
  /// The width of a line in cells; nil is no limit.
  let window: Int?
  /// The terminal's style.
  let style: TerminalStyle

  /// The files, those that go first at the top, and their total.
  func text(_ items: [TrashedEpisode]) -> String {
    guard !items.isEmpty else { return "" }
    typealias Column = TableLayout<TrashedEpisode>.Column
    let layout = TableLayout(
      [
        Column(column: .init(title: "Until"), cell: { CivilDay($0.file.keptUntil).description }),
        Column(column: .init(title: "Title", mayShrink: true), cell: { $0.name }),
        Column(
          column: .init(title: "Podcast", mayShrink: true), narrowestWindow: 76,
          cell: { $0.local?.podcast.shownTitle ?? "" }),
        Column(
          column: .init(title: "Size", alignment: .right), narrowestWindow: 40,
          cell: { ByteText.size($0.file.bytes) }),
      ], window: window, style: style)
    var table = layout.emptyTable
    layout.add(items, to: &table)
    let count = items.count == 1 ? "1 file" : "\(items.count) files"
    let total = "\(count), \(ByteText.size(ByteSum.of(items.map(\.file.bytes))))"
    return table.text(window: window) + "\n\(total)\n"
  }
}
