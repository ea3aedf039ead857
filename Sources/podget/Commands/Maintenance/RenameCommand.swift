import ArgumentParser
import PodcastKit

/// `podget rename`: rename the library's files with a template, or undo that.
struct RenameCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename the library's files with a template.",
    usage: """
      podget rename [<options>] [--template <template>] [<sources> ...]
      podget rename [<options>] --undo <file>
      """,
    discussion: """
      All names are planned before the first file moves; no file is ever overwritten. Missing and \
      unfinished episodes, and those being downloaded again, keep their names. At the end podget \
      prints the command that undoes the rename. Without --template, podget uses PODGET_TEMPLATE or \
      the key template of the configuration; set one of them to name new episodes alike.
        podget rename --template '{podcast}/{date:%Y}/{date} {title}.{ext}' --dry-run
      """)

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup(title: "Names") var layout: LayoutOptions

  @Option(
    help: ArgumentHelp(
      "Undo an earlier rename, which printed the name of FILE.", valueName: "file"),
    completion: .file())
  var undo: String?

  @Flag(help: "Show what would be moved, and move nothing.")
  var dryRun = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    if undo?.isEmpty == true { throw ValidationError("--undo is empty.") }
    if undo != nil, names.template != nil || layout.layout != nil || !sources.isEmpty {
      throw ValidationError("--undo takes no template, layout or sources.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try undo.flatMap(libraryOfUndo) ?? library.resolved(settings)
    let template = try names.given(settings, layout)
    if undo == nil, template == nil {
      throw ValidationError(
        "Name the files with --template, or undo an earlier rename with --undo.")
    }
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      if let undo, !AbsolutePath.exists(undo) {
        let folder = undo.hasPrefix("/") ? "" : " in \(AbsolutePath.currentFolder)"
        throw PodgetError(.notFound, "There is no file \(undo)\(folder).")
      }
      if !dryRun { try library.requireWritable() }
      let reading = library.locatedReading(recording: !dryRun)
      let files = FileMoves(library: library, path: path, reading: reading, output: output)
      try await output.working(on: reading) { local in
        let unfinished = library.unfinishedKeys
        let moves: [FileMove]
        if let undo {
          let undoing = try library.undoing(undo, among: local)
          moves = undoing.moves
          if undoing.elsewhere > 0 {
            output.note(
              "\(EventText.files(undoing.elsewhere)) not where the rename put them: skipped.")
          }
          files.noteUnfinished(undoing.unfinished)
          guard !moves.isEmpty else {
            throw PodgetError(
              .notFound, "Nothing is undone: no file of \(path) is where this rename put it.")
          }
        } else {
          let named = try selection.episodes(
            of: try await SourceArguments.expanded(sources, from: context.input), among: local)
          moves = try template.map { try library.moves(to: $0, of: named, in: reading) } ?? []
          files.noteUnfinished(named.count { $0.isUnfinished(among: unfinished) })
        }
        if dryRun || moves.isEmpty { return try files.explain(moves) }
        try files.perform(moves, in: context)
      }
    }
  }
}

extension RenameCommand {
  /// The library whose renames a file lists; nil if the file is in none, or does not exist.
  ///
  /// - Throws: a ValidationError when the command line names another library.
  private func libraryOfUndo(_ file: String) throws -> String? {
    let suffix = "/\(Library.renamesPath)/"
    let path = AbsolutePath.resolved(AbsolutePath.absolute(file))
    guard AbsolutePath.exists(file), let slash = path.lastIndex(of: "/"),
      path[...slash].hasSuffix(suffix)
    else { return nil }
    let found = path[...slash].dropLast(suffix.count)
    let own = found.isEmpty ? "/" : String(found)
    if let given = library.directory,
      AbsolutePath.resolved(AbsolutePath.absolute(given)) != own
    {
      throw ValidationError("--undo names a rename of the library \(own), and not of \(given).")
    }
    return own
  }
}
