/// Why an image is not decoded. The raw values are exit statuses of the program that decodes.
package enum ImageRefusal: Int32, Error, Sendable, Hashable, CaseIterable {
  /// There are no bytes.
  case empty = 10
  /// There are more bytes than ``ImageLimits/bytes``.
  case tooManyBytes
  /// A format that podget does not know.
  case unknownFormat
  /// A GIF.
  case gif
  /// SVG, HTML or another text with markup.
  case markup
  /// AVIF, HEIF or another image in ISO media boxes.
  case isoMedia
  /// An animated WebP.
  case animated
  /// More pixels, or a longer side, than ``ImageLimits`` allows.
  case tooManyPixels
  /// It breaks off, or contradicts its format.
  case damaged
  /// Decoding it takes more memory than it may.
  case memory
  /// The library that decodes its format is not installed.
  case noLibrary

  /// What is wrong, for use after a colon.
  package var explanation: String {
    switch self {
    case .empty: "it is empty"
    case .tooManyBytes: "it is larger than \(ImageLimits.bytes >> 20) MiB"
    case .unknownFormat: "it is no JPEG, PNG or WebP"
    case .gif: "it is a GIF, and only JPEG, PNG and WebP are supported"
    case .markup: "it is SVG or a web page, and only JPEG, PNG and WebP are supported"
    case .isoMedia: "it is AVIF or HEIF, and only JPEG, PNG and WebP are supported"
    case .animated: "it is an animation"
    case .tooManyPixels:
      "it has more than \(ImageLimits.side) pixels on a side, or more than "
        + "\(ImageLimits.pixels / 1_000_000) million in all"
    case .damaged: "it is damaged"
    case .memory: "decoding it takes too much memory"
    case .noLibrary:
      "the library that decodes it is not installed; there are libturbojpeg, libspng and libwebp"
    }
  }
}

/// What an image may have at most. Apple asks podcasts for 1400 to 3000 pixels on each side.
package enum ImageLimits {
  /// The size of the file in bytes.
  package static let bytes = 10 << 20
  /// The pixels on one side.
  package static let side = 6000
  /// The pixels in all.
  package static let pixels = 36_000_000
  /// The address space of the program that decodes it, in bytes.
  package static let memory = 256 << 20
  /// The processor time of that program in seconds.
  package static let processorSeconds = 5

  /// The extent that an image's header names, if it is allowed.
  package static func extent(width: Int, height: Int) throws(ImageRefusal) -> Extent {
    guard width > 0, height > 0 else { throw .damaged }
    guard width <= side, height <= side, width * height <= pixels else { throw .tooManyPixels }
    return Extent(width: width, height: height)
  }
}
