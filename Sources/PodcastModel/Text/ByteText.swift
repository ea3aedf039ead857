/// Sizes and rates for people: about three digits, in units of 1024.
package enum ByteText {
  /// A size such as `512 B`, `23.0 MiB` or `117 MiB`; at most eight characters wide.
  package static func size(_ bytes: Int64) -> String {
    size(Double(bytes))
  }

  /// The current and the total size, both in the unit of the total: `10.1/23.0 MiB`, or `10.1/~23.0
  /// MiB` if the total is an estimate.
  package static func size(_ bytes: Int64, of total: Double, isEstimate: Bool = false) -> String {
    let unit = Unit(for: max(Double(bytes), total))
    let separator = isEstimate ? "/~" : "/"
    return "\(unit.number(Double(bytes)))\(separator)\(unit.number(total)) \(unit.name)"
  }

  /// A rate such as `1.2 MiB/s`.
  package static func rate(_ bytesPerSecond: Double) -> String {
    size(bytesPerSecond) + "/s"
  }

  private static func size(_ bytes: Double) -> String {
    let unit = Unit(for: bytes)
    return "\(unit.number(bytes)) \(unit.name)"
  }
}

/// A unit and the numbers in it. Servers announce any size, so everything is computed in `Double`,
/// which does not overflow.
private struct Unit {
  static let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
  static let largest = 9999.0

  var power = 0
  var name: String { Self.names[power] }

  /// The largest unit in which the rounded number is at least one.
  init(for bytes: Double) {
    while power < Self.names.count - 1, scaled(bytes).rounded() >= 1024 { power += 1 }
  }

  func number(_ bytes: Double) -> String {
    let scaled = scaled(bytes)
    let tenths = Int((scaled * 10).rounded())
    if power == 0 || tenths >= 1000 { return "\(Int(scaled.rounded()))" }
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func scaled(_ bytes: Double) -> Double {
    var scaled = bytes
    for _ in 0..<power { scaled /= 1024 }
    return scaled > 0 ? min(scaled, Self.largest) : 0
  }
}
