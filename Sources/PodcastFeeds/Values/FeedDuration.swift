/// Playing times of episodes in all the forms in which feeds have them (`itunes:duration`).
enum FeedDuration {
  /// The longest that is believed: a month.
  private static let maximum = 31 * 24 * 3600

  /// The playing time in whole seconds; nil for what is none, and for zero.
  ///
  /// Read are seconds, also with commas between thousands, `M:SS`, `H:MM:SS` and `D:HH:MM:SS`, as well
  /// as `1h 5m`, `50 min 4 sec` and `PT1H5M` (ISO 8601), all with a fraction at the end. Minutes and
  /// seconds above 59 are taken as they stand: `90:05` is 90 minutes.
  static func seconds(_ bytes: some Collection<UInt8>) -> Int? {
    guard bytes.count <= 256 else { return nil }
    var content = Array(bytes.drop(while: MarkupTag.isSpace))
    while let last = content.last, MarkupTag.isSpace(last) { content.removeLast() }
    guard let first = content.first else { return nil }
    // As most feeds write it.
    if let seconds = whole(content[...]) {
      return (1...maximum).contains(seconds) ? seconds : nil
    }
    let isClock = (0x30...0x39).contains(first) || first == UInt8(ascii: ":")
    let value = (isClock ? grouped(content) ?? clock(content) : nil) ?? units(content)
    return value.flatMap { (1...maximum).contains($0) ? $0 : nil }
  }

  /// The same as a duration.
  static func duration(_ bytes: some Collection<UInt8>) -> Duration? {
    seconds(bytes).map { .seconds($0) }
  }

  /// A number with commas between its thousands: `3,600`, but not `0,500`.
  private static func grouped(_ bytes: [UInt8]) -> Int? {
    let groups = bytes.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard groups.count > 1, groups[0].count <= 3, groups[0].first != 0x30,
      groups.dropFirst().allSatisfy({ $0.count == 3 })
    else { return nil }
    return whole(Array(groups.joined())[...])
  }

  /// Numbers between colons, the last one with or without a fraction.
  private static func clock(_ bytes: [UInt8]) -> Int? {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count <= 4 else { return nil }
    let factors = [86_400, 3600, 60, 1].suffix(parts.count)
    var sum = 0
    for (number, (part, factor)) in zip(parts, factors).enumerated() {
      let isLast = number == parts.count - 1
      let digits = isLast ? part.prefix { $0 != UInt8(ascii: ".") && $0 != 0x2C } : part
      guard part[digits.endIndex...].dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
        let value = whole(digits)
      else { return nil }
      // Seven digits times a day cannot overflow.
      sum += value * factor
    }
    return sum
  }

  /// Numbers with units: hours, minutes and seconds, by the first letter.
  private static func units(_ bytes: [UInt8]) -> Int? {
    var rest = bytes[...]
    if rest.count > 2, rest.prefix(2).map({ $0 | 0x20 }) == Array("pt".utf8) {
      rest = rest.dropFirst(2)
    }
    var sum = 0
    var last = Int.max
    while !rest.isEmpty {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard let value = whole(digits) else { return nil }
      rest = rest[digits.endIndex...]
      let fraction = fraction(&rest)
      rest = rest.drop(while: MarkupTag.isSpace)
      let word = rest.prefix { (0x61...0x7A).contains($0 | 0x20) }
      guard let factor = factor(String(decoding: word, as: UTF8.self).lowercased()), factor < last
      else { return nil }
      sum += value * factor + fraction * factor / 1000
      last = factor
      rest = rest[word.endIndex...].drop { MarkupTag.isSpace($0) || $0 == 0x2C || $0 == 0x2E }
    }
    return last == Int.max ? nil : sum
  }

  /// Takes a fraction, in thousandths; zero where there is none.
  private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int {
    guard rest.first == UInt8(ascii: ".") || rest.first == 0x2C else { return 0 }
    let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return 0 }
    rest = rest[digits.endIndex...]
    return (Array(digits.prefix(3)) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func factor(_ unit: String) -> Int? {
    switch unit {
    case "h", "hr", "hrs", "hour", "hours": 3600
    case "m", "min", "mins", "minute", "minutes": 60
    case "s", "sec", "secs", "second", "seconds": 1
    default: nil
    }
  }

  private static func whole(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 7 else { return nil }
    var value = 0
    for byte in digits {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}
