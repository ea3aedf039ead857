@testable import PodcastArtwork
@testable import PodcastThumbnails

/// Images: a thumbnail within its limits or a refusal, and a PNG of it that decodes to the same.
enum ThumbnailsFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let size = 1 + input.short() % Thumbnail.longestSide
    guard let thumbnail = decoded(input.remaining(), size: size) else { return }
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
