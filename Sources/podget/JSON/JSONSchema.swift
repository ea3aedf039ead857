/// The parts of a JSON Schema (draft 2020-12).
enum JSONSchema {
  /// An object with these members, which are never left out: unknown values are null. Later versions
  /// may add others.
  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    object(members.map { JSONValue.Member(name: $0.key, value: $0.value) })
  }

  /// The same, for members that are made from something else.
  static func object(_ members: [JSONValue.Member]) -> JSONValue {
    [
      "type": "object", "properties": .object(members),
      "required": .array(members.map { .string($0.name) }),
    ]
  }

  /// One of several schemas.
  static func oneOf(_ schemas: [JSONValue]) -> JSONValue { ["oneOf": .array(schemas)] }

  /// An array of such elements.
  static func array(of schema: JSONValue) -> JSONValue { ["type": "array", "items": schema] }

  /// One of these words.
  static func words(_ words: [String]) -> JSONValue { ["enum": .array(words.map { .string($0) })] }

  /// One of these words, or null.
  static func wordsOrNull(_ words: [String]) -> JSONValue {
    ["enum": .array(words.map { .string($0) } + [.null])]
  }

  /// This word and no other.
  static func word(_ word: String) -> JSONValue { ["const": .string(word)] }

  /// A schema, or null.
  static func optional(_ schema: JSONValue) -> JSONValue { oneOf([schema, null]) }

  static let null: JSONValue = ["type": "null"]
  static let string: JSONValue = ["type": "string"]
  static let bool: JSONValue = ["type": "boolean"]
  static let integer: JSONValue = ["type": "integer"]
  static let number: JSONValue = ["type": "number"]
  /// A number of bytes, or of things.
  static let count: JSONValue = ["type": "integer", "minimum": .integer(0)]
  static let optionalString: JSONValue = ["type": .array(["string", "null"])]
  static let optionalInteger: JSONValue = ["type": .array(["integer", "null"])]
  static let optionalCount: JSONValue = [
    "type": .array(["integer", "null"]), "minimum": .integer(0),
  ]
  static let optionalNumber: JSONValue = ["type": .array(["number", "null"])]
  /// A moment in UTC, such as `2023-02-16T16:00:17Z`, or null.
  static let optionalDate: JSONValue = [
    "type": .array(["string", "null"]),
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
  ]
}

extension JSONValue {
  /// The schema of an object with further members after its own.
  func addingMembers(_ more: KeyValuePairs<String, JSONValue>) -> JSONValue {
    guard case .object(var members) = self, case .object(let added) = JSONSchema.object(more)
    else { return self }
    for place in members.indices {
      guard let other = added.first(where: { $0.name == members[place].name }) else { continue }
      switch (members[place].value, other.value) {
      case (.object(let own), .object(let others)): members[place].value = .object(own + others)
      case (.array(let own), .array(let others)): members[place].value = .array(own + others)
      default: break
      }
    }
    return .object(members)
  }

  /// The schema of an object that may have one member more.
  func addingOptionalMember(_ name: String, _ schema: JSONValue) -> JSONValue {
    guard case .object(var members) = self,
      let place = members.firstIndex(where: { $0.name == "properties" }),
      case .object(let properties) = members[place].value
    else { return self }
    members[place].value = .object(properties + [Member(name: name, value: schema)])
    return .object(members)
  }
}
