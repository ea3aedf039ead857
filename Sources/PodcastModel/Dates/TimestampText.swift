public import FoundationEssentials

extension Date {
  /// The seconds since 1970 of the years 1 to 9999, the range of a timestamp.
  package static let calendarRange = -62_135_596_800.0...253_402_300_799.0

  /// The instant as `YYYY-MM-DDTHH:MM:SSZ` (RFC 3339, UTC), without fractions of a second. An
  /// instant outside the years 1 to 9999 is written as their first or last.
  public var timestamp: String {
    let seconds = calendarSeconds
    let ofDay = Int(((seconds % 86_400) + 86_400) % 86_400)
    let day = CivilDay(self)
    return String(unsafeUninitializedCapacity: 20) { text in
      text.writeDigits(day.year, count: 4, at: 0)
      text[4] = UInt8(ascii: "-")
      text.writeDigits(day.month, count: 2, at: 5)
      text[7] = UInt8(ascii: "-")
      text.writeDigits(day.day, count: 2, at: 8)
      text[10] = UInt8(ascii: "T")
      text.writeDigits(ofDay / 3600, count: 2, at: 11)
      text[13] = UInt8(ascii: ":")
      text.writeDigits(ofDay / 60 % 60, count: 2, at: 14)
      text[16] = UInt8(ascii: ":")
      text.writeDigits(ofDay % 60, count: 2, at: 17)
      text[19] = UInt8(ascii: "Z")
      return 20
    }
  }
}
