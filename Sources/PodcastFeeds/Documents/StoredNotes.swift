import PodcastModel

/// Notes of an episode as Markdown in which nothing is loaded and nothing acts: no image, no markup of
/// HTML, and no link but those of the list at the end.
package enum StoredNotes {
  /// The ending of the file's name with its dot.
  package static let ending = ".md"

  /// The notes of a feed; nil if there are none. Of very long ones the last lines are left out.
  package static func text(_ details: EpisodeDetails) -> String? {
    guard let notes = details.notes() else { return nil }
    let most = PlannedBelonging.mostTextBytes
    // The list is the first one with these numbers, so it counts.
    let links = lines(
      notes.links.enumerated().map { "[\($0 + 1)]: \($1)" }, maximumBytes: most / 2)
    let list = links.isEmpty ? "" : "\n\n" + links.joined(separator: "\n")
    let text = lines(
      notes.text.split(separator: "\n", omittingEmptySubsequences: false).map(escaped),
      maximumBytes: most - list.utf8.count - 1)
    return text.joined(separator: "\n") + list + "\n"
  }

  /// The first lines that fit.
  private static func lines(_ all: [String], maximumBytes most: Int) -> ArraySlice<String> {
    var bytes = 0
    return all.prefix { line in
      bytes += line.utf8.count + 1
      return bytes <= most
    }
  }

  /// The most bytes of stored notes that are read.
  private static let mostBytes = 1 << 20

  /// The lines of stored notes, as a person reads them; those between paragraphs are empty.
  package static func lines(in bytes: some Sequence<UInt8>) -> [String] {
    let text = DocumentText.decoded(bytes, charset: nil, maximumBytes: mostBytes)
    var lines = words(String(decoding: text, as: UTF8.self))
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { FeedText.line($0.utf8, maximumBytes: mostBytes) ?? "" }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// A text without the backslashes of Markdown.
  static func words(_ text: String) -> String {
    var words = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let mark = rest.firstIndex(of: "\\") {
      words += rest[..<mark]
      rest = rest[mark...].dropFirst()
      if let next = rest.first, !marks.contains(next) { words.append("\\") }
      if let next = rest.popFirst() { words.append(next) }
    }
    return String(words + rest)
  }

  /// What begins or ends something in Markdown that acts: HTML, images, links and definitions.
  private static let marks: Set<Unicode.Scalar> = ["\\", "<", "!", "(", ":", "`"]

  /// A line in which nothing acts. A reader of Markdown sees scalars: a combining mark behind a bracket
  /// does not belong to it.
  private static func escaped(_ line: Substring) -> String {
    var output = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in line.unicodeScalars {
      let acts =
        switch scalar {
        case "\\", "<", "`": true
        // `![` is an image, `](` a link, and `]:` a definition.
        case "(", ":": last == "]"
        default: false
        }
      if scalar == "[", last == "!" {
        output.removeLast()
        output += "\\!".unicodeScalars
      }
      if acts { output.append("\\") }
      output.append(scalar)
      last = scalar
    }
    return String(output)
  }
}
