import ArgumentParser
import PodcastKit

/// `podget trash`: what was removed and can be restored.
struct TrashCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash",
    abstract: "List what is in the trash and until when, or empty it.",
    usage: "podget trash [<options>]",
    discussion: """
      podget remove and podget prune put files into the trash, and podget restore brings their \
      episodes back. What a repair or a new download replaces goes to the trash too: the present file \
      stays, and the old one can be copied from there. After their day podget deletes them when it \
      runs.
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
        output.noteAbsentTrash(of: library, at: context.now())
        guard empty else {
          if items.isEmpty, reading.problems.isEmpty {
            output.note("The trash of the library \(path) is empty.")
          }
          let table = TrashTable(window: output.window, style: output.style)
          try output.write(items.map { JSONForms.trashedFile($0) }, table: table.text(items))
          if !output.isJSON { noteReplaced(items, in: path, output) }
          return
        }
        let deleted = Set(library.deleteFromTrash(items.map(\.file)))
        let (gone, left) = (
          items.filter { deleted.contains($0.file) }, items.filter { !deleted.contains($0.file) }
        )
        try output.writeResults {
          try output.write(
            gone.map { JSONForms.trashedFile($0) },
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

extension TrashCommand {
  /// How many paths a note has.
  private static let mostPaths = 5

  /// Says where the files are that `restore` does not bring back: their episodes were not removed.
  private func noteReplaced(
    _ items: [TrashedEpisode], in library: String, _ output: ListingOutput
  ) {
    let others = items.filter { $0.local?.status != .removed }
    guard !others.isEmpty else { return }
    let paths = others.prefix(Self.mostPaths).map { "\(library)/\($0.file.path)" }
    let rest = others.count - paths.count
    output.note(
      (others.count == 1 ? "1 file is" : "\(others.count) files are")
        + " not of a removed episode, so podget restore does not bring "
        + (others.count == 1 ? "it" : "them") + " back; copy what you need: "
        + paths.map(ShellText.quoted).joined(separator: ", ")
        + (rest > 0 ? ", and \(rest) more, which --json lists." : "."))
  }
}
