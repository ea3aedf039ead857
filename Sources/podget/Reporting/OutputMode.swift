/// Which renderer a command uses.
enum OutputMode: Sendable, Hashable {
  /// JSON lines on stdout.
  case jsonLines
  /// Plain lines on stderr.
  case plain
  /// The live display on stderr.
  case live

  /// Chooses the mode.
  ///
  /// - Parameters:
  ///   - terminalType: `TERM`; a terminal without a name, or a dumb one, gets plain lines.
  ///   - isForeground: whether podget may draw on the terminal; not when started with `&`.
  static func choose(
    json: Bool, quiet: Bool, noProgress: Bool, errorIsTerminal: Bool, terminalType: String?,
    isForeground: Bool
  ) -> OutputMode {
    if json { return .jsonLines }
    if quiet || noProgress || !errorIsTerminal || !isForeground { return .plain }
    switch terminalType {
    case nil, "", "dumb": return .plain
    default: return .live
    }
  }
}
