package import PodcastArtwork

/// Makes thumbnails of images in all formats that are decoded.
package enum ThumbnailMaker {
  /// The thumbnail of an image.
  ///
  /// - Parameters:
  ///   - bytes: the image, at most ``ImageLimits/bytes``.
  ///   - size: the longer side of the thumbnail in pixels, from 1 to ``Thumbnail/longestSide``; a
  ///     smaller image keeps its size.
  /// - Throws: an ``ImageRefusal``.
  package static func thumbnail(
    of bytes: UnsafeRawBufferPointer, size: Int
  ) throws(ImageRefusal) -> Thumbnail {
    switch try ImageFormat(of: bytes) {
    case .jpeg: try JPEGImage.thumbnail(of: bytes, size: size)
    case .png: try PNGImage.thumbnail(of: bytes, size: size)
    case .webP: try WebPImage.thumbnail(of: bytes, size: size)
    }
  }
}
