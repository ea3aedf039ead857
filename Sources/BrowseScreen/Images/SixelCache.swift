import PodcastArtwork

/// The sixels of the images that were drawn last: choosing their colors takes longer than a frame should.
struct SixelCache: Sendable {
  /// How many bytes are kept, beside the image drawn last.
  private static let most = 1 << 20
  /// How many bytes a part has.
  private static let partBytes = 4096

  private struct Drawn: Sendable {
    var thumbnail: Thumbnail
    var extent: Extent
    var bytes: [UInt8]
  }

  /// The one drawn last is at the end.
  private var drawn: [Drawn] = []

  /// The parts that draw an image. Until the last one is written, nothing else can be.
  mutating func parts(for image: FrameImage, _ cell: CellSize, colors: Int) -> [[UInt8]] {
    // Terminals do not enlarge it.
    let extent = image.extent(cell)
    let place = drawn.firstIndex { $0.extent == extent && $0.thumbnail == image.thumbnail }
    if let place {
      drawn.append(drawn.remove(at: place))
    } else {
      guard let scaled = image.thumbnail.scaled(to: extent) else { return [] }
      drawn.append(
        Drawn(
          thumbnail: image.thumbnail, extent: extent,
          bytes: SixelImage.bytes(of: scaled, colors: colors)))
    }
    var size = drawn.reduce(0) { $0 + $1.bytes.count }
    while size > Self.most, drawn.count > 1 { size -= drawn.removeFirst().bytes.count }
    var rest =
      (Array("\u{1B}[\(image.area.row + 1);\(image.area.column + 1)H".utf8)
      + (drawn.last?.bytes ?? []))[...]
    var parts: [[UInt8]] = []
    while !rest.isEmpty {
      parts.append(Array(rest.prefix(Self.partBytes)))
      rest = rest.dropFirst(Self.partBytes)
    }
    return parts
  }
}
