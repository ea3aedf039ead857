internal import CTurboJPEG
import Glibc
import PodcastArtwork

/// Decodes JPEG. The decoder scales while it decodes, which takes a sixty-fourth of the memory for a
/// large cover.
enum JPEGImage {
  /// The thumbnail of an image.
  ///
  /// What libjpeg only warns about, such as missing ends, is shown as far as it goes, as browsers do.
  static func thumbnail(
    of bytes: UnsafeRawBufferPointer, size: Int
  ) throws(ImageRefusal) -> Thumbnail {
    guard let decoder = podget_tj_create() else { throw .memory }
    defer { podget_tj_destroy(decoder) }
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    try check(
      podget_tj_header(
        decoder, start, UInt(bytes.count), &width, &height, &subsampling, &colors), decoder)
    let full = try ImageLimits.extent(width: Int(width), height: Int(height))
    let target = full.fitted(to: size)
    let scaled = full.scaled(toEighths: full.eighths(for: target))
    // Print covers; TurboJPEG does not convert them.
    let hasInks = [TJCS_CMYK.rawValue, TJCS_YCCK.rawValue].contains(UInt32(bitPattern: colors))
    let channels = hasInks ? 4 : 3
    let pixels = try MemoryBlock(count: scaled.width * scaled.height * channels)
    try check(
      podget_tj_decode(
        decoder, start, UInt(bytes.count), try pixels.start, Int32(scaled.width),
        Int32(scaled.width * channels), Int32(scaled.height),
        hasInks ? TJPF_CMYK.rawValue : TJPF_RGB.rawValue,
        TJFLAG_LIMITSCANS), decoder)
    var filter = BoxFilter(from: scaled, to: target, hasAlpha: false)
    let row = try MemoryBlock(count: filter.rowBytes)
    for number in 0..<scaled.height {
      let length = scaled.width * channels
      let decoded = UnsafeBufferPointer(
        rebasing: pixels.bytes[number * length..<(number + 1) * length])
      if hasInks {
        convertInks(decoded, into: row.bytes)
        filter.add(row: UnsafeBufferPointer(row.bytes))
      } else {
        filter.add(row: decoded)
      }
    }
    guard let thumbnail = filter.thumbnail() else { throw .damaged }
    return thumbnail
  }

  /// Turns cyan, magenta, yellow and black, each as the paper that shows through (as programs write
  /// them), into red, green and blue.
  private static func convertInks(
    _ inks: UnsafeBufferPointer<UInt8>, into row: UnsafeMutableBufferPointer<UInt8>
  ) {
    for pixel in 0..<row.count / 3 {
      let black = Int(inks[pixel * 4 + 3])
      for channel in 0..<3 {
        row[pixel * 3 + channel] = UInt8(Int(inks[pixel * 4 + channel]) * black / 255)
      }
    }
  }

  private static func check(_ status: Int32, _ decoder: tjhandle) throws(ImageRefusal) {
    guard status != 0, podget_tj_error_code(decoder) != Int32(TJERR_WARNING.rawValue) else {
      return
    }
    let message = podget_tj_error(decoder).map { String(cString: $0) } ?? ""
    throw message.contains("memory") ? .memory : .damaged
  }
}
