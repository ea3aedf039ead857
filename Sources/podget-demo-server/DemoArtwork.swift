import PodcastArtwork

/// The artwork of the directory's podcasts and episodes: one generated image.
enum DemoArtwork {
  /// Its path.
  static let path = "/artwork.png"
  /// How the members of an entry that name it begin.
  static let member = "artworkUrl"

  private static let side = 300

  /// The image as a PNG file: a disc before a sky.
  static let png: [UInt8] = {
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let (dx, dy) = (x - side / 2, y - side / 2)
        let distance = dx * dx + dy * dy
        switch distance {
        case ..<3600: pixels += [250, 215, 70]
        case ..<8100: pixels += [225, 80, 60]
        default: pixels += [UInt8(x / 4), UInt8(60 + y / 2), 170]
        }
      }
    }
    return Thumbnail(width: side, height: side, hasAlpha: false, pixels: pixels)?.png ?? []
  }()
}
