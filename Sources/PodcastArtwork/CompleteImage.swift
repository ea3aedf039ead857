/// Whether the file of an image is complete. That is seen without decoding it: the formats say where an
/// image ends.
extension ImageFormat {
  /// The format of an image that does not break off. What follows the image is ignored, as decoders do.
  ///
  /// The cost is in proportion to the number of bytes.
  ///
  /// - Throws: an ``ImageRefusal``, such as ``ImageRefusal/damaged`` for an image that breaks off.
  package init(complete bytes: UnsafeRawBufferPointer) throws(ImageRefusal) {
    try self.init(of: bytes)
    switch self {
    case .jpeg: try Self.requireCompleteJPEG(bytes)
    case .png: try Self.requireCompletePNG(bytes)
    case .webP: try Self.requireCompleteWebP(bytes)
    }
  }

  /// The same for bytes in an array.
  package init(complete bytes: [UInt8]) throws(ImageRefusal) {
    self = try bytes.withUnsafeBytes { bytes in
      Result { () throws(ImageRefusal) in try ImageFormat(complete: bytes) }
    }.get()
  }

  /// Follows the markers of a JPEG (ITU-T T.81, annex B) to that of its end.
  private static func requireCompleteJPEG(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ImageRefusal) {
    var place = 2
    var (hasExtent, hasScan) = (false, false)
    while bytes.count - place >= 2 {
      // What is between markers is compressed, or is ignored.
      guard bytes[place] == 0xFF else {
        place += 1
        continue
      }
      switch bytes[place + 1] {
      case 0xFF: place += 1
      // A byte of compressed data, a restart, and others without content.
      case 0x00, 0x01, 0xD0...0xD8: place += 2
      case 0xD9:
        guard hasExtent, hasScan else { throw .damaged }
        return
      case let marker:
        guard bytes.count - place >= 4 else { throw .damaged }
        let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
        guard length >= 2, length <= bytes.count - place - 2 else { throw .damaged }
        if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
          guard length >= 7 else { throw .damaged }
          _ = try ImageLimits.extent(
            width: Int(bytes[place + 7]) << 8 | Int(bytes[place + 8]),
            height: Int(bytes[place + 5]) << 8 | Int(bytes[place + 6]))
          hasExtent = true
        }
        if marker == 0xDA { hasScan = true }
        place += 2 + length
      }
    }
    throw .damaged
  }

  /// Follows the chunks of a PNG (RFC 2083, section 3.2) to that of its end.
  private static func requireCompletePNG(_ bytes: UnsafeRawBufferPointer) throws(ImageRefusal) {
    let first = 8
    var place = first
    // Each has its length, its name and its checksum besides its content.
    while bytes.count - place >= 12 {
      let (length, name) = (number(bytes, place), number(bytes, place + 4))
      guard length <= bytes.count - place - 12 else { break }
      if place == first {
        guard name == 0x4948_4452, length == 13 else { break }
        _ = try ImageLimits.extent(
          width: number(bytes, place + 8), height: number(bytes, place + 12))
      }
      if name == 0x4945_4E44 {
        guard length == 0, number(bytes, place + 8) == 0xAE42_6082 else { break }
        return
      }
      place += 12 + length
    }
    throw .damaged
  }

  /// A WebP says its length behind `RIFF`. It has one chunk at least.
  private static func requireCompleteWebP(_ bytes: UnsafeRawBufferPointer) throws(ImageRefusal) {
    guard bytes.count >= 20 else { throw .damaged }
    let length = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard (12...bytes.count - 8).contains(Int(length)) else { throw .damaged }
  }

  /// Four bytes as a big-endian number.
  private static func number(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int {
    Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
  }
}
