import Foundation
import TestSupport
import Testing

@testable import podget

/// Checks what a command wrote with `--json` against its schema.
enum SchemaCheck {
  /// Checks a finished run; runs without `--json`, or that wrote nothing, are fine.
  static func check(
    _ arguments: [String], _ result: RunningProcess.Result
  ) {
    guard arguments.contains("--json"), case .exited(let status) = result.status, status != 64,
      let first = arguments.first, !result.output.isEmpty
    else { return }
    let command = ["ls": "list", "rm": "remove", "subs": "subscriptions"][first] ?? first
    guard let schema = schemas[command] else {
      Issue.record("podget \(command) has no schema")
      return
    }
    let texts =
      ["artwork", "download", "resume", "sync", "tag"].contains(command)
      ? result.lines : [result.output]
    for text in texts {
      let problems: [String]
      do {
        let value = try JSONSerialization.jsonObject(
          with: Data(text.utf8), options: .fragmentsAllowed)
        problems = SchemaValidator.problems(of: value, schema: schema)
      } catch {
        problems = ["it is no JSON: \(error)"]
      }
      if let problem = problems.first {
        Issue.record(
          "podget \(command): \(problem) in \(text.prefix(400))")
      }
    }
  }

  /// The schema of each command, as a parser reads it.
  nonisolated(unsafe) static let schemas: [String: NSDictionary] = JSONSchemas.all.reduce(into: [:])
  { schemas, entry in
    let data = Data(JSONText.line(entry.value).utf8)
    schemas[entry.key] = (try? JSONSerialization.jsonObject(with: data)) as? NSDictionary
  }
}

/// Validates values against the keywords of JSON Schema (draft 2020-12) that podget's schemas use.
enum SchemaValidator {
  /// The keywords that it knows; a schema with another one would be checked for nothing.
  static let keywords: Set<String> = [
    "$schema", "title", "type", "properties", "required", "items", "oneOf",
    "enum", "const", "minimum", "pattern",
  ]

  /// What is wrong with a value; empty when nothing is.
  static func problems(of value: Any, schema: NSDictionary, at path: String = "$") -> [String] {
    var problems: [String] = []
    for case let keyword as String in schema.allKeys where !keywords.contains(keyword) {
      problems.append("\(path): the validator does not know \(keyword)")
    }
    if let types = schema["type"] {
      let names = types as? [String] ?? [types as? String ?? ""]
      if !names.contains(where: { isOf(value, $0) }) { problems.append("\(path) is no \(names)") }
    }
    if let words = schema["enum"] as? [Any], !words.contains(where: { isEqual($0, value) }) {
      problems.append("\(path) is none of \(words)")
    }
    if let word = schema["const"], !isEqual(word, value) {
      problems.append("\(path) is not \(word)")
    }
    if let schemas = schema["oneOf"] as? [NSDictionary] {
      let results = schemas.map { self.problems(of: value, schema: $0, at: path) }
      let count = results.count { $0.isEmpty }
      if count != 1 { problems.append("\(path) fits \(count) shapes: \(results.map(\.first))") }
    }
    if let minimum = schema["minimum"] as? NSNumber, let number = number(value),
      number.compare(minimum) == .orderedAscending
    {
      problems.append("\(path) is below \(minimum)")
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      problems.append("\(path) does not match \(pattern)")
    }
    if let elements = value as? [Any], let items = schema["items"] as? NSDictionary {
      for (index, element) in elements.enumerated() {
        problems += self.problems(of: element, schema: items, at: "\(path)[\(index)]")
      }
    }
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: NSDictionary] ?? [:]
      for name in schema["required"] as? [String] ?? [] where object[name] == nil {
        problems.append("\(path).\(name) is missing")
      }
      for (name, member) in object {
        if let property = properties[name] {
          problems += self.problems(of: member, schema: property, at: "\(path).\(name)")
        } else if !properties.isEmpty {
          // Schemas allow more, for later versions; what this one writes is declared.
          problems.append("\(path).\(name) is not in the schema")
        }
      }
    }
    return problems
  }

  private static func isBool(_ value: Any) -> Bool {
    (value as? NSNumber).map { CFBooleanKind.isBool($0) } ?? false
  }

  private static func number(_ value: Any) -> NSNumber? {
    isBool(value) ? nil : value as? NSNumber
  }

  private static func isOf(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "null": value is NSNull
    case "boolean": isBool(value)
    case "string": value is String
    case "integer": number(value).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
    case "number": number(value) != nil
    case "array": value is [Any]
    case "object": value is [String: Any]
    default: false
    }
  }

  private static func isEqual(_ one: Any, _ other: Any) -> Bool {
    (one as? NSObject)?.isEqual(other) ?? false
  }
}

/// Tells booleans from numbers.
private enum CFBooleanKind {
  static func isBool(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
  }
}
