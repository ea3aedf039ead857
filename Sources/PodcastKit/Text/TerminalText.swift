/// Text from the network made harmless for a terminal, and measured in its columns.
public enum TerminalText {
  /// The text on one line, without anything that a terminal obeys or that hides or reorders text.
  ///
  /// Line breaks and tabs become one space, other controls U+FFFD; direction controls, zero-width
  /// signs, tags and noncharacters go. Joiners and variation selectors stay: emoji need them.
  public static func safe(_ text: String) -> String {
    if isPlain(text) { return text }
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

  /// The columns that safe text takes.
  public static func width(_ text: String) -> Int {
    if isPlain(text) { return text.utf8.count }
    return text.reduce(0) { $0 + ColumnWidth.of($1) }
  }

  /// The text when it fits into the columns, else its beginning, cut between characters, with `…`.
  public static func truncated(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var used = 1
    let beginning = text.prefix { character in
      used += ColumnWidth.of(character)
      return used <= columns
    }
    return beginning + "…"
  }

  /// The text with spaces after it up to the columns; longer text stays as it is.
  public static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }
}

extension TerminalText {
  private enum Treatment {
    case keep, remove, space, replace
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
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
