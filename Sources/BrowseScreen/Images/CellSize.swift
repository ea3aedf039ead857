import Glibc
package import PodcastArtwork

/// How many pixels a cell has.
package struct CellSize: Sendable, Hashable {
  /// What a terminal may claim, so that products with rows and columns stay small.
  private static let sides = 2...200

  /// What is assumed of a terminal that does not report it. The proportions are the usual ones; it is
  /// small, so that an image which is drawn in pixels stays within its cells.
  package static let assumed = CellSize(width: 6, height: 12)

  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int

  private init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Creates a size; nil for one that no cell has.
  package init?(checking width: Int, _ height: Int) {
    guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
    self.init(width: width, height: height)
  }

  /// The size in a terminal's window; nil if the terminal does not report its size in pixels.
  package init?(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    self.init(
      checking: Int(size.ws_xpixel) / Int(size.ws_col), Int(size.ws_ypixel) / Int(size.ws_row))
  }

  /// The pixels of so many cells.
  func pixels(_ area: CellArea) -> Extent {
    Extent(width: area.columns * width, height: area.rows * height)
  }

  /// How many columns are as wide as so many rows are high.
  package func columns(forRows rows: Int) -> Int {
    max(1, (rows * height + width / 2) / width)
  }

  /// The cells of an image with given proportions that is as large as its space allows.
  package func area(of image: Extent, within space: CellArea) -> CellArea {
    let room = pixels(space)
    var area = space
    // Both products are below 2^31: the sides of images and cells are bounded.
    if image.width * room.height >= image.height * room.width {
      let height = image.height * room.width / image.width
      area.rows = min(max(1, (height + self.height / 2) / self.height), space.rows)
    } else {
      let width = image.width * room.height / image.height
      area.columns = min(max(1, (width + self.width / 2) / self.width), space.columns)
    }
    return area
  }
}
