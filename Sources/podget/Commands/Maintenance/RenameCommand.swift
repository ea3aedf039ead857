import ArgumentParser
import PodcastKit

/// `podget rename`: rename the library's files with a template, or undo that.
struct RenameCommand: PodgetCommand {
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
    if undo != nil, names.template != nil || !sources.isEmpty {
      throw ValidationError("--undo takes neither a template nor sources.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try undo.flatMap(libraryOfUndo) ?? library.resolved(settings)
    let template = try names.given(settings)
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
          noteUnfinished(undoing.unfinished, output)
          guard !moves.isEmpty else {
            throw PodgetError(
              .notFound, "Nothing is undone: no file of \(path) is where this rename put it.")
          }
        } else {
          let named = try selection.episodes(
            of: try await SourceArguments.expanded(sources, from: context.input), among: local)
          moves = try template.map { try library.moves(to: $0, of: named, in: reading) } ?? []
          noteUnfinished(
            named.count { $0.status == .partial || $0.isReplaced(among: unfinished) }, output)
        }
        if dryRun || moves.isEmpty {
          return try output.writeResults(whenQuiet: true) {
            try write(moves, among: local, to: output) { _ in .planned }
          } then: {
            output.summarize(
              moves.isEmpty
                ? "There is nothing to rename."
                : "\(EventText.files(moves.count)) would be renamed.")
          }
        }
        try perform(moves, reading, library, path, output, context)
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

  private func perform(
    _ moves: [FileMove], _ reading: LibraryReading, _ library: Library, _ path: String,
    _ output: ListingOutput, _ context: CommandContext
  ) throws {
    let undo: String
    do throws(DiskError) {
      undo = try library.writeUndo(of: moves, at: context.now())
    } catch {
      throw error.podgetError
    }
    var mover = FileMover(library, reading.episodes, emptied: reading.emptied)
    let failures = mover.perform(moves)
    // Until the run has ended, missing files are looked up in the list of moves, which takes a
    // moment.
    if !mover.hasStrays { try? library.endUndo(undo) }
    try output.writeResults {
      try write(moves, among: reading.episodes, to: output) { move in
        failures[move.key].map { .failed($0) } ?? .moved
      }
    } then: {
      if failures.count < moves.count {
        output.hint(
          "\(EventText.files(moves.count - failures.count)) renamed. To undo: "
            + "podget rename --undo "
            + ShellText.quoted("\(AbsolutePath.resolved(AbsolutePath.absolute(path)))/\(undo)"))
      }
      try output.require(
        noneOf: moves.compactMap { move in
          failures[move.key].map {
            PodgetError(.disk, "\(move.from) was not renamed: \($0.sentence)")
          }
        })
    }
  }

  /// How many lines of text are written at a time.
  private static let linesAtOnce = 1_000

  /// Writes the results for the files, in pieces: a library has very many.
  private func write(
    _ moves: [FileMove], among local: [LocalEpisode], to output: ListingOutput,
    outcome: @Sendable (FileMove) -> RenamedFile.Outcome
  ) throws {
    let moves = moves.sorted { $0.from.text < $1.from.text }
    func elements() -> [(FileMove, LocalEpisode)] {
      let byKey = Dictionary(local.map { ($0.key, $0) }) { first, _ in first }
      return moves.compactMap { move in byKey[move.key.text].map { (move, $0) } }
    }
    try output.write(
      elements(), json: { JSONForms.renamedFile((RenamedFile($0, outcome($0)), $1)) },
      sendingTable: { send throws(PodgetError) in
        for start in stride(from: 0, to: moves.count, by: Self.linesAtOnce) {
          let lines = moves[start..<min(start + Self.linesAtOnce, moves.count)].map {
            RenamedFile($0, outcome($0)).line(output.style)
          }
          try send(lines.joined())
        }
      })
  }

  private func noteUnfinished(_ count: Int, _ output: ListingOutput) {
    guard count > 0 else { return }
    output.note(
      count == 1
        ? "1 episode that is not finished keeps its name; rename again when podget resume has "
          + "finished it."
        : "\(EventText.episodes(count)) that are not finished keep their names; "
          + "rename again when podget resume has finished them.")
  }
}

extension LocalEpisode {
  /// Whether its complete file exists and is being downloaded again.
  fileprivate func isReplaced(among unfinished: Set<EpisodeKey>) -> Bool {
    guard !unfinished.isEmpty, status == .complete else { return false }
    return EpisodeKey(key).map(unfinished.contains) ?? false
  }
}
