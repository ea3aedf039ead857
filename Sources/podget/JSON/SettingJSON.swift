import PodcastKit

extension JSONValue {
  /// A member of `config`.
  init(_ setting: SettingValue<JSONValue>) {
    var file: (path: String, line: Int)?
    var variable: String?
    switch setting.origin {
    case .environment(let name): variable = name
    case .file(let path, let line): file = (path, line)
    case .option, .subscription, .standard: break
    }
    self = [
      "value": setting.value, "origin": .string(setting.origin.word), "file": .string(file?.path),
      "line": .integer(file?.line), "variable": .string(variable),
    ]
  }
}

/// The schema of `config`.
extension JSONSchemas {
  static let configuration = JSONSchema.object(
    SettingTable.all.map { setting in
      let member = JSONSchema.object([
        "value": setting.mayBeNull ? JSONSchema.optional(setting.schema) : setting.schema,
        "origin": JSONSchema.words(["default", "file", "environment"]),
        "file": JSONSchema.optionalString, "line": JSONSchema.optionalCount,
        "variable": JSONSchema.optionalString,
      ])
      return JSONValue.Member(name: setting.name, value: member)
    })
}
