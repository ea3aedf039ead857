import PodcastArtwork
import Testing

/// Pictures for tests.
enum TestPictures {
  /// A picture by the colors of its pixels.
  static func picture(
    _ width: Int, _ height: Int, hasAlpha: Bool = false,
    _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) throws -> Thumbnail {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { pixels += pixel(x, y) }
    }
    return try #require(
      Thumbnail(width: width, height: height, hasAlpha: hasAlpha, pixels: pixels))
  }

  /// A picture of one color.
  static func plain(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> Thumbnail {
    try picture(width, height) { _, _ in color }
  }

  /// A picture in which no two neighbors are equal.
  static func gradient(_ width: Int, _ height: Int, seed: Int = 0) throws -> Thumbnail {
    try picture(width, height) { x, y in
      [
        UInt8(truncatingIfNeeded: x * 5 + seed), UInt8(truncatingIfNeeded: y * 5),
        UInt8(truncatingIfNeeded: x * y + seed),
      ]
    }
  }
}
