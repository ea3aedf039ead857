import ArgumentParser
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
          return try output.write(items.map { JSONForms.trashedFile($0) }, table: table.text(items))
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
