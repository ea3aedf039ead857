import PodcastKit

/// Moves of files in a library, made and reported; `rename` and `edit` have them in common.
struct FileMoves: Sendable {
  let library: Library
  /// The library's path, as given.
  let path: String
  let reading: LibraryReading
  let output: ListingOutput

  /// How many lines of text are written at a time.
  private static let linesAtOnce = 1_000

  /// Writes what would be moved.
  ///
  /// - Parameter json: writes the JSON, if it is not that of `rename`.
  func explain(_ moves: [FileMove], json: (() throws -> Void)? = nil) throws {
    try output.writeResults(whenQuiet: true) {
      if let json, output.isJSON { return try json() }
      try write(moves) { _ in .planned }
    } then: {
      output.summarize(
        moves.isEmpty
          ? "There is nothing to rename."
          : "\(EventText.files(moves.count)) would be renamed.")
    }
  }

  /// Moves the files, writes what was moved, and how it can be undone.
  ///
  /// - Parameters:
  ///   - now: the time of day (UTC).
  ///   - prepare: what else has to be on the disk before the first file moves; it gets the list of the
  ///     moves.
  ///   - takeBack: takes that back if no file has moved.
  ///   - json: writes the JSON, if it is not that of `rename`.
  func perform(
    _ moves: [FileMove], in context: CommandContext,
    after prepare: (String) throws(PodgetError) -> Void = { _ throws(PodgetError) in },
    takingBack takeBack: () throws(PodgetError) -> Void = { () throws(PodgetError) in },
    json: (() throws -> Void)? = nil
  ) throws {
    let undo: MoveList
    do throws(DiskError) {
      undo = try library.writeUndo(of: moves, at: context.now())
    } catch {
      throw error.podgetError
    }
    try prepare(undo.path)
    var mover = FileMover(library, reading.episodes)
    let failures = mover.perform(moves)
    // Until the run has ended, missing files are looked up in the list of moves, which takes a
    // moment.
    if !mover.hasStrays { try? undo.end() }
    if !moves.isEmpty, failures.count == moves.count { try takeBack() }
    try output.writeResults {
      if let json, output.isJSON { return try json() }
      try write(moves) { move in failures[move.key].map { .failed($0) } ?? .moved }
    } then: {
      if failures.count < moves.count {
        output.hint(
          "\(EventText.files(moves.count - failures.count)) renamed. To undo: "
            + "podget rename --undo "
            + ShellText.quoted("\(AbsolutePath.resolved(AbsolutePath.absolute(path)))/\(undo.path)")
        )
      }
      try output.require(
        noneOf: moves.compactMap { move in
          failures[move.key].map {
            PodgetError(.disk, "\(move.from) was not renamed: \($0.sentence)")
          }
        })
    }
  }

  /// Writes the results for the files, in pieces: a library has very many.
  private func write(
    _ moves: [FileMove], outcome: @Sendable (FileMove) -> RenamedFile.Outcome
  ) throws {
    let moves = moves.sorted { $0.from.text < $1.from.text }
    func elements() -> [(FileMove, LocalEpisode)] {
      let byKey = Dictionary(reading.episodes.map { ($0.key, $0) }) { first, _ in first }
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

  /// Says how many files keep their names because they are not finished.
  func noteUnfinished(_ count: Int) {
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
  /// Whether it is unfinished, or its complete file is being downloaded again.
  func isUnfinished(among unfinished: Set<EpisodeKey>) -> Bool {
    if status == .partial { return true }
    guard !unfinished.isEmpty, status == .complete else { return false }
    return EpisodeKey(key).map(unfinished.contains) ?? false
  }
}
