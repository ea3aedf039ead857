@testable import PodcastArtwork
@testable import PodcastThumbnails

/// Images: a thumbnail within its limits or a refusal. A complete image is one whatever follows it.
enum ThumbnailsFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let size = 1 + input.short() % Thumbnail.longestSide
    let image = input.remaining()
    let format = try? ImageFormat(complete: image)
    if let format {
      try FuzzFailure.require(
        (try? ImageFormat(complete: image + [0xFF])) == format, "It ends with its file.")
    }
    guard let thumbnail = decoded(image, size: size) else { return }
    try FuzzFailure.require(
      (try? ImageFormat(complete: thumbnail.png)) == .png, "Its PNG is not complete.")
    try FuzzFailure.require(
      (1...size).contains(thumbnail.width) && (1...size).contains(thumbnail.height),
      "\(thumbnail.width) times \(thumbnail.height) for \(size)")
    try FuzzFailure.require(
      thumbnail.pixels.count
        == thumbnail.width * thumbnail.height * (thumbnail.hasAlpha ? 4 : 3), "Other pixels.")
    try FuzzFailure.require(
      Thumbnail(bytes: thumbnail.bytes) == thumbnail, "Its bytes are another thumbnail.")
  }

  private static func decoded(_ image: [UInt8], size: Int) -> Thumbnail? {
    image.withUnsafeBytes { bytes in
      // What a small image says of its size must not fill the machine that fuzzes.
      guard image.count <= ImageLimits.bytes else { return nil }
      return try? ThumbnailMaker.thumbnail(of: bytes, size: size)
    }
  }
}
