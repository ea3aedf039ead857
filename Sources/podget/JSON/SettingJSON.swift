import PodcastKit

extension JSONForms {
  /// What `config` writes.
  static let configuration = JSONForm<[String: SettingValue<JSONValue>]> {
    SettingTable.all.map { setting in
      JSONMember(setting.name, value(setting.schema)) {
        $0[setting.name] ?? SettingValue(value: .null, origin: .standard)
      }
    }
  }

  private static func value(_ schema: JSONValue) -> JSONForm<SettingValue<JSONValue>> {
    JSONForm {
      JSONMember("value", .written(schema), \.value)
      JSONMember("origin", .words(["default", "file", "environment"]), \.origin.word)
      JSONMember("file", .string, \.origin.file?.path)
      JSONMember("line", .count, \.origin.file?.line)
      JSONMember("variable", .string, \.origin.variable)
    }
  }
}

extension SettingOrigin {
  fileprivate var file: (path: String, line: Int)? {
    if case .file(let path, let line) = self { (path, line) } else { nil }
  }

  fileprivate var variable: String? {
    if case .environment(let name) = self { name } else { nil }
  }
}
