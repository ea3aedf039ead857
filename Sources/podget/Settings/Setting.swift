import ArgumentParser

/// An option that a variable, the configuration file or a subscription can set too.
struct Setting<Value: Sendable>: Sendable {
  /// The key in the configuration file, which is the option's name without its dashes.
  let name: String
  /// What it sets, for use after a name: it begins in lower case and has no period.
  let help: String
  /// How its values are written.
  let form: SettingForm<Value>
  /// The variables of other programs that replace the default, the first one that is set.
  let sharedVariables: [String]
  /// A value as the configuration file may have it: the default, unless there is none.
  let example: String
  /// The default in words, if the example is another value; empty if there is none.
  let standardText: String?
  /// The value without any other.
  let standard: @Sendable (SettingSources) throws -> Value

  /// Creates a setting.
  init(
    _ name: String, _ help: String, _ form: SettingForm<Value>,
    sharedVariables: [String] = [], example: String, standardText: String? = nil,
    standard: @escaping @Sendable (SettingSources) throws -> Value
  ) {
    self.name = name
    self.help = help
    self.form = form
    self.sharedVariables = sharedVariables
    self.example = example
    self.standardText = standardText
    self.standard = standard
  }

  /// The variable that sets it.
  var variable: String { "PODGET_" + name.uppercased().replacing("-", with: "_") }

  /// Checks the value of its option.
  func require(_ option: Value?) throws(ValidationError) {
    guard let option, let problem = form.problem(option) else { return }
    throw ValidationError(problem.sentence(of: "--\(name)"))
  }

  /// The value of its option, when the parser keeps that as a text.
  func parse(option text: String) throws(ValidationError) -> Value {
    do throws(SettingProblem) {
      return try form.parse(text)
    } catch {
      throw ValidationError(error.sentence(of: "--\(name)"))
    }
  }
}

/// A setting as lists show it, whatever its values are.
protocol AnySetting: Sendable {
  var name: String { get }
  var help: String { get }
  var variable: String { get }
  var sharedVariables: [String] { get }
  var example: String { get }
  var standardText: String? { get }
  /// How YAML may write its values.
  var notation: SettingNotation { get }
  /// The JSON Schema of its values.
  var schema: JSONValue { get }

  /// Checks the text of a value.
  func check(_ text: String) throws(SettingProblem)

  /// Its value and where that comes from.
  func reported(by sources: SettingSources) throws -> SettingValue<JSONValue>
}

extension AnySetting {
  /// The default in words; empty if there is none.
  var defaultText: String { standardText ?? example }

  /// The same as help has it behind a sentence.
  var defaultNote: String { "(default: \(defaultText))" }
}

extension Setting: AnySetting {
  var notation: SettingNotation { form.notation }
  var schema: JSONValue {
    // A folder in an unknown home is null.
    form.notation == .path ? JSONSchema.optional(form.json.schema) : form.json.schema
  }

  func check(_ text: String) throws(SettingProblem) { _ = try form.parse(text) }

  func reported(by sources: SettingSources) throws -> SettingValue<JSONValue> {
    guard let found = try sources.given(self) else {
      // A default that cannot be known, such as a folder in an unknown home, is no failure here.
      let value = try? standard(sources)
      return SettingValue(value: value.map(form.json.callAsFunction) ?? .null, origin: .standard)
    }
    return SettingValue(value: form.json(found.value), origin: found.origin)
  }
}
