import PodcastArtwork

/// Images as half blocks: the upper half of each cell is one pixel, the lower half another one.
package enum HalfBlocks {
  /// The cells of an image, row by row; nil if it cannot be scaled to so many.
  ///
  /// Where the image is transparent, the terminal's background is seen.
  package static func cells(of image: FrameImage, _ depth: ColorDepth) -> [Cell]? {
    let area = image.area
    guard
      let scaled = image.thumbnail.scaled(
        to: Extent(width: area.columns, height: area.rows * 2)),
      scaled.width == area.columns, scaled.height == area.rows * 2
    else { return nil }
    return (0..<area.rows).flatMap { row in
      (0..<area.columns).map { column in
        cell(
          scaled.color(column, row * 2).map { BlockColor($0, depth) },
          scaled.color(column, row * 2 + 1).map { BlockColor($0, depth) })
      }
    }
  }

  private static func cell(_ upper: BlockColor?, _ lower: BlockColor?) -> Cell {
    var cell = Cell.blank
    switch (upper, lower) {
    case (nil, nil): break
    case (nil, let lower?):
      cell.character = "▄"
      cell.colors = CellColors(foreground: lower, background: nil)
    case (let upper?, let lower):
      cell.character = "▀"
      cell.colors = CellColors(foreground: upper, background: lower)
    }
    return cell
  }
}
