/// Creates names that are legal on ext4, exFAT, NTFS, SMB and APFS alike.
///
/// An illegal character is replaced by one that looks similar, always the same one, so that a title
/// gives one name on every machine.
@usableFromInline package enum FileName {
  /// The longest file name, in bytes of UTF-8 (ext4; the others count characters and allow more).
  @usableFromInline package static let maximumBytes = 255

  /// The longest stem before a suffix, in bytes of UTF-8.
  ///
  /// The rest of ``maximumBytes`` is for the longest suffix, a dot, the longest extension and the
  /// marks that copy and backup programs add to the names of their temporary files.
  package static let maximumStemBytes = 200

  /// One folder or stem: legal, without an extension in mind, never empty, `.` or `..`.
  ///
  /// - Parameters:
  ///   - text: any text; slashes in it become dashes.
  ///   - fallback: the name when nothing legible is left; a legal name itself.
  ///   - maximumBytes: the maximum length in UTF-8, at least 8; it is cut between characters.
  package static func component(
    _ text: String, fallback: String = "Untitled", maximumBytes: Int = maximumStemBytes
  ) -> String {
    // Marks are removed with their base character: otherwise they would join nothing, or a
    // separator.
    let name = trimmedEnd(cut(trimmedStart(cleaned(text)), to: maximumBytes))
    guard !name.isEmpty else { return fallback }
    return unreserved(name, maximumBytes: maximumBytes)
  }

  /// One value of a template, for use between others in a name; empty when nothing is legible.
  package static func field(_ text: String) -> String {
    let legal = trimmedEnd(cleaned(text))
    return legal.contains { $0 != "." && $0 != "-" && $0 != " " } ? legal : ""
  }
}

extension FileName {
  private static func cleaned(_ text: String) -> String {
    if PlainText.isLegal(text) { return text }
    var output = String.UnicodeScalarView()
    let scalars = Array(text.composed.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if isUnchanged(scalar) {
        output.append(scalar)
        continue
      }
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      let replacement = replacement(for: scalar, before: next, after: output.last)
      for new in replacement.unicodeScalars {
        let isRepeated = output.last == new && (new == " " || new == "-" && scalar != "-")
        if !isRepeated { output.append(new) }
      }
    }
    // A removed character may have been between a letter and its accent.
    let composed = String(output).composed
    return String(composed.unicodeScalars.drop { $0 == " " })
  }

  /// Whether a scalar is an ASCII character that every name may have, whatever is beside it. Asking
  /// for the properties of each takes much longer.
  private static func isUnchanged(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "\\", "|", ":", "\"", "*", "?", "<", ">": false
    case "!"..."~": true
    default: false
    }
  }

  private static func replacement(
    for scalar: Unicode.Scalar, before next: Unicode.Scalar?, after last: Unicode.Scalar?
  ) -> String {
    switch scalar {
    case "/", "\\", "|": return "-"
    case ":": return next.map(\.properties.isWhitespace) ?? true ? " -" : "-"
    case "\"": return "'"
    case "*": return "_"
    case "?": return ""
    case "<": return "\u{2039}"
    case ">": return "\u{203A}"
    case "\u{200C}", "\u{200D}":
      // Joiners belong inside emoji and inside words of many scripts; elsewhere they are only
      // invisible.
      let joins = [last, next].allSatisfy { $0.map(isJoinable) ?? false }
      return joins ? String(Character(scalar)) : ""
    default:
      if scalar.properties.isWhitespace { return " " }
      return isHidden(scalar) ? "" : String(Character(scalar))
    }
  }

  private static func isJoinable(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII && !scalar.properties.isWhitespace && !isHidden(scalar)
      && !scalar.properties.isJoinControl
  }

  /// Whether a scalar is invisible: controls, direction marks, zero-width characters, tags,
  /// noncharacters. Variation selectors are not included, because they choose how an emoji looks.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    let properties = scalar.properties
    return switch properties.generalCategory {
    case .control, .format: !properties.isJoinControl
    case .lineSeparator, .paragraphSeparator: true
    default:
      properties.isNoncharacterCodePoint
        || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }

  /// The longest prefix of complete characters that fits; a single character that is too long, a
  /// letter with very many marks, is cut between its scalars.
  private static func cut(_ text: String, to maximumBytes: Int) -> String {
    let fitting = text.prefix(maximumBytes: maximumBytes)
    if fitting.utf8.count == text.utf8.count || !trimmedEnd(fitting).isEmpty { return fitting }
    var bytes = 0
    return String(
      text.unicodeScalars.prefix { scalar in
        bytes += UTF8.width(scalar)
        return bytes <= maximumBytes
      })
  }

  private static func trimmedStart(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let start = scalars.firstIndex { scalar in
      guard !scalar.isASCII else { return scalar != " " && scalar != "." && scalar != "-" }
      return !scalar.properties.isGraphemeExtend
        && scalar.properties.generalCategory != .spacingMark
    }
    guard start != scalars.startIndex else { return text }
    return String(scalars[(start ?? scalars.endIndex)...])
  }

  /// Windows removes dots and spaces at the end of a name, so that two names would be one.
  private static func trimmedEnd(_ text: String) -> String {
    // By indices: the collection's own method counts all scalars each time.
    let scalars = text.unicodeScalars
    var end = scalars.endIndex
    while end > scalars.startIndex {
      let last = scalars.index(before: end)
      let scalar = scalars[last]
      if scalar == " " || scalar == "." || scalar.properties.isJoinControl {
        end = last
      } else if scalar == "-", last > scalars.startIndex,
        case let before = scalars.index(before: last), scalars[before] == " ",
        before > scalars.startIndex
      {
        // A colon at the end of a title became a lone dash.
        end = before
      } else {
        break
      }
    }
    return end == scalars.endIndex ? text : String(scalars[..<end])
  }

  /// The name with an underscore if Windows would open a device, which it does for any extension
  /// and also with spaces before the dot.
  private static func unreserved(_ name: String, maximumBytes: Int) -> String {
    // Most names do not even begin like a device.
    guard deviceBeginnings.contains(name.prefix(2).uppercased()) else { return name }
    let base = name.prefix { $0 != "." }
    let device = trimmedEnd(String(base)).uppercased()
    let isNumbered =
      device.unicodeScalars.count == 4 && (device.hasPrefix("COM") || device.hasPrefix("LPT"))
      && "0123456789¹²³".contains(device.suffix(1))
    guard isNumbered || devices.contains(device) else { return name }
    let rest = name.dropFirst(base.count)
    return trimmedEnd(cut("\(base)_\(rest)", to: maximumBytes))
  }

  private static let devices: Set<String> = [
    "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$",
  ]

  private static let deviceBeginnings: Set<String> = ["CO", "PR", "AU", "NU", "CL", "LP"]
}

extension String {
  /// The longest prefix of complete characters that has at most so many bytes of UTF-8.
  package func prefix(maximumBytes: Int) -> String {
    guard utf8.count > maximumBytes else { return self }
    var bytes = 0
    return String(
      prefix { character in
        bytes += character.utf8.count
        return bytes <= maximumBytes
      })
  }
}
