/// The parts of a JSON Schema (draft 2020-12).
enum JSONSchema {
  /// An object with these members. Unknown values are null: only a member that may be absent is ever
  /// left out. Later versions may add others.
  static func object<Subject>(_ members: [JSONMember<Subject>]) -> JSONValue {
    let properties = members.map { JSONValue.Member(name: $0.name, value: $0.schema) }
    let required = members.filter { !$0.mayBeAbsent }.map { JSONValue.string($0.name) }
    let schema: [JSONValue.Member] = [
      .init(name: "type", value: "object"), .init(name: "properties", value: .object(properties)),
    ]
    return .object(
      required.isEmpty ? schema : schema + [.init(name: "required", value: .array(required))])
  }

  /// One of several schemas.
  static func oneOf(_ schemas: [JSONValue]) -> JSONValue { ["oneOf": .array(schemas)] }

  /// An array of such elements.
  static func array(of schema: JSONValue) -> JSONValue { ["type": "array", "items": schema] }

  /// One of these words.
  static func words(_ words: [String]) -> JSONValue { ["enum": .array(words.map { .string($0) })] }

  /// This word and no other.
  static func word(_ word: String) -> JSONValue { ["const": .string(word)] }

  /// A schema, or null.
  static func optional(_ schema: JSONValue) -> JSONValue {
    guard case .object(var members) = schema, let first = members.first else {
      return oneOf([schema, null])
    }
    switch (first.name, first.value) {
    case ("type", .array): return schema
    case ("type", .string(let type)) where type != "object" && type != "array":
      members[0].value = .array([.string(type), "null"])
    case ("enum", .array(let words)): members[0].value = .array(words + [.null])
    default: return oneOf([schema, null])
    }
    return .object(members)
  }

  static let null: JSONValue = ["type": "null"]
  static let string: JSONValue = ["type": "string"]
  static let bool: JSONValue = ["type": "boolean"]
  static let integer: JSONValue = ["type": "integer"]
  static let number: JSONValue = ["type": "number"]
  /// A number of bytes, or of things.
  static let count: JSONValue = ["type": "integer", "minimum": .integer(0)]
  /// A moment in UTC, such as `2023-02-16T16:00:17Z`, or null.
  static let date: JSONValue = [
    "type": .array(["string", "null"]),
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
  ]
}
