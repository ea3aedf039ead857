internal import CWebP
package import PodcastArtwork

/// Writes thumbnails as WebP: a photo of 300 by 300 pixels takes a twentieth of its pixels.
package enum WebPFile {
  /// The quality of libwebp, from 0 to 100: differences are not seen at the size of a thumbnail.
  private static let quality: Float = 80

  /// The file; empty if there is not enough memory, or libwebp is not installed.
  package static func bytes(_ thumbnail: Thumbnail) -> [UInt8] {
    guard podget_webp_load() != 0 else { return [] }
    let (width, height) = (Int32(thumbnail.width), Int32(thumbnail.height))
    var start: UnsafeMutablePointer<UInt8>?
    let count = thumbnail.pixels.withUnsafeBufferPointer { pixels in
      podget_webp_encode(
        pixels.baseAddress, width, height, thumbnail.hasAlpha ? 1 : 0, quality, &start)
    }
    defer { podget_webp_free(start) }
    return Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
