internal import CSQLite

/// A value that a statement takes for one of its parameters.
enum SQLValue: Sendable, Hashable, ExpressibleByNilLiteral {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)

  init(nilLiteral: ()) { self = .null }
  init(_ value: Int64?) { self = value.map(SQLValue.integer) ?? .null }
  init(_ value: Int?) { self.init(value.map(Int64.init)) }
  init(_ value: Bool) { self = .integer(value ? 1 : 0) }
  init(_ value: Double?) { self = value.map(SQLValue.real) ?? .null }
  init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }
}

/// SQL with its arguments. A value in a string interpolation becomes a parameter, never a part of the
/// text; another query becomes a part of this one.
struct SQLQuery: Sendable, ExpressibleByStringInterpolation {
  private(set) var text: String
  private(set) var arguments: [SQLValue]

  init(stringLiteral text: String) { (self.text, arguments) = (text, []) }

  init(stringInterpolation parts: StringInterpolation) {
    (text, arguments) = (parts.text, parts.arguments)
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var arguments: [SQLValue] = []

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ value: SQLValue) {
      text += "?"
      arguments.append(value)
    }

    mutating func appendInterpolation(_ value: Int64?) { appendInterpolation(SQLValue(value)) }
    mutating func appendInterpolation(_ value: Int) { appendInterpolation(SQLValue(value)) }
    mutating func appendInterpolation(_ value: Bool) { appendInterpolation(SQLValue(value)) }
    mutating func appendInterpolation(_ value: Double) { appendInterpolation(SQLValue(value)) }
    mutating func appendInterpolation(_ value: String?) { appendInterpolation(SQLValue(value)) }

    /// Appends a list of values in parentheses, for `IN`.
    mutating func appendInterpolation(list values: [SQLValue]) {
      text += "(" + repeatElement("?", count: values.count).joined(separator: ", ") + ")"
      arguments += values
    }

    mutating func appendInterpolation(_ query: SQLQuery) {
      text += query.text
      arguments += query.arguments
    }
  }
}
