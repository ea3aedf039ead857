import ArgumentParser

/// The variables of the process; `PODGET_*` replace options that are not given.
struct Environment {
  private let variables: [String: String]

  init(_ variables: [String: String]) {
    self.variables = variables
  }

  /// A variable's text; nil when it is unset or empty.
  func text(_ name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A variable's number; throws when it is set to anything else.
  func number<Value: LosslessStringConvertible>(_ name: String) throws -> Value? {
    guard let text = text(name) else { return nil }
    guard let value = Value(text) else {
      throw ValidationError("The variable \(name) holds \"\(text)\", which is not a number.")
    }
    return value
  }
}

extension ValidationError {
  /// Checks that no source is an empty text, as from an unset variable of a script.
  static func requireNames(_ sources: [String]) throws {
    if sources.contains("") { throw ValidationError("The name of a source is empty.") }
  }

  /// Checks a number from an option or a variable.
  static func require(_ isGood: Bool, _ name: String, _ range: String) throws {
    if !isGood { throw ValidationError("\(name) takes \(range).") }
  }
}
