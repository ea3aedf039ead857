/// A value, and where it comes from.
struct SettingValue<Value> {
  let value: Value
  let origin: SettingOrigin
}

extension SettingValue: Sendable where Value: Sendable {}

/// Where the value of a setting comes from.
enum SettingOrigin: Sendable, Hashable {
  /// The command line.
  case option
  /// A variable.
  case environment(variable: String)
  /// A line of the configuration file.
  case file(path: String, line: Int)
  /// The default.
  case standard

  /// The word for it in JSON.
  var word: String {
    switch self {
    case .option: "option"
    case .environment: "environment"
    case .file: "file"
    case .standard: "default"
    }
  }

  /// The text for people: the variable, or the file with the line.
  var text: String {
    switch self {
    case .environment(let variable): variable
    case .file(let path, let line): "\(path):\(line)"
    case .option, .standard: word
    }
  }

  /// The place in the order of precedence; 0 comes first.
  var rank: Int {
    switch self {
    case .option: 0
    case .environment: 1
    case .file: 2
    case .standard: 3
    }
  }
}
