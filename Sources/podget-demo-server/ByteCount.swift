import ArgumentParser

/// A number of bytes as written on the command line: `24M`, with K, M and G of 1024.
struct ByteCount: ExpressibleByArgument {
  var bytes: Int64

  init(bytes: Int64) {
    self.bytes = bytes
  }

  init?(argument: String) {
    let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = argument.last.flatMap { units[Character($0.uppercased())] }
    guard let count = Int64(unit == nil ? argument[...] : argument.dropLast()), count >= 0
    else { return nil }
    let (bytes, overflows) = count.multipliedReportingOverflow(by: unit ?? 1)
    if overflows { return nil }
    self.bytes = bytes
  }
}
