internal import CWebP
import Glibc
import PodcastArtwork

/// Decodes WebP. The decoder scales while it decodes.
enum WebPImage {
  /// The thumbnail of an image.
  static func thumbnail(
    of bytes: UnsafeRawBufferPointer, size: Int
  ) throws(ImageRefusal) -> Thumbnail {
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    var decoder = WebPDecoderConfig()
    guard podget_webp_create(&decoder) != 0 else { throw .memory }
    try check(podget_webp_features(start, bytes.count, &decoder.input))
    guard decoder.input.has_animation == 0 else { throw .animated }
    let full = try ImageLimits.extent(
      width: Int(decoder.input.width), height: Int(decoder.input.height))
    let target = full.fitted(to: size)
    let hasAlpha = decoder.input.has_alpha != 0
    let length = target.width * (hasAlpha ? 4 : 3)
    let pixels = try MemoryBlock(count: length * target.height)
    decoder.options.use_scaling = target == full ? 0 : 1
    decoder.options.scaled_width = Int32(target.width)
    decoder.options.scaled_height = Int32(target.height)
    decoder.output.colorspace = hasAlpha ? MODE_RGBA : MODE_RGB
    decoder.output.is_external_memory = 1
    decoder.output.u.RGBA.rgba = try pixels.start
    decoder.output.u.RGBA.stride = Int32(length)
    decoder.output.u.RGBA.size = pixels.bytes.count
    defer { podget_webp_destroy(&decoder.output) }
    try check(podget_webp_decode(start, bytes.count, &decoder))
    guard
      let thumbnail = Thumbnail(
        width: target.width, height: target.height, hasAlpha: hasAlpha,
        pixels: Array(pixels.bytes))
    else { throw .damaged }
    return thumbnail
  }

  private static func check(_ status: VP8StatusCode) throws(ImageRefusal) {
    guard status != VP8_STATUS_OK else { return }
    throw status == VP8_STATUS_OUT_OF_MEMORY ? .memory : .damaged
  }
}
