import PodcastArtwork

/// The images of a terminal: which it shows, and the parts of those that it does not show yet.
struct ImageOutput: Sendable {
  /// How images are drawn; nil for none.
  private(set) var method: ImageMethod?

  private var cell = CellSize.assumed
  private var kitty = KittyImages()
  /// The images that the terminal shows. Half blocks are cells.
  private var shown: [FrameImage] = []
  /// The areas with sixels of images that are gone, over which other ones will be drawn.
  private var stale: [CellArea] = []
  /// The images that follow, in their order.
  private var waiting: ArraySlice<FrameImage> = []
  /// The parts of the first of them that were not taken; nil if they are not made yet.
  private var parts: ArraySlice<[UInt8]>?
  /// Whether some parts of it were taken, and others not.
  private var hasBegun = false
  /// The half blocks that were drawn last.
  private var blocks: (image: FrameImage, depth: ColorDepth, cells: [Cell])?
  private var sixels = SixelCache()
  /// What ends the images of another method.
  private var farewell = Change()

  /// What has to be written before the cells of a frame, and the cells that must be written to
  /// overwrite images.
  struct Change: Sendable {
    var bytes: [UInt8] = []
    var overwritten: [CellArea] = []
  }

  /// Whether an image is not complete.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Draws in another way from the next frame on.
  mutating func use(_ method: ImageMethod?, _ cell: CellSize) {
    guard method != self.method || cell != self.cell else { return }
    forget()
    self.method = method
    self.cell = cell
    sixels = SixelCache()
  }

  /// Ends what is shown, or half drawn, with the next frame, whatever that shows.
  mutating func forget() {
    let change = change(to: [])
    farewell.bytes += change.bytes
    farewell.overwritten += change.overwritten
  }

  /// Whether a frame should wait because an image that it shows too is half drawn, and nothing else
  /// can be written before its end. If it does not wait, the image begins again.
  func mustFinish(before frame: Frame) -> Bool {
    guard case .sixel? = method, hasBegun, let first = waiting.first else { return false }
    return frame.images.contains(first)
  }

  /// The half blocks of an image; nil if there are none.
  mutating func cells(for image: FrameImage) -> [Cell]? {
    guard case .blocks(let depth)? = method else { return nil }
    // Scaling takes longer than everything else of a frame.
    if let blocks, blocks.image == image, blocks.depth == depth { return blocks.cells }
    guard let cells = HalfBlocks.cells(of: image, depth) else { return nil }
    blocks = (image, depth, cells)
    return cells
  }

  /// What has to be written before the cells of a frame.
  ///
  /// - Parameter clears: whether the frame begins with an empty screen.
  mutating func change(to images: [FrameImage], clears: Bool) -> Change {
    defer { farewell = Change() }
    var change = change(to: clears || !drawsPixels ? [] : images)
    change.bytes = farewell.bytes + change.bytes
    change.overwritten += farewell.overwritten
    // A terminal may delete images together with the cells.
    if clears {
      change.bytes += kitty.deleteAll()
      if drawsPixels { waiting = images[...] }
    }
    return change
  }

  /// The next bytes of the images; nil if all are complete.
  mutating func nextPart() -> [UInt8]? {
    while let image = waiting.first {
      let made = parts ?? parts(for: image)
      parts = made.dropFirst()
      hasBegun = made.count > 1
      if !hasBegun {
        if !made.isEmpty { shown.append(image) }
        stale.removeAll { $0 == image.area }
        waiting.removeFirst()
        parts = nil
      }
      if let part = made.first { return part }
    }
    return nil
  }

  private var drawsPixels: Bool { method?.drawsPixels ?? false }

  private mutating func parts(for image: FrameImage) -> ArraySlice<[UInt8]> {
    switch method {
    case .kitty: kitty.parts(for: image, cell)[...]
    case .sixel(let colors): sixels.parts(for: image, cell, colors: colors)[...]
    case .blocks, nil: []
    }
  }

  /// Ends the images that are not wanted any more, and lets the new ones follow.
  private mutating func change(to images: [FrameImage]) -> Change {
    var change = Change()
    var gone = shown.filter { !images.contains($0) }
    if hasBegun, let first = waiting.first {
      let isKept = images.contains(first)
      if case .kitty? = method {
        // Nothing else about images can be said before its end.
        if isKept, gone.isEmpty {
          waiting = ([first] + images.filter { !shown.contains($0) && $0 != first })[...]
          return change
        }
        change.bytes = kitty.abandon(first)
      } else {
        change.bytes = SixelImage.abandonment
        // What was drawn of it stays on the screen.
        if !isKept { gone.append(first) }
      }
    }
    shown.removeAll { gone.contains($0) }
    waiting = images.filter { !shown.contains($0) }[...]
    (parts, hasBegun) = (nil, false)
    switch method {
    case .kitty?: for image in gone { change.bytes += kitty.hide(image) }
    case .sixel?:
      // An image that covers the one before needs no empty cells, which would flicker.
      let areas = gone.map(\.area) + stale
      stale = areas.filter { area in
        waiting.contains { $0.area == area && $0.fills(area, cell) }
      }
      change.overwritten = areas.filter { !stale.contains($0) }
    case .blocks?, nil: break
    }
    return change
  }
}
