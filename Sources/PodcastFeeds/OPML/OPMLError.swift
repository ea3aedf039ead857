/// What is wrong with a list that must be right, and where.
package struct OPMLError: Error, Sendable, Hashable {
  /// The line, from 1.
  package let line: Int
  /// The character in the line, from 1.
  package let column: Int
  /// What is wrong. It holds no value of the list.
  package let sentence: String

  init(_ position: OPMLPosition, _ sentence: String) {
    line = position.line
    column = position.column
    self.sentence = sentence
  }
}

extension OPMLError: CustomStringConvertible {
  /// The place and the sentence.
  package var description: String { "line \(line), column \(column): \(sentence)" }
}
