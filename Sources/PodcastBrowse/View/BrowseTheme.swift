package import BrowseScreen
import PodcastModel

/// How things look on the screen, by what they are; a person may choose other looks.
package struct BrowseTheme: Sendable, Hashable {
  /// What has a look of its own.
  package enum Role: String, Sendable, Hashable, CaseIterable {
    /// Episodes: complete ones, those that run or wait, begun ones, failed ones.
    case complete, active, unfinished, failed
    /// The marks of favorites and of rows.
    case star, mark
    /// The names of groups.
    case heading
    /// What is said in the last row: messages, errors, what is played.
    case message, error, player
  }

  /// The words for a look.
  package static let words: [(name: String, style: CellStyle)] = [
    ("red", .red), ("green", .green), ("yellow", .yellow), ("cyan", .cyan), ("blue", .blue),
    ("magenta", .magenta), ("bold", .bold), ("dim", .dim), ("underline", .underline),
    ("reverse", .reverse), ("plain", []),
  ]

  private var styles: [Role: CellStyle] = [
    .complete: .green, .active: .cyan, .unfinished: .yellow, .failed: .red, .star: .yellow,
    .mark: [.bold, .yellow], .heading: [.bold, .cyan], .message: .yellow, .error: [.bold, .red],
    .player: .green,
  ]

  /// The usual looks.
  package init() {}

  /// Reads what a person has chosen.
  ///
  /// - Parameter text: `role=look` with commas between them, such as `complete=blue, heading=bold`.
  package init(_ text: String) throws(BrowseChoiceProblem) {
    let takes = "a role and its look, such as complete=blue or heading=bold red"
    for (name, text) in try BrowseChoice.all(in: text, takes) {
      guard let role = Role(rawValue: name) else {
        throw BrowseChoiceProblem(
          BrowseChoice.unknown("role", name, among: Role.allCases.map(\.rawValue)))
      }
      var style: CellStyle = []
      for word in text.split(separator: " ") {
        guard let known = Self.words.first(where: { $0.name == word }) else {
          throw BrowseChoiceProblem(
            BrowseChoice.unknown("look", String(word), among: Self.words.map(\.name)))
        }
        style.formUnion(known.style)
      }
      styles[role] = style
    }
  }

  /// The look of something.
  subscript(role: Role) -> CellStyle { styles[role] ?? [] }
}
