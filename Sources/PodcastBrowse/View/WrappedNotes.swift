import PodcastModel

/// What a podcast says about an episode, wrapped once for a width and not for each frame: it may be
/// very long.
struct WrappedNotes: Sendable {
  /// The lines.
  private(set) var lines: [String] = []

  private var text: String?
  private var columns = 0

  /// Wraps a text, unless that has been done.
  mutating func wrap(_ text: String?, columns: Int) {
    guard text != self.text || columns != self.columns else { return }
    self.text = text
    self.columns = columns
    lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      WrappedText.lines(TerminalText.safe(String($0)), columns: columns)
    }
  }
}
