/// Wraps a sentence, at spaces if there are any.
package enum WrappedText {
  /// Lines of at most `columns` cells; a word that is wider is cut.
  package static func lines(_ text: String, columns: Int) -> [String] {
    let columns = max(2, columns)
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ") {
      let width = TerminalText.width(String(word))
      if used > 0, used + 1 + width <= columns {
        line += " " + word
        used += 1 + width
        continue
      }
      if used > 0 { lines.append(line) }
      (line, used) = ("", 0)
      for character in word {
        let next = TerminalText.width(String(character))
        if used + next > columns {
          lines.append(line)
          (line, used) = ("", 0)
        }
        line.append(character)
        used += next
      }
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }
}
