package import PodcastArtwork

/// An image in a frame, and the cells that are its own.
package struct FrameImage: Sendable, Hashable {
  /// Its cells, which are compared first.
  package let area: CellArea
  /// The image.
  package let thumbnail: Thumbnail

  /// Creates an image in a frame.
  package init(_ thumbnail: Thumbnail, area: CellArea) {
    self.thumbnail = thumbnail
    self.area = area
  }

  /// The pixels that it has in a terminal that does not enlarge it.
  func extent(_ cell: CellSize) -> Extent {
    let room = cell.pixels(area)
    return Extent(
      width: min(room.width, thumbnail.width), height: min(room.height, thumbnail.height))
  }

  /// Whether it covers all pixels of its area.
  func fills(_ area: CellArea, _ cell: CellSize) -> Bool {
    !thumbnail.hasAlpha && extent(cell) == cell.pixels(area)
  }
}
