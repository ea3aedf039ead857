internal import CSPNG
internal import CTurboJPEG
internal import CWebP
package import PodcastArtwork

/// Makes thumbnails of images in all formats that are decoded.
package enum ThumbnailMaker {
  /// Loads the library that decodes a format; false if it is not installed. What decodes loads it too,
  /// but a process that may open no more files must have it before.
  static func load(_ format: ImageFormat) -> Bool {
    switch format {
    case .jpeg: podget_turbojpeg_load() != 0
    case .png: podget_spng_load() != 0
    case .webP: podget_webp_load() != 0
    }
  }

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
    let format = try ImageFormat(of: bytes)
    guard load(format) else { throw .noLibrary }
    switch format {
    case .jpeg: return try JPEGImage.thumbnail(of: bytes, size: size)
    case .png: return try PNGImage.thumbnail(of: bytes, size: size)
    case .webP: return try WebPImage.thumbnail(of: bytes, size: size)
    }
  }
}
