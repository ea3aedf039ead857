/// A value of JSON that has no other values in it (RFC 8259).
enum JSONValue: Equatable {
  case null
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  case string(String)

  /// A text; a number as it is written.
  var text: String? {
    switch self {
    case .string(let text), .number(let text): text
    default: nil
    }
  }

  /// Whether it is `true`.
  var isTrue: Bool { self == .bool(true) }
}
