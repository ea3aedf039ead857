/// Titles in a form that a correction of their typography does not change.
enum ComparableTitle {
  /// The title without case, in one Unicode form, with every run of punctuation and white space as
  /// one blank; the unchanged title if it has nothing else.
  static func text(_ title: String) -> String {
    let plain = TitleReferences.replaced(in: title)
    var result = String.UnicodeScalarView()
    for scalar in FileName.comparisonKey(plain).unicodeScalars {
      if !separates(scalar) {
        result.append(scalar)
      } else if let last = result.last, last != " " {
        result.append(" ")
      }
    }
    if result.last == " " { result.removeLast() }
    return result.isEmpty ? plain.trimmingWhitespace() : String(result)
  }

  private static func separates(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "+", "=", "<", ">", "$", "^", "~", "`": return false
      default: return true
      }
    }
    return switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .spaceSeparator, .lineSeparator,
      .paragraphSeparator, .control, .format:
      true
    default: false
    }
  }
}
