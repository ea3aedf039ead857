/// A regular expression for titles; case is ignored.
public struct TitlePattern: Sendable, Hashable {
  /// The expression as given, in the syntax of Swift's `Regex`.
  public let pattern: String

  /// Checks an expression; throws what is wrong with it.
  public init(_ pattern: String) throws(OptionValueError) {
    guard !pattern.isEmpty else { throw OptionValueError("The regular expression is empty.") }
    do {
      _ = try Regex<AnyRegexOutput>(pattern)
    } catch {
      throw OptionValueError(
        "\"\(pattern)\" is not a regular expression (\(Self.reason(error))); write \\ before a "
          + "character such as [ or ( that stands for itself.")
    }
    self.pattern = pattern
  }

  /// A compiled test for many titles. A compiled expression cannot cross tasks, so only the text of
  /// it is kept.
  package func test() -> (String) -> Bool {
    guard let regex = try? Regex<AnyRegexOutput>(pattern).ignoresCase() else {
      return { _ in false }
    }
    return { title in (try? regex.firstMatch(in: title)) != nil }
  }

  /// A compiled search for the first match in a text.
  package func finder() -> (String) -> Range<String.Index>? {
    guard let regex = try? Regex<AnyRegexOutput>(pattern).ignoresCase() else {
      return { _ in nil }
    }
    return { text in (try? regex.firstMatch(in: text))?.range }
  }

  private static func reason(_ error: any Error) -> String {
    let text = "\(error)".split(separator: "\n").joined(separator: " ")
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
