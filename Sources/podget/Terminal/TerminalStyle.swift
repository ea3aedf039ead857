import PodcastKit

/// What a terminal can show, and what the user wants to see.
struct TerminalStyle: TerminalMarks, Sendable, Hashable {
  /// Whether texts are colored.
  var hasColor: Bool
  /// Whether line-drawing characters can be shown.
  var isUTF8: Bool

  /// The text with another character for U+FFFD if the terminal cannot show that.
  func shown(_ text: String) -> String {
    isUTF8 ? text : text.replacing("\u{FFFD}", with: "?")
  }

  /// The beginning of the text that fits into the columns.
  func truncated(_ text: String, to columns: Int) -> String {
    TerminalText.truncated(text, to: columns, mark: ellipsis)
  }

  /// The beginning of the text that fits into the columns, with a number at its end.
  func shortened(_ text: String, to columns: Int) -> String {
    TerminalText.shortened(text, to: columns, mark: ellipsis)
  }

  /// The text with the escape codes of a look, if there are colors.
  func styled(_ text: String, _ look: StyledLine.Style) -> String {
    StyledLine(text, look).rendered(color: hasColor)
  }

  /// The text as a link (OSC 8), if there are colors: terminals that have no links ignore it.
  ///
  /// - Parameter address: printable ASCII without blanks.
  func linked(_ text: String, to address: String) -> String {
    hasColor ? "\u{1B}]8;;\(address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\" : text
  }

  /// Creates a style.
  init(hasColor: Bool, isUTF8: Bool) {
    self.hasColor = hasColor
    self.isUTF8 = isUTF8
  }

  /// The style from the option and the environment: `NO_COLOR`, `TERM`, and the locale.
  ///
  /// - Parameter isTerminal: whether the text goes to a terminal; otherwise it has colors only if the
  ///   option says so.
  init(environment: [String: String], color: ColorChoice = .auto, isTerminal: Bool = true) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = locale?.lowercased() ?? ""
    let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty
    let isWanted =
      isTerminal && color == .auto && !wantsNone && environment["TERM"] != "dumb"
    self.init(
      hasColor: color == .always || isWanted,
      isUTF8: name.hasSuffix("utf-8") || name.hasSuffix("utf8"))
  }
}
