/// A value of JSON (RFC 8259).
enum JSONValue {
  case null
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// The members; of equal names the last one.
  case object([String: JSONValue])

  /// A member of an object.
  subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// A text; a number as it is written.
  var text: String? {
    switch self {
    case .string(let text), .number(let text): text
    default: nil
    }
  }

  /// The elements of an array; empty for anything else.
  var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// Whether it is `true`.
  var isTrue: Bool {
    if case .bool(true) = self { true } else { false }
  }
}
