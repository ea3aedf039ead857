import PodcastModel

/// What a terminal can show.
package struct BrowseLook: TerminalMarks, Sendable, Hashable {
  /// Whether there are colors.
  package var hasColor: Bool
  /// Whether there are characters beyond ASCII.
  package var isUTF8: Bool
  /// Whether links may be written; terminals that have none ignore them.
  package var hasLinks = false

  /// The colors of things.
  package var theme = BrowseTheme()

  /// Creates a look.
  package init(hasColor: Bool, isUTF8: Bool, hasLinks: Bool = false) {
    self.hasColor = hasColor
    self.hasLinks = hasLinks
    self.isUTF8 = isUTF8
  }

  /// Below the header.
  var line: String { isUTF8 ? "─" : "-" }
  /// A favorite.
  var star: String { isUTF8 ? "★" : "*" }
  /// What is being played.
  var playing: String { isUTF8 ? "►" : ">" }
  /// A factor.
  var times: String { isUTF8 ? "×" : "x" }
  /// A marked row.
  var marked: String { isUTF8 ? "▌" : ">" }
  /// A placeholder of a row that is being read.
  var placeholder: String { isUTF8 ? "░" : "." }

  /// An image that cannot be shown.
  var broken: String { isUTF8 ? "✗" : "x" }

  /// A bar of so many cells.
  func bar(percent: Int, columns: Int) -> String {
    let full = min(max(0, percent), 100) * columns / 100
    let (done, rest) = isUTF8 ? ("█", "░") : ("#", "-")
    return String(repeating: done, count: full)
      + String(repeating: rest, count: max(0, columns - full))
  }

  /// The mark of a state.
  func mark(_ state: EpisodeState) -> String {
    switch state {
    case .remote: " "
    case .queued: isUTF8 ? "·" : "."
    case .running, .retrying: isUTF8 ? "↓" : "v"
    case .paused: "="
    case .partial: isUTF8 ? "◐" : "%"
    case .complete: isUTF8 ? "✓" : "+"
    case .failed: isUTF8 ? "✗" : "!"
    case .missing: "?"
    case .removed: "-"
    }
  }
}
