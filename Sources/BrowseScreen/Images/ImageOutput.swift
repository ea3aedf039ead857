import PodcastArtwork

/// The images of a terminal: what it shows, and the parts of what it does not show yet.
struct ImageOutput: Sendable {
  /// How images are drawn; nil for none.
  private(set) var method: ImageMethod?

  private var cell = CellSize.assumed
  private var kitty = KittyImages()
  /// What the terminal shows, or will show with the last part. Half blocks are cells.
  private var shown: FrameImage?
  /// Whether the parts of that are not made yet.
  private var isNew = false
  private var parts: ArraySlice<[UInt8]> = []
  /// Whether some parts were taken, and others not.
  private var hasBegun = false
  /// The half blocks that were drawn last.
  private var blocks: (image: FrameImage, depth: ColorDepth, cells: [Cell])?
  /// The sixels that were drawn last.
  private var sixels: (image: FrameImage, parts: [[UInt8]])?
  /// What ends the images of another method.
  private var farewell: (bytes: [UInt8], overwritten: CellArea?) = ([], nil)

  /// Whether an image is not complete.
  var isWaiting: Bool { isNew || !parts.isEmpty }

  /// Draws in another way from the next frame on.
  mutating func use(_ method: ImageMethod?, _ cell: CellSize) {
    guard method != self.method || cell != self.cell else { return }
    forget()
    self.method = method
    self.cell = cell
    sixels = nil
  }

  /// Ends what is shown, or half drawn, with the next frame, whatever that shows.
  mutating func forget() {
    let end = end()
    farewell.bytes += end.bytes
    farewell.overwritten = end.overwritten ?? farewell.overwritten
  }

  /// Whether a frame should wait because the image that it shows too is half drawn, and nothing else
  /// can be written before its end. If it does not wait, the image begins again.
  func mustFinish(before frame: Frame) -> Bool {
    guard case .sixel? = method else { return false }
    return hasBegun && frame.image == shown
  }

  /// The half blocks of an image; nil if there are none.
  mutating func cells(for image: FrameImage?) -> [Cell]? {
    guard let image, case .blocks(let depth)? = method else { return nil }
    // Scaling takes longer than everything else of a frame.
    if let blocks, blocks.image == image, blocks.depth == depth { return blocks.cells }
    guard let cells = HalfBlocks.cells(of: image, depth) else { return nil }
    blocks = (image, depth, cells)
    return cells
  }

  /// What has to be written before the cells of a frame, and the cells that must be written to
  /// overwrite an image.
  ///
  /// - Parameter clears: whether the frame begins with an empty screen.
  mutating func change(
    to image: FrameImage?, clears: Bool
  ) -> (bytes: [UInt8], overwritten: CellArea?) {
    var change = farewell
    farewell = ([], nil)
    var wanted = image
    if case .blocks? = method { wanted = nil }
    if method == nil { wanted = nil }
    if clears || wanted != shown {
      let end = end()
      change.bytes += end.bytes
      change.overwritten = end.overwritten ?? change.overwritten
      // A terminal may delete images together with the cells.
      if clears { change.bytes += kitty.deleteAll() }
      shown = wanted
      isNew = wanted != nil
    } else if hasBegun, case .sixel? = method {
      change.bytes += SixelImage.abandonment
      isNew = true
      parts = []
      hasBegun = false
    }
    return change
  }

  /// The next bytes of the image; nil if it is complete.
  mutating func nextPart() -> [UInt8]? {
    if isNew, let shown {
      isNew = false
      switch method {
      case .kitty: parts = kitty.parts(for: shown, cell)[...]
      case .sixel(let colors): parts = sixelParts(for: shown, colors)[...]
      case .blocks, nil: break
      }
    }
    let part = parts.popFirst()
    hasBegun = !parts.isEmpty
    return part
  }

  /// The parts of an image. Choosing colors takes longer than a frame should.
  private mutating func sixelParts(for image: FrameImage, _ colors: Int) -> [[UInt8]] {
    if let sixels, sixels.image == image { return sixels.parts }
    let parts = SixelImage.parts(for: image, cell, colors: colors)
    sixels = (image, parts)
    return parts
  }

  /// Ends what is shown, or the attempt to show it.
  private mutating func end() -> (bytes: [UInt8], overwritten: CellArea?) {
    defer {
      shown = nil
      isNew = false
      parts = []
      hasBegun = false
    }
    guard let shown, !isNew else { return ([], nil) }
    switch method {
    case .kitty: return (hasBegun ? kitty.abandon() : kitty.hide(), nil)
    // What was drawn is overwritten by cells, also if it is not complete.
    case .sixel: return (hasBegun ? SixelImage.abandonment : [], shown.area)
    case .blocks, nil: return ([], nil)
    }
  }
}
