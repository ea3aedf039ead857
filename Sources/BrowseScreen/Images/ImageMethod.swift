/// How images are drawn.
package enum ImageMethod: Sendable, Hashable {
  /// By the graphics protocol of kitty.
  case kitty
  /// As sixels, with at most so many colors.
  case sixel(colors: Int)
  /// As half blocks.
  case blocks(ColorDepth)

  /// Whether the terminal draws pixels, as small as they are.
  package var drawsPixels: Bool {
    switch self {
    case .kitty, .sixel: true
    case .blocks: false
    }
  }
}
