package import PodcastArtwork

/// An image in a frame, and the cells that are its own.
package struct FrameImage: Sendable, Hashable {
  /// The image.
  package let thumbnail: Thumbnail
  /// Its cells.
  package let area: CellArea

  /// Creates an image in a frame.
  package init(_ thumbnail: Thumbnail, area: CellArea) {
    self.thumbnail = thumbnail
    self.area = area
  }
}
