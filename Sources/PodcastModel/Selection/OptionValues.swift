public import FoundationEssentials

extension CivilDay {
  /// Parses the value of `--since` and `--until`: a day such as `2024-03-01`, or an age such as
  /// `30d`, `2w`, `6m` (months) and `1y`, counted back from the UTC day of `now`.
  public init(option text: String, now: Date) throws(OptionValueError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    if parts.map(\.utf8.count) == [4, 2, 2],
      let year = Int(digits: parts[0]), let month = Int(digits: parts[1]),
      let day = Int(digits: parts[2])
    {
      guard let day = CivilDay(year: year, month: month, day: day) else {
        throw OptionValueError("The calendar has no day \(text).")
      }
      self = day
      return
    }
    guard let unit = text.last, let count = Int(digits: text.dropLast()), count <= 100_000 else {
      throw Self.unreadable(text)
    }
    let today = CivilDay(now)
    switch unit.lowercased() {
    case "d": self = today.adding(days: -count)
    case "w": self = today.adding(days: -7 * count)
    case "m": self = today.adding(months: -count)
    case "y": self = today.adding(months: -12 * count)
    default: throw Self.unreadable(text)
    }
  }

  private static func unreadable(_ text: String) -> OptionValueError {
    OptionValueError(
      "\"\(text)\" is neither a day like 2024-03-01 nor an age like 30d, 2w, 6m, 1y.")
  }
}

/// An amount of data as an option value.
public struct ByteSize: Sendable, Hashable {
  /// The amount in bytes.
  public var bytes: Int64

  /// Parses an integer number of bytes, or any number with K, M or G (1024 each, as in curl).
  ///
  /// A fraction of a byte is dropped.
  public init(option text: String) throws(OptionValueError) {
    let factor: Double
    switch text.last?.uppercased() {
    case "K": factor = 1024
    case "M": factor = 1_048_576
    case "G": factor = 1_073_741_824
    default: factor = 1
    }
    let bytes: Int64? =
      if factor == 1 {
        // A Double cannot represent every integer.
        Int64(digits: text)
      } else {
        Double(decimal: text.dropLast()).flatMap { Int64(exactly: ($0 * factor).rounded(.down)) }
      }
    guard let bytes else {
      throw OptionValueError("\"\(text)\" is not a size like 500000, 800K, 1.5M or 2G.")
    }
    self.bytes = bytes
  }

  /// Parses how much may be kept, in the same way; not 0 bytes, which would remove everything.
  public init(limit text: String) throws(OptionValueError) {
    try self.init(option: text)
    guard bytes > 0 else { throw OptionValueError("0 bytes would remove everything.") }
  }
}

extension Duration {
  /// Parses a duration: `90` (seconds), `45s`, `20m`, `1h30m`, `1:30:00` or `45:00`.
  public init(option text: String) throws(OptionValueError) {
    guard let seconds = Self.clockSeconds(text) ?? Self.unitSeconds(text) else {
      throw OptionValueError("\"\(text)\" is not a duration like 90, 20m, 1h30m or 1:30:00.")
    }
    self = .seconds(seconds)
  }

  /// `H:MM:SS`, `M:SS` or a number of seconds; only the first part may exceed 59.
  private static func clockSeconds(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 3 else { return nil }
    var seconds = 0
    for (index, part) in parts.enumerated() {
      guard let value = Int(digits: part), value <= 1_000_000_000,
        index == 0 || (value < 60 && part.utf8.count == 2)
      else { return nil }
      seconds = seconds * 60 + value
    }
    return seconds
  }

  /// Numbers with the units h, m and s, each at most once and in this order.
  private static func unitSeconds(_ text: String) -> Int? {
    var rest = text.lowercased()[...]
    var seconds = 0
    for (unit, factor) in [("h", 3600), ("m", 60), ("s", 1)] {
      let number = rest.prefix { $0.isASCII && $0.isNumber }
      guard rest.dropFirst(number.count).hasPrefix(unit) else { continue }
      guard let value = Int(digits: number), value <= 1_000_000_000 else { return nil }
      seconds += value * factor
      rest = rest.dropFirst(number.count + 1)
    }
    return rest.isEmpty && !text.isEmpty ? seconds : nil
  }
}

extension Double {
  /// Reads ASCII digits with at most one point, no sign and no exponent.
  fileprivate init?(decimal: Substring) {
    let isDecimal = decimal.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    guard isDecimal, decimal.utf8.first != 0x2E else { return nil }
    self.init(decimal)
  }
}
