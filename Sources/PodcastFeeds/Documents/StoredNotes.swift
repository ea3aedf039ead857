/// Notes of an episode as Markdown in which nothing is loaded and nothing acts: no image, no markup of
/// HTML, and no link but those of the list at the end.
package enum StoredNotes {
  /// The ending of the file's name with its dot.
  package static let ending = ".md"

  /// The notes of a feed; nil if there are none.
  package static func text(_ details: EpisodeDetails) -> String? {
    guard let notes = details.notes() else { return nil }
    var text = notes.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map(escaped).joined(separator: "\n")
    if !notes.links.isEmpty {
      // The list is the first one with these numbers, so it counts.
      text += "\n\n" + notes.links.enumerated().map { "[\($0 + 1)]: \($1)" }.joined(separator: "\n")
    }
    return text + "\n"
  }

  /// The words of stored notes, as a person reads them.
  package static func words(_ text: String) -> String {
    var words = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "\\") {
      words += rest[..<mark]
      rest = rest[mark...].dropFirst()
      if let next = rest.first, !marks.contains(next) { words += "\\" }
      if let next = rest.popFirst() { words.append(next) }
    }
    return words + rest
  }

  /// What begins or ends something in Markdown that acts: HTML, images, links and definitions.
  private static let marks: Set<Character> = ["\\", "<", "!", "(", ":", "`"]

  private static func escaped(_ line: Substring) -> String {
    var output = ""
    var last: Character?
    for character in line {
      let acts =
        switch character {
        case "\\", "<", "`": true
        // `![` is an image, `](` a link, and `]:` a definition.
        case "(", ":": last == "]"
        default: false
        }
      if character == "[", last == "!" {
        output.removeLast()
        output += "\\!"
      }
      if acts { output += "\\" }
      output.append(character)
      last = character
    }
    return output
  }
}
