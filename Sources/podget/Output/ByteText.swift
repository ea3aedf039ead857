/// Sizes and rates as people read them: three digits or so, in units of 1024.
enum ByteText {
  /// A size such as `512 B`, `23.0 MiB` or `117 MiB`; at most eight characters wide.
  static func size(_ bytes: Int64) -> String {
    let unit = Unit(for: bytes)
    return "\(unit.number(bytes)) \(unit.name)"
  }

  /// What is there of what is wanted, both in the unit of the latter: `10.1/23.0 MiB`, or
  /// `10.1/~23.0 MiB` where the latter is an estimate.
  static func size(_ bytes: Int64, of total: Int64, isEstimate: Bool = false) -> String {
    let unit = Unit(for: max(bytes, total))
    let separator = isEstimate ? "/~" : "/"
    return "\(unit.number(bytes))\(separator)\(unit.number(total)) \(unit.name)"
  }

  /// A rate such as `1.2 MiB/s`.
  static func rate(_ bytesPerSecond: Double) -> String {
    guard bytesPerSecond.isFinite, bytesPerSecond < 1e18 else { return "" }
    return size(Int64(max(0, bytesPerSecond))) + "/s"
  }
}

private struct Unit {
  static let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  var power = 0
  var name: String { Self.names[power] }

  /// The largest unit of which there is at least one once the number is rounded.
  init(for bytes: Int64) {
    while power < Self.names.count - 1, rounded(bytes, 1) >= 1024 { power += 1 }
  }

  func number(_ bytes: Int64) -> String {
    let tenths = rounded(bytes, 10)
    if power == 0 || tenths >= 1000 { return "\(rounded(bytes, 1))" }
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func rounded(_ bytes: Int64, _ parts: Double) -> Int64 {
    var scaled = Double(max(0, bytes)) * parts
    for _ in 0..<power { scaled /= 1024 }
    return Int64(scaled.rounded())
  }
}
