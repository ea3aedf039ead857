/// Makes an image smaller, row by row: each pixel of the result is the mean of the area that it
/// covers, with parts of pixels at the edges.
///
/// Along a side of `source` pixels that become `target` ones, positions count in units in which a
/// pixel of the source has the length `target` and one of the result the length `source`. All
/// weights are whole numbers then.
package struct BoxFilter {
  /// Where the pixels of one side go: the first target of each, its weight there, and the rest of
  /// its weight, which belongs to the next target.
  private struct Side {
    var targets: [Int] = []
    var weights: [UInt64] = []
    var rests: [UInt64] = []

    init(source: Int, target: Int) {
      for place in 0..<source {
        let start = place * target
        let first = start / source
        let weight = min((first + 1) * source, start + target) - start
        targets.append(first)
        weights.append(UInt64(weight))
        rests.append(UInt64(target - weight))
      }
    }
  }

  private let source: Extent
  private let target: Extent
  private let channels: Int
  private let columns: Side
  private let rows: Side
  private var next = 0
  /// The sums of one row of the source, for each target column; colors times opacity.
  private var row: [UInt64]
  /// The sums of all targets.
  private var sums: [UInt64]

  /// Creates a filter. A target side that is longer than the source's counts as equally long.
  package init(from source: Extent, to target: Extent, hasAlpha: Bool) {
    self.source = source
    self.target = Extent(
      width: min(source.width, target.width), height: min(source.height, target.height))
    channels = hasAlpha ? 4 : 3
    columns = Side(source: source.width, target: self.target.width)
    rows = Side(source: source.height, target: self.target.height)
    row = Array(repeating: 0, count: self.target.width * channels)
    sums = Array(repeating: 0, count: self.target.width * self.target.height * channels)
  }

  /// How many bytes a row of the source has.
  package var rowBytes: Int { source.width * channels }

  /// Takes the next row of the source; rows that are too short or too many are ignored.
  package mutating func add(row pixels: UnsafeBufferPointer<UInt8>) {
    guard pixels.count >= rowBytes, next < source.height else { return }
    addColumns(pixels)
    let (first, weight, rest) = (rows.targets[next], rows.weights[next], rows.rests[next])
    next += 1
    add(to: first, weight)
    if rest > 0 { add(to: first + 1, rest) }
  }

  /// The result; nil if rows are missing, or if it is no thumbnail by its size.
  package func thumbnail() -> Thumbnail? {
    guard next == source.height else { return nil }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(sums.count)
    let area = UInt64(source.width) * UInt64(source.height)
    for place in stride(from: 0, to: sums.count, by: channels) {
      let opacity = channels == 4 ? sums[place + 3] : area
      for channel in 0..<3 { pixels.append(Self.mean(sums[place + channel], opacity)) }
      if channels == 4 { pixels.append(Self.mean(opacity, area)) }
    }
    return Thumbnail(
      width: target.width, height: target.height, hasAlpha: channels == 4, pixels: pixels)
  }
}

extension BoxFilter {
  private mutating func addColumns(_ pixels: UnsafeBufferPointer<UInt8>) {
    for place in row.indices { row[place] = 0 }
    for column in 0..<source.width {
      let pixel = UnsafeBufferPointer(rebasing: pixels[column * channels..<(column + 1) * channels])
      let place = columns.targets[column] * channels
      add(pixel, at: place, columns.weights[column])
      let rest = columns.rests[column]
      if rest > 0 { add(pixel, at: place + channels, rest) }
    }
  }

  private mutating func add(
    _ pixel: UnsafeBufferPointer<UInt8>, at place: Int, _ weight: UInt64
  ) {
    guard channels == 4 else {
      for channel in 0..<3 { row[place + channel] += UInt64(pixel[channel]) * weight }
      return
    }
    let opacity = UInt64(pixel[3]) * weight
    for channel in 0..<3 { row[place + channel] += UInt64(pixel[channel]) * opacity }
    row[place + 3] += opacity
  }

  private mutating func add(to targetRow: Int, _ weight: UInt64) {
    let start = targetRow * row.count
    for place in row.indices { sums[start + place] += row[place] * weight }
  }

  /// The rounded quotient; 0 for what is completely transparent.
  private static func mean(_ sum: UInt64, _ count: UInt64) -> UInt8 {
    count == 0 ? 0 : UInt8(clamping: (sum + count / 2) / count)
  }
}
