import ArgumentParser
import PodcastKit

/// Where the settings of a run come from. In the order of precedence: the option, the variables, the
/// configuration file, the default. Those of a subscription come after the option.
struct SettingSources: Sendable {
  /// The environment variables.
  var environment: [String: String]
  /// The variables that are not UTF-8.
  var unreadable: Set<String> = []
  /// The content of the configuration file.
  var file = ConfigurationFile()

  /// The value of a setting.
  ///
  /// - Parameter option: the value on the command line.
  /// - Throws: a `ValidationError` for a wrong text.
  func value<Value>(_ setting: Setting<Value>, option: Value? = nil) throws -> Value {
    try find(setting, option: option).value
  }

  /// The value of a setting that may have none.
  func value<Value>(_ setting: Setting<Value?>, option: Value? = nil) throws -> Value? {
    try find(setting, option: option.map(Optional.some)).value
  }

  /// The same with its origin.
  func find<Value>(
    _ setting: Setting<Value>, option: Value? = nil
  ) throws -> SettingValue<Value> {
    try given(setting, option: option)
      ?? SettingValue(value: try setting.standard(self), origin: .standard)
  }

  /// The value of a setting and its origin; nil if there is only the default.
  func given<Value>(
    _ setting: Setting<Value>, option: Value? = nil
  ) throws -> SettingValue<Value>? {
    if let option { return SettingValue(value: option, origin: .option) }
    if let found = try value(of: setting.variable, for: setting) { return found }
    if let entry = file.entries[setting.name] {
      do throws(SettingProblem) {
        return SettingValue(
          value: try setting.form.parse(entry.text),
          origin: .file(path: file.path, line: entry.place.line))
      } catch {
        throw ValidationError(file.sentence(at: entry.place, error.sentence(of: setting.name)))
      }
    }
    for variable in setting.sharedVariables {
      if let found = try value(of: variable, for: setting) { return found }
    }
    return nil
  }

  /// A variable's text; nil when it is unset or empty.
  func text(_ variable: String) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Checks that a variable is UTF-8: otherwise its text would mean something else,
  /// such as another folder.
  ///
  /// - Parameter remedy: what to do about it.
  func requireText(_ variable: String, remedy: String = "") throws {
    guard unreadable.contains(variable) else { return }
    throw ValidationError("The variable \(variable) is not UTF-8\(remedy).")
  }

  private func value<Value>(
    of variable: String, for setting: Setting<Value>
  ) throws -> SettingValue<Value>? {
    try requireText(variable)
    guard let text = text(variable) else { return nil }
    do throws(SettingProblem) {
      return SettingValue(
        value: try setting.form.parse(text), origin: .environment(variable: variable))
    } catch {
      if case .notNumber(let text, _) = error {
        throw ValidationError("The variable \(variable) is \"\(text)\", which is not a number.")
      }
      throw ValidationError(error.sentence(of: variable))
    }
  }
}

extension ValidationError {
  /// The value of an option from its text; nil if there is none.
  ///
  /// - Throws: an error that begins with the option's name.
  static func naming<Value>(
    _ option: String, _ text: String?, _ value: (String) throws(OptionValueError) -> Value
  ) throws(ValidationError) -> Value? {
    guard let text else { return nil }
    do throws(OptionValueError) {
      return try value(text)
    } catch {
      throw ValidationError("\(option): \(error.description)")
    }
  }

  /// Checks that no source is an empty text, as from an unset variable of a script.
  static func requireNames(_ sources: [String]) throws {
    if sources.contains("") { throw ValidationError("The name of a source is empty.") }
  }

  /// Checks a number from an option.
  static func require(_ isGood: Bool, _ name: String, _ range: String) throws {
    if !isGood { throw ValidationError("\(name) takes \(range).") }
  }
}
