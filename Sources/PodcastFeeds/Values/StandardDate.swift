internal import FoundationEssentials
internal import PodcastModel

/// Dates exactly as RFC 822 and RFC 2822 have them, which nearly all are: `Tue, 05 Mar 2024 12:00:00
/// +0100`. Reading them needs no memory.
enum StandardDate {
  /// The instant; nil for a date in any other form, which may be fine all the same.
  static func date(_ bytes: some Collection<UInt8>) -> Date? {
    bytes.withContiguousStorageIfAvailable { read($0) } ?? nil
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    var text = Cursor(bytes)
    guard let dayOfMonth = text.number(text.hasTwoDigits ? 2 : 1), text.skip(" "),
      let month = text.month(), text.skip(" "), let year = text.number(4), text.skip(" "),
      let hours = text.number(2), hours < 24, text.skip(":"), let minutes = text.number(2),
      minutes < 60, text.skip(":"), let seconds = text.number(2), seconds < 60, text.skip(" "),
      let day = CivilDay(year: year, month: month, day: dayOfMonth), let offset = text.offset(),
      text.isAtEnd
    else { return nil }
    let time = hours * 3600 + minutes * 60 + seconds - offset
    return Date(timeIntervalSince1970: Double(day.daysSince1970 * 86_400 + time))
  }
}

extension StandardDate {
  /// A place in the text of a date.
  private struct Cursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index: Int
    private let end: Int

    /// Begins behind the weekday, which has three letters if there is one. White space at the end does
    /// not count.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      var end = bytes.count
      while end > 0, MarkupTag.isSpace(bytes[end - 1]) { end -= 1 }
      self.bytes = bytes
      self.end = end
      let hasWeekday =
        end > 5 && bytes[3] == UInt8(ascii: ",") && bytes[4] == 0x20
        && bytes[..<3].allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
      index = hasWeekday ? 5 : 0
    }

    var isAtEnd: Bool { index == end }

    var hasTwoDigits: Bool { index + 1 < end && bytes[index + 1] != 0x20 }

    mutating func number(_ digits: Int) -> Int? {
      guard index + digits <= end else { return nil }
      var value = 0
      for _ in 0..<digits {
        guard (0x30...0x39).contains(bytes[index]) else { return nil }
        value = value * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      return value
    }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
      guard index < end, UInt32(bytes[index]) == mark.value else { return false }
      index += 1
      return true
    }

    mutating func month() -> Int? {
      guard index + 3 < end else { return nil }
      defer { index += 3 }
      return StandardDate.month(bytes[index], bytes[index + 1], bytes[index + 2])
    }

    /// The zone in seconds east of Greenwich.
    mutating func offset() -> Int? {
      let isMinus = skip("-")
      guard isMinus || skip("+") else { return skip("G") && skip("M") && skip("T") ? 0 : nil }
      guard let east = number(2), east < 24, let rest = number(2), rest < 60 else { return nil }
      return (isMinus ? -1 : 1) * (east * 3600 + rest * 60)
    }
  }

  private static func month(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int? {
    switch (first | 0x20, second | 0x20, third | 0x20) {
    case (0x6A, 0x61, 0x6E): 1
    case (0x66, 0x65, 0x62): 2
    case (0x6D, 0x61, 0x72): 3
    case (0x61, 0x70, 0x72): 4
    case (0x6D, 0x61, 0x79): 5
    case (0x6A, 0x75, 0x6E): 6
    case (0x6A, 0x75, 0x6C): 7
    case (0x61, 0x75, 0x67): 8
    case (0x73, 0x65, 0x70): 9
    case (0x6F, 0x63, 0x74): 10
    case (0x6E, 0x6F, 0x76): 11
    case (0x64, 0x65, 0x63): 12
    default: nil
    }
  }
}
