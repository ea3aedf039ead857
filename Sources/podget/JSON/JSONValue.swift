/// A JSON value whose objects keep the order of their members (RFC 8259).
enum JSONValue: Sendable, Hashable {
  /// A member of an object.
  struct Member: Sendable, Hashable {
    var name: String
    var value: JSONValue
  }

  case null
  case bool(Bool)
  case integer(Int64)
  /// A number of thousandths, written with one to three decimals.
  case thousandths(Int64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// Whether it is an array or an object.
  var isContainer: Bool {
    switch self {
    case .array, .object: true
    case .null, .bool, .integer, .thousandths, .string: false
    }
  }

  /// A string, or null.
  static func string(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// An integer, or null.
  static func integer(_ number: Int64?) -> JSONValue { number.map(JSONValue.integer) ?? .null }

  /// An integer, or null.
  static func integer(_ number: Int?) -> JSONValue { integer(number.map(Int64.init)) }

  /// Seconds, as an integer if possible, otherwise with up to three decimals; or null.
  static func seconds(_ duration: Duration?) -> JSONValue {
    guard let duration else { return .null }
    let thousandths = duration.thousandths
    return thousandths % 1000 == 0 ? .integer(thousandths / 1000) : .thousandths(thousandths)
  }

  /// Seconds, always with one to three decimals.
  static func decimalSeconds(_ duration: Duration) -> JSONValue {
    .thousandths(duration.thousandths)
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map(Member.init))
  }

  init(stringLiteral text: String) { self = .string(text) }
}

extension Duration {
  /// Thousandths of a second, rounded to the nearest.
  fileprivate var thousandths: Int64 {
    let (seconds, attoseconds) = components
    // A record may contain any duration.
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return seconds < 0 ? .min : .max }
    let (sum, exceeds) = whole.addingReportingOverflow(
      (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
    return exceeds ? whole : sum
  }
}
