/// What a terminal can show, and what its owner wants to see.
struct TerminalStyle: Sendable, Hashable {
  /// Whether lines may be coloured.
  var hasColor: Bool
  /// Whether line-drawing characters can be shown.
  var isUTF8: Bool

  /// Makes a style.
  init(hasColor: Bool, isUTF8: Bool) {
    self.hasColor = hasColor
    self.isUTF8 = isUTF8
  }

  /// The style that the environment asks for: `NO_COLOR`, `TERM`, and the locale.
  init(environment: [String: String]) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = locale?.lowercased() ?? ""
    let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty
    self.init(
      hasColor: !wantsNone && environment["TERM"] != "dumb",
      isUTF8: name.hasSuffix("utf-8") || name.hasSuffix("utf8"))
  }
}
