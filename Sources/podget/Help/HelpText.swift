/// The help of a command as the argument parser writes it, but with the command's own options before
/// those that commands share. The parser puts options without a section last.
enum HelpText {
  private static let own = "OPTIONS:\n"
  /// What every command has.
  private static let shared = ["--version", "-h, --help"]

  /// Moves the command's own options behind its arguments.
  static func ownOptionsFirst(_ text: String) -> String {
    var sections = text.components(separatedBy: "\n\n")
    guard let place = sections.lastIndex(where: { $0.hasPrefix(own) }),
      let usage = sections.lastIndex(where: { $0.hasPrefix("USAGE: ") }), usage < place,
      sections[place].split(separator: "\n").dropFirst().contains(where: isOwn)
    else { return text }
    let options = sections.remove(at: place)
    let arguments = sections.lastIndex { $0.hasPrefix("ARGUMENTS:\n") } ?? usage
    sections.insert(options.trimmingNewline, at: arguments + 1)
    if let last = sections.indices.last { sections[last] = sections[last].trimmingNewline + "\n" }
    return sections.joined(separator: "\n\n")
  }

  /// Whether a line begins the description of an option that not every command has.
  private static func isOwn(_ line: Substring) -> Bool {
    line.hasPrefix("  -") && !shared.contains { line.dropFirst(2).hasPrefix($0) }
  }
}

extension String {
  fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }

  fileprivate func components(separatedBy separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}
