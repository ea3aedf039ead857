/// Podget's own characters on a terminal, which may not be able to show all of them. Titles and paths
/// stay as they are, because people copy them.
package protocol TerminalMarks {
  /// Whether the terminal shows characters beyond ASCII.
  var isUTF8: Bool { get }
}

extension TerminalMarks {
  /// The mark for omitted text.
  package var ellipsis: String { isUTF8 ? "…" : "..." }
  /// The separator between a title and its author.
  package var dash: String { isUTF8 ? "—" : "-" }
  /// The separator between an old and a new name.
  package var arrow: String { isUTF8 ? "→" : "->" }
}
