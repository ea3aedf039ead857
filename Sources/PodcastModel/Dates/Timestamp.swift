public import FoundationEssentials

extension Date {
  /// Parses a date and time of RFC 3339, such as `2023-02-16T16:00:17Z`.
  ///
  /// Fractions of a second, offsets (`+07:00`, `+0700`), a space instead of the `T` and a date
  /// alone are accepted too; without an offset the time is UTC. Anything else is nil.
  public init?(timestamp: some StringProtocol) {
    var scanner = DigitScanner(timestamp)
    guard let year = scanner.number(digits: 4), scanner.skip("-"),
      let month = scanner.number(digits: 2), scanner.skip("-"),
      let dayOfMonth = scanner.number(digits: 2),
      let day = CivilDay(year: year, month: month, day: dayOfMonth)
    else { return nil }
    var seconds = Double(day.daysSince1970) * 86_400
    if scanner.isAtEnd {
      self.init(timeIntervalSince1970: seconds)
      return
    }
    guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let time = scanner.timeOfDay()
    else { return nil }
    seconds += Double(time)
    if scanner.skip(".") || scanner.skip(",") {
      guard let fraction = scanner.fraction() else { return nil }
      seconds += fraction
    }
    while scanner.skip(" ") {}
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    self.init(timeIntervalSince1970: seconds - Double(offset))
  }
}

/// Reads numbers of fixed width from ASCII text.
package struct DigitScanner {
  private var rest: ArraySlice<UInt8>

  /// Starts at the beginning of a text, without surrounding white space.
  package init(_ text: some StringProtocol) {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    rest = bytes[start..<end]
  }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Skips one character, if it is the next one.
  package mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads exactly that many digits.
  package mutating func number(digits: Int) -> Int? {
    guard rest.count >= digits else { return nil }
    var value = 0
    for byte in rest.prefix(digits) {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    rest.removeFirst(digits)
    return value
  }

  /// Reads a run of ASCII letters; empty when there is none.
  package mutating func word() -> String {
    let letters = rest.prefix { (0x61...0x7A).contains($0 | 0x20) }
    rest.removeFirst(letters.count)
    return String(decoding: letters, as: UTF8.self)
  }

  /// Reads `HH:MM:SS` in seconds since midnight. A leap second counts as the one before it.
  package mutating func timeOfDay() -> Int? {
    guard let hours = number(digits: 2), hours < 24, skip(":"),
      let minutes = number(digits: 2), minutes < 60, skip(":"),
      let seconds = number(digits: 2), seconds <= 60
    else { return nil }
    return hours * 3600 + minutes * 60 + min(seconds, 59)
  }

  /// Reads the digits behind a decimal point.
  package mutating func fraction() -> Double? {
    var value = 0.0
    var scale = 0.1
    var any = false
    while let digit = number(digits: 1) {
      value += Double(digit) * scale
      scale /= 10
      any = true
    }
    return any ? value : nil
  }

  /// Reads `Z`, `+HH:MM`, `+HHMM` or nothing, in seconds east of UTC.
  package mutating func offset() -> Int? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let sign = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = number(digits: 2), hours < 24 else { return nil }
    _ = skip(":")
    guard let minutes = number(digits: 2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
