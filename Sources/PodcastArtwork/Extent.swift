/// The width and height of an image in pixels, both at least 1.
package struct Extent: Sendable, Hashable {
  /// The width.
  package var width: Int
  /// The height.
  package var height: Int

  /// Creates an extent; a side of less than 1 counts as 1.
  package init(width: Int, height: Int) {
    self.width = max(1, width)
    self.height = max(1, height)
  }

  /// The extent with the same proportions whose longer side is at most `side`; never a larger one.
  package func fitted(to side: Int) -> Extent {
    let longer = max(width, height)
    guard longer > side else { return self }
    func scaled(_ length: Int) -> Int { (length * side + longer / 2) / longer }
    return Extent(width: scaled(width), height: scaled(height))
  }

  /// The eighths to which a JPEG is scaled while it is decoded, so that it still has enough pixels
  /// for a target: 1, 2, 4 or 8.
  package func eighths(for target: Extent) -> Int {
    [1, 2, 4].first { eighths in
      let scaled = self.scaled(toEighths: eighths)
      return scaled.width >= target.width && scaled.height >= target.height
    } ?? 8
  }

  /// The extent after scaling to so many eighths, as JPEG decoders round it.
  package func scaled(toEighths eighths: Int) -> Extent {
    Extent(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
  }
}
