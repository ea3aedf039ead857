import FoundationEssentials
import PodcastKit

/// How the values of a type are written in JSON, and the JSON Schema of what is written: both come
/// from one declaration, so that neither can say what the other does not.
struct JSONForm<Value>: Sendable {
  /// The JSON Schema of what is written.
  let schema: JSONValue
  private let write: @Sendable (Value) -> JSONValue

  /// Creates a form of both parts.
  init(schema: JSONValue, _ write: @escaping @Sendable (Value) -> JSONValue) {
    self.schema = schema
    self.write = write
  }

  /// Creates the form of an object with these members, in this order.
  init(@JSONMembers<Value> _ members: () -> [JSONMember<Value>]) {
    let members = members()
    self.init(schema: JSONSchema.object(members)) { value in
      var written: [JSONValue.Member] = []
      written.reserveCapacity(members.count)
      for member in members {
        guard let json = member.json(value) else { continue }
        written.append(JSONValue.Member(name: member.name, value: json))
      }
      return .object(written)
    }
  }

  /// A value in JSON.
  func callAsFunction(_ value: Value) -> JSONValue { write(value) }

  /// The same, or null.
  var optional: JSONForm<Value?> {
    JSONForm<Value?>(schema: JSONSchema.optional(schema)) { $0.map(write) ?? .null }
  }

  /// An array of such values.
  var list: JSONForm<[Value]> {
    JSONForm<[Value]>(schema: JSONSchema.array(of: schema)) { .array($0.map(write)) }
  }
}

/// A member of an object: its name, how it is written, and where its value comes from.
struct JSONMember<Subject>: Sendable {
  let name: String
  let schema: JSONValue
  /// Whether it is left out where there is no value.
  let mayBeAbsent: Bool
  /// Its value in JSON; nil where it is left out.
  fileprivate let json: @Sendable (Subject) -> JSONValue?

  /// A member that is always there.
  init<Value>(
    _ name: String, _ form: JSONForm<Value>, _ value: @escaping @Sendable (Subject) -> Value
  ) {
    self.init(name, form.schema) { form(value($0)) }
  }

  /// A member that is null where there is no value.
  init<Value>(
    _ name: String, _ form: JSONForm<Value>, _ value: @escaping @Sendable (Subject) -> Value?
  ) {
    self.init(name, form.optional, value)
  }

  /// A member that is left out where there is no value.
  init<Value>(
    _ name: String, ifThere form: JSONForm<Value>,
    _ value: @escaping @Sendable (Subject) -> Value?
  ) {
    self.init(name, form.schema, mayBeAbsent: true) { value($0).map { form($0) } }
  }

  /// A member with always the same word.
  init(_ name: String, is word: String) {
    self.init(name, JSONSchema.word(word)) { _ in .string(word) }
  }

  /// A member that is always null.
  init(null name: String) {
    self.init(name, JSONSchema.null) { _ in .null }
  }

  private init(
    _ name: String, _ schema: JSONValue, mayBeAbsent: Bool = false,
    _ json: @escaping @Sendable (Subject) -> JSONValue?
  ) {
    self.name = name
    self.schema = schema
    self.mayBeAbsent = mayBeAbsent
    self.json = json
  }

  /// The same member, of something that has the subject.
  func of<Whole>(_ subject: @escaping @Sendable (Whole) -> Subject) -> JSONMember<Whole> {
    JSONMember<Whole>(name, schema, mayBeAbsent: mayBeAbsent) { json(subject($0)) }
  }
}

/// Collects the members of an object.
@resultBuilder enum JSONMembers<Subject> {
  static func buildExpression(_ member: JSONMember<Subject>) -> [JSONMember<Subject>] { [member] }
  static func buildExpression(_ members: [JSONMember<Subject>]) -> [JSONMember<Subject>] { members }
  static func buildBlock(_ parts: [JSONMember<Subject>]...) -> [JSONMember<Subject>] {
    parts.flatMap(\.self)
  }
}

extension JSONForm where Value == String {
  static var string: Self { JSONForm(schema: JSONSchema.string) { .string($0) } }

  /// An address without user name and password; its query stays, since scripts need it.
  static var address: Self {
    JSONForm(schema: JSONSchema.string) { .string(AddressRedaction.withoutCredentials($0)) }
  }

  /// One of these words.
  static func words(_ words: [String]) -> Self {
    JSONForm(schema: JSONSchema.words(words)) { .string($0) }
  }
}

extension JSONForm
where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// One of the words of the type.
  static var word: Self {
    JSONForm(schema: JSONSchema.words(Value.allCases.map(\.rawValue))) { .string($0.rawValue) }
  }
}

extension JSONForm where Value == Bool {
  static var flag: Self { JSONForm(schema: JSONSchema.bool) { .bool($0) } }
}

extension JSONForm where Value: BinaryInteger & Sendable {
  /// A number of any sign.
  static var integer: Self {
    JSONForm(schema: JSONSchema.integer) { .integer(Int64(clamping: $0)) }
  }

  /// A number of bytes, or of things.
  static var count: Self { JSONForm(schema: JSONSchema.count) { .integer(Int64(clamping: $0)) } }
}

extension JSONForm where Value == Duration {
  /// Seconds, as an integer if possible, otherwise with up to three decimals.
  static var seconds: Self { JSONForm(schema: JSONSchema.number) { .seconds($0) } }

  /// Seconds, always with one to three decimals.
  static var decimalSeconds: Self {
    JSONForm(schema: JSONSchema.number) { .decimalSeconds($0) }
  }
}

extension JSONForm where Value == Date {
  /// A date as `YYYY-MM-DDTHH:MM:SSZ` in UTC; null outside the years 1 to 9999.
  static var date: Self {
    JSONForm(schema: JSONSchema.date) { date in
      let isKnown = (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970)
      return isKnown ? .string(date.timestamp) : .null
    }
  }
}

extension JSONForm where Value == JSONValue {
  /// A value that is written already.
  static func written(_ schema: JSONValue) -> Self { JSONForm(schema: schema) { $0 } }
}
