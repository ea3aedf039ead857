import PodcastKit

/// What the YAML scalar of a value may be.
enum SettingNotation: Sendable, Hashable {
  /// A number or a boolean, without quotes.
  case plain
  /// A text, with or without quotes.
  case text
  /// The same, where the text is a path: `~/` stands for the home folder.
  case path
}

/// What is wrong with the text of a value.
enum SettingProblem: Error, Sendable, Hashable {
  /// It takes something else.
  case takes(String)
  /// It takes something else, and this is not even a number.
  case notNumber(String, takes: String)
  /// The text is empty.
  case empty
  /// What the parser of the text said.
  case wrong(String)

  /// One sentence about it.
  ///
  /// - Parameter name: of the option, the variable or the key.
  func sentence(of name: String) -> String {
    switch self {
    case .takes(let what), .notNumber(_, let what): "\(name) takes \(what)."
    case .empty: "\(name) is empty."
    case .wrong(let sentence): "\(name): \(sentence)"
    }
  }
}

/// How the values of a setting are written: as a text, and in JSON.
struct SettingForm<Value: Sendable>: Sendable {
  let notation: SettingNotation
  /// Whether there may be no value.
  let isOptional: Bool
  /// How the values are written in JSON.
  let json: JSONForm<Value>
  /// Reads a text.
  let parse: @Sendable (String) throws(SettingProblem) -> Value
  /// What is wrong with a value of the right type.
  let problem: @Sendable (Value) -> SettingProblem?

  /// Creates a form.
  ///
  /// - Parameters:
  ///   - read: reads a text as the type; the value may still be wrong.
  ///   - problem: what is wrong with a value.
  init(
    _ notation: SettingNotation, isOptional: Bool = false, json: JSONForm<Value>,
    read: @escaping @Sendable (String) throws(SettingProblem) -> Value,
    problem: @escaping @Sendable (Value) -> SettingProblem? = { _ in nil }
  ) {
    self.notation = notation
    self.isOptional = isOptional
    self.json = json
    parse = { text throws(SettingProblem) in
      let value = try read(text)
      if let problem = problem(value) { throw problem }
      return value
    }
    self.problem = problem
  }

  /// The same for a setting that may have no value.
  var optional: SettingForm<Value?> {
    SettingForm<Value?>(
      notation, isOptional: true, json: json.optional,
      read: { text throws(SettingProblem) in try parse(text) },
      problem: { $0.flatMap(problem) })
  }
}

extension SettingForm where Value == Int {
  /// An integer in a range.
  static func integer(_ range: ClosedRange<Int>, _ takes: String) -> Self {
    SettingForm(
      .plain, json: .integer,
      read: { text throws(SettingProblem) in
        guard let number = Int(text) else { throw .notNumber(text, takes: takes) }
        return number
      }, problem: { range.contains($0) ? nil : .takes(takes) })
  }
}

extension SettingForm where Value == Double {
  /// A number of seconds.
  static func seconds(
    _ takes: String, where isGood: @escaping @Sendable (Double) -> Bool
  ) -> Self {
    SettingForm(
      .plain, json: JSONForm(schema: JSONSchema.number) { .seconds(.seconds($0)) },
      read: { text throws(SettingProblem) in
        guard let number = Double(text) else { throw .notNumber(text, takes: takes) }
        return number
      }, problem: { isGood($0) ? nil : .takes(takes) })
  }
}

extension SettingForm where Value == Bool {
  /// A word for true or for false, in any case, as YAML has them.
  static let flag = SettingForm(
    .plain, json: .flag,
    read: { text throws(SettingProblem) in
      switch text.lowercased() {
      case "true", "yes", "on", "1": return true
      case "false", "no", "off", "0": return false
      default: throw .takes("true, yes, on or 1, or false, no, off or 0")
      }
    })
}

extension SettingForm {
  /// A value, or `none`.
  static func orNone<Wrapped: Sendable>(
    _ json: JSONForm<Wrapped>,
    _ read: @escaping @Sendable (String) throws(SettingProblem) -> Wrapped
  ) -> Self where Value == Wrapped? {
    SettingForm(
      .text, isOptional: true, json: json.optional,
      read: { text throws(SettingProblem) in text == "none" ? nil : try read(text) })
  }
}

extension SettingForm where Value == String {
  /// A text that is not empty.
  ///
  /// - Parameter check: what is wrong with it.
  static func text(
    _ notation: SettingNotation = .text,
    check: @escaping @Sendable (String) -> SettingProblem? = { _ in nil }
  ) -> Self {
    SettingForm(
      notation, json: .string, read: { $0 }, problem: { $0.isEmpty ? .empty : check($0) })
  }
}

extension SettingForm where Value == Duration {
  /// A duration such as `1h30m`, in JSON as seconds.
  static let duration = SettingForm(
    .text, json: .seconds,
    read: { text throws(SettingProblem) in
      do throws(OptionValueError) {
        return try Duration(option: text)
      } catch {
        throw .wrong(error.description)
      }
    })
}

extension SettingForm where Value == TitlePattern {
  /// A regular expression.
  static let pattern = SettingForm(
    .text, json: JSONForm(schema: JSONSchema.string) { .string($0.pattern) },
    read: { text throws(SettingProblem) in
      do throws(OptionValueError) {
        return try TitlePattern(text)
      } catch {
        throw .wrong(error.description)
      }
    })
}

extension SettingForm
where Value: RawRepresentable & CaseIterable & Hashable, Value.RawValue == String {
  /// One of several words.
  static func word(_ takes: String) -> Self {
    SettingForm(
      .text, json: .word,
      read: { text throws(SettingProblem) in
        guard let value = Value(rawValue: text) else { throw .takes(takes) }
        return value
      })
  }
}

extension String {
  /// The same as the beginning of a sentence.
  var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
