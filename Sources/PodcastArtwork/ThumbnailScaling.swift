extension Thumbnail {
  /// The thumbnail with another width and height, whatever its proportions; nil for sides that a
  /// thumbnail cannot have.
  ///
  /// A side that becomes shorter takes the mean of its pixels, one that becomes longer repeats them.
  package func scaled(to target: Extent) -> Thumbnail? {
    var filter = BoxFilter(
      from: Extent(width: width, height: height), to: target, hasAlpha: hasAlpha)
    let rowBytes = width * (hasAlpha ? 4 : 3)
    pixels.withUnsafeBufferPointer { pixels in
      for row in 0..<height {
        filter.add(
          row: UnsafeBufferPointer(rebasing: pixels[row * rowBytes..<(row + 1) * rowBytes]))
      }
    }
    return filter.thumbnail()?.repeated(to: target)
  }

  /// The thumbnail with its pixels repeated as often as the sides need.
  private func repeated(to target: Extent) -> Thumbnail? {
    guard target != Extent(width: width, height: height) else { return self }
    guard target.width <= Self.longestSide, target.height <= Self.longestSide else { return nil }
    let channels = hasAlpha ? 4 : 3
    var result: [UInt8] = []
    result.reserveCapacity(target.width * target.height * channels)
    for y in 0..<target.height {
      let start = y * height / target.height * width
      for x in 0..<target.width {
        let place = (start + x * width / target.width) * channels
        result += pixels[place..<place + channels]
      }
    }
    return Thumbnail(
      width: target.width, height: target.height, hasAlpha: hasAlpha, pixels: result)
  }

  /// The colors of the pixel in a column and a row; nil where the image is rather transparent.
  package func color(_ column: Int, _ row: Int) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    let place = (row * width + column) * (hasAlpha ? 4 : 3)
    if hasAlpha, pixels[place + 3] < 128 { return nil }
    return (pixels[place], pixels[place + 1], pixels[place + 2])
  }
}
