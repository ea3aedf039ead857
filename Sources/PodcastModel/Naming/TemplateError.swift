extension FilenameTemplate {
  /// Why a template cannot be used.
  public enum ParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An unknown field.
    case unknownField(String)
    /// A format that the field does not support.
    case unknownFormat(field: Field, String)
    /// A `/` inside a field's braces.
    case slashInField(String)
    /// A `{` without its `}`.
    case unclosedBrace
    /// A `}` without its `{`.
    case loneBrace
    /// It does not end in `.{ext}`.
    case missingExtension
    /// A part between slashes that is empty, `.` or `..`.
    case invalidComponent

    /// One sentence: what is wrong, and what to write.
    public var description: String {
      switch self {
      case .unknownField(let name):
        let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        return "{\(name)} in the template is not a field; the fields are \(known) and {ext}."
      case .unknownFormat(let field, let format):
        return "The template has {\(field.rawValue):\(format)}, but \(Self.formats(of: field))."
      case .slashInField(let field):
        return "The template has a / inside {\(field)}; write {date:%Y}/{date:%m} for two folders."
      case .unclosedBrace:
        return "The template has a { without its }; write a field as {title}, a brace as {{."
      case .loneBrace:
        return "The template has a } without its {; write a field as {title}, a brace as }}."
      case .missingExtension:
        return "The template must end in .{ext}, as in {date} - {title}.{ext}."
      case .invalidComponent:
        return "The template must name folders inside the library, without empty parts, . or .. ."
      }
    }

    private static func formats(of field: Field) -> String {
      switch field.style {
      case .date: "a date's format is made of \(DatePattern.known)"
      case .number: "a number's format is its digits, such as {\(field.rawValue):03}"
      case .text: "a text's format is its maximum length, such as {\(field.rawValue):.40}"
      }
    }
  }
}
