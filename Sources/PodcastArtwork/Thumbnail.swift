/// A small picture: rows of pixels from the top, each of three or four bytes.
package struct Thumbnail: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// Whether each pixel has a fourth byte, its opacity, which the colors are not multiplied by.
  package let hasAlpha: Bool
  /// The pixels: red, green, blue, and the opacity if there is one.
  package let pixels: [UInt8]

  /// The longest side that a thumbnail may have.
  package static let longestSide = 1024
  /// The size of ``bytes`` that no thumbnail exceeds.
  package static let maximumBytes = headerBytes + longestSide * longestSide * 4

  /// The first argument of the process that decodes an image; its longer side follows.
  package static let argument = "--thumbnail"

  private static let magic = Array("PGTH".utf8)
  private static let headerBytes = 12

  /// Creates a thumbnail; nil if the pixels do not fit the sides, or a side is not allowed.
  package init?(width: Int, height: Int, hasAlpha: Bool, pixels: [UInt8]) {
    let sides = 1...Self.longestSide
    guard sides.contains(width), sides.contains(height),
      pixels.count == width * height * (hasAlpha ? 4 : 3)
    else { return nil }
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.pixels = pixels
  }

  /// Reads what ``bytes`` wrote; nil for anything else.
  package init?(bytes: [UInt8]) {
    guard bytes.count > Self.headerBytes, bytes.starts(with: Self.magic),
      bytes[11] == 0, bytes[10] == 0, bytes[9] == 0, bytes[8] == 3 || bytes[8] == 4
    else { return nil }
    self.init(
      width: Int(bytes[4]) | Int(bytes[5]) << 8, height: Int(bytes[6]) | Int(bytes[7]) << 8,
      hasAlpha: bytes[8] == 4, pixels: Array(bytes[Self.headerBytes...]))
  }

  /// How many of the bytes are a thumbnail that ``bytes`` wrote, by its beginning; nil if it is none.
  static func length(of bytes: [UInt8]) -> Int? {
    guard bytes.count > headerBytes, bytes.starts(with: magic) else { return nil }
    let (width, height) = (Int(bytes[4]) | Int(bytes[5]) << 8, Int(bytes[6]) | Int(bytes[7]) << 8)
    guard (1...longestSide).contains(width), (1...longestSide).contains(height) else { return nil }
    return headerBytes + width * height * Int(min(4, bytes[8]))
  }

  /// The thumbnail as it goes from one program to another: `PGTH`, width, height
  /// (two bytes each), bytes per pixel (four bytes), all little-endian, then the pixels.
  package var bytes: [UInt8] {
    Self.magic
      + [
        UInt8(truncatingIfNeeded: width), UInt8(truncatingIfNeeded: width >> 8),
        UInt8(truncatingIfNeeded: height), UInt8(truncatingIfNeeded: height >> 8),
        hasAlpha ? 4 : 3, 0, 0, 0,
      ] + pixels
  }
}
