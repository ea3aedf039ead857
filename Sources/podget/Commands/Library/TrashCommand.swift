import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget trash`: what was removed and can be restored.
struct TrashCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash",
    abstract: "List what is in the trash and until when, or empty it.",
    usage: "podget trash [<options>]",
    discussion: """
      podget remove and podget prune put files into the trash, and so does what replaces a file. podget \
      restore brings them back. After their day podget deletes them when it runs.
      """)

  @Flag(help: "Delete everything in the trash now. It cannot be restored any more.")
  var empty = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let library = try LibrarySelection(output: output, library: path).open()
      if empty { try library.requireWritable() }
      let reading = library.reading()
      try await output.working(on: reading) { local in
        let items = TrashedEpisode.all(library.trashedFiles, of: local)
        guard empty else {
          if items.isEmpty { output.note("The trash of the library \(path) is empty.") }
          let table = TrashTable(window: output.window, style: output.style)
          return try output.write(items.map { JSONValue($0) }, table: table.text(items))
        }
        let deleted = Set(library.deleteFromTrash(items.map(\.file)))
        let (gone, left) = (
          items.filter { deleted.contains($0.file) }, items.filter { !deleted.contains($0.file) }
        )
        try output.writeResults {
          try output.write(
            gone.map { JSONValue($0) },
            lines: gone.map {
              ResultLine(verb: "deleted", name: "\($0.name)  \(ByteText.size($0.file.bytes))")
            })
        } then: {
          output.summarize(
            gone.isEmpty
              ? "The trash is empty."
              : "\(gone.count == 1 ? "1 file" : "\(gone.count) files") deleted "
                + "(\(ByteText.size(ByteSum.of(gone.map(\.file.bytes)))))")
          try output.require(
            noneOf: left.map { PodgetError(.disk, "\($0.name) cannot be deleted.") })
        }
      }
    }
  }
}

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
          cell: { $0.local?.podcast.title ?? "" }),
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
