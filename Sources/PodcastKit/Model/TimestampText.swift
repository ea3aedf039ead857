public import FoundationEssentials

extension Date {
  /// The instant as `YYYY-MM-DDTHH:MM:SSZ` (RFC 3339, UTC), a fraction of a second dropped.
  public var timestamp: String {
    let seconds = Int64(timeIntervalSince1970.rounded(.down))
    let ofDay = Int(((seconds % 86_400) + 86_400) % 86_400)
    func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let time = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map(twoDigits).joined(separator: ":")
    return "\(CivilDay(self))T\(time)Z"
  }
}
