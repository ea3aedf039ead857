internal import CSPNG
import Glibc
import PodcastArtwork

/// Decodes PNG, row by row; of an animated one the picture for programs that know no animations.
enum PNGImage {
  /// What one chunk may take, and all that are kept.
  private static let chunkBytes = 4 << 20
  private static let keptBytes = 8 << 20

  /// The thumbnail of an image.
  static func thumbnail(
    of bytes: UnsafeRawBufferPointer, size: Int
  ) throws(ImageRefusal) -> Thumbnail {
    guard let decoder = podget_spng_create() else { throw .memory }
    defer { podget_spng_destroy(decoder) }
    // The image's own limits come first, so that a large one is not called damaged.
    try check(podget_spng_limit_image(decoder, UInt32(Int32.max), UInt32(Int32.max)))
    try check(podget_spng_limit_chunks(decoder, chunkBytes, keptBytes))
    try check(
      podget_spng_check_sums(
        decoder, Int32(SPNG_CRC_ERROR.rawValue), Int32(SPNG_CRC_DISCARD.rawValue)))
    try check(podget_spng_read(decoder, bytes.baseAddress, bytes.count))
    var header = spng_ihdr()
    try check(podget_spng_header(decoder, &header))
    let extent = try ImageLimits.extent(
      width: Int(clamping: header.width), height: Int(clamping: header.height))
    let hasAlpha = header.color_type & 4 != 0 || hasTransparentColor(decoder)
    let format = Int32(bitPattern: hasAlpha ? SPNG_FMT_RGBA8.rawValue : SPNG_FMT_RGB8.rawValue)
    var filter = BoxFilter(from: extent, to: extent.fitted(to: size), hasAlpha: hasAlpha)
    if header.interlace_method == 0 {
      try addRows(of: decoder, format, extent, to: &filter)
    } else {
      try addImage(of: decoder, format, extent, to: &filter)
    }
    guard let thumbnail = filter.thumbnail() else { throw .damaged }
    return thumbnail
  }

  private static func addRows(
    of decoder: OpaquePointer, _ format: Int32, _ extent: Extent, to filter: inout BoxFilter
  ) throws(ImageRefusal) {
    let flags = Int32(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue)
    try check(podget_spng_decode(decoder, nil, 0, format, flags))
    let row = try MemoryBlock(count: filter.rowBytes)
    for _ in 0..<extent.height {
      let status = podget_spng_decode_row(decoder, row.bytes.baseAddress, row.bytes.count)
      // With the last row comes the end.
      if status != Int32(SPNG_EOI.rawValue) { try check(status) }
      filter.add(row: UnsafeBufferPointer(row.bytes))
    }
  }

  /// The rows of an interlaced image come in seven passes, so it is decoded as a whole.
  private static func addImage(
    of decoder: OpaquePointer, _ format: Int32, _ extent: Extent, to filter: inout BoxFilter
  ) throws(ImageRefusal) {
    let length = filter.rowBytes
    let pixels = try MemoryBlock(count: length * extent.height)
    try check(
      podget_spng_decode(
        decoder, pixels.bytes.baseAddress, pixels.bytes.count, format,
        Int32(SPNG_DECODE_TRNS.rawValue)))
    for number in 0..<extent.height {
      filter.add(
        row: UnsafeBufferPointer(rebasing: pixels.bytes[number * length..<(number + 1) * length]))
    }
  }

  private static func hasTransparentColor(_ decoder: OpaquePointer) -> Bool {
    var color = spng_trns()
    return podget_spng_transparent(decoder, &color) == 0
  }

  private static func check(_ status: Int32) throws(ImageRefusal) {
    guard status != 0 else { return }
    throw status == Int32(SPNG_EMEM.rawValue) ? .memory : .damaged
  }
}
