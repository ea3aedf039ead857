/// Why the value of an option cannot be used; it prints as one sentence.
public struct OptionValueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  /// Makes an error that prints as the given sentence.
  public init(_ description: String) {
    self.description = description
  }
}
