@testable import podget

/// Configuration files: keys with checked values, or one sentence with a place in the file.
enum ConfigurationFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let bytes = input.remaining()
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let lines = bytes.count { $0 == 0x0A } + bytes.count { $0 == 0x0D } + 1
    switch Result(catching: { () throws(YAMLProblem) in try YAMLPairs.pairs(text) }) {
    case .success(let pairs):
      for pair in pairs {
        try check(pair.keyPlace, lines)
        try check(pair.valuePlace, lines)
      }
    case .failure(let problem):
      try check(problem.place, lines)
      try FuzzFailure.require(!problem.sentence.isEmpty, "A problem without words.")
    }
    guard let file = try? ConfigurationFile(text, path: "/config.yaml", home: "/home/ada") else {
      return
    }
    for (key, entry) in file.entries {
      try FuzzFailure.require(SettingTable.setting(key) != nil, "There is no key \(key).")
      try check(entry.place, lines)
    }
  }

  private static func check(_ place: ConfigurationFile.Place, _ lines: Int) throws {
    // libyaml takes more characters for line ends than these two.
    try FuzzFailure.require(place.line >= 1 && place.column >= 1, "\(place)")
    try FuzzFailure.require(place.line <= 3 * lines + 64, "\(place) of \(lines) lines")
  }
}
