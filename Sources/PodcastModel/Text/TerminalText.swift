/// Text from the network, made safe for a terminal, and its width in columns.
package enum TerminalText {
  /// The text on one line, without terminal control characters and characters that hide or reorder
  /// text.
  ///
  /// Line breaks and tabs become one space, other controls U+FFFD; direction controls, zero-width
  /// characters, tags and noncharacters are removed. Joiners and variation selectors stay: emoji
  /// need them.
  package static func safe(_ text: String) -> String {
    if PlainText.columns(of: text) != nil { return text }
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch treatment(of: scalar) {
      case .keep: output.append(scalar)
      case .remove: break
      case .space: if output.last != " " { output.append(" ") }
      case .replace: output.append("\u{FFFD}")
      }
    }
    return String(output)
  }

  /// The text made safe, as by ``safe(_:)``, and its columns: usually one pass gives both.
  package static func measured(_ text: String) -> (text: String, columns: Int) {
    if let columns = PlainText.columns(of: text) { return (text, columns) }
    let safe = safe(text)
    return (safe, width(safe))
  }

  /// The columns that safe text takes.
  package static func width(_ text: String) -> Int {
    PlainText.columns(of: text) ?? text.reduce(0) { $0 + ColumnWidth.of($1) }
  }

  /// The text if it fits into the columns, otherwise its beginning, cut between characters, with
  /// the mark for omitted text, or as much of that as fits.
  package static func truncated(
    _ text: String, to columns: Int, mark: String = "…"
  ) -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    let mark = mark.prefix(columns)
    return String(beginning(of: text, columns: columns - mark.count) + mark)
  }

  /// The text if it fits into the columns, otherwise its most specific parts: its beginning, and
  /// also its end if that is a number, as in `The History of… Part 2`.
  package static func shortened(
    _ text: String, to columns: Int, mark: String = "…"
  ) -> String {
    guard width(text) > columns, let end = numberedEnd(of: text, within: columns / 2),
      columns - width(end) - 1 >= mark.count
    else { return truncated(text, to: columns, mark: mark) }
    var kept = String(beginning(of: text, columns: columns - width(end) - 1 - mark.count))
    while kept.last == " " { kept.removeLast() }
    return "\(kept)\(mark) \(end)"
  }

  /// The text padded with spaces to the columns; longer text stays as it is.
  package static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }
}

extension TerminalText {
  private static func beginning(of text: String, columns: Int) -> Substring {
    var used = 0
    return text.prefix { character in
      used += ColumnWidth.of(character)
      return used <= columns
    }
  }

  private enum Treatment {
    case keep, remove, space, replace
  }

  /// The last word if it contains a number; with the word before it, as in `Part 2` and `Book IV`,
  /// if it is only a number and there is room for both.
  private static func numberedEnd(of text: String, within columns: Int) -> String? {
    let words = text.split(separator: " ")
    guard words.count > 2, let last = words.last else { return nil }
    let isBare = last.allSatisfy(\.isNumber) || last.allSatisfy { "IVX".contains($0) }
    guard isBare || last.contains(where: \.isNumber) else { return nil }
    let pair = words.suffix(2).joined(separator: " ")
    if isBare, width(pair) <= columns { return pair }
    return width(String(last)) <= columns ? String(last) : nil
  }

  private static func treatment(of scalar: Unicode.Scalar) -> Treatment {
    if scalar.isASCII {
      switch scalar {
      case "\t", "\n", "\u{B}", "\u{C}", "\r": return .space
      default: return scalar.value < 0x20 || scalar.value == 0x7F ? .replace : .keep
      }
    }
    let properties = scalar.properties
    if properties.isJoinControl || properties.isVariationSelector { return .keep }
    if scalar == "\u{85}" { return .space }
    switch properties.generalCategory {
    case .control: return .replace
    case .lineSeparator, .paragraphSeparator: return .space
    case .format: return .remove
    default:
      let isInvisible =
        properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
      return isInvisible ? .remove : .keep
    }
  }
}
