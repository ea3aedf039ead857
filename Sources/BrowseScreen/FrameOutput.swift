/// Writes frames to a terminal that may be slow: a frame waits until the one before is written, and
/// a newer one takes its place. So keys have their effect on the next frame that is sent, however
/// many there were.
///
/// Images go out after the cells, in parts, and each part waits until there is no newer frame.
package struct FrameOutput: Sendable {
  /// What became of a write.
  package enum Written: Sendable, Hashable {
    /// So many bytes were taken.
    case bytes(Int)
    /// The terminal takes none now.
    case blocked
    /// The terminal is gone.
    case failed
  }

  /// Whether the terminal may be told where a frame begins and ends (mode 2026), so that it never
  /// shows half of one.
  package var isSynchronized = false

  private var encoder = FrameEncoder()
  private var images = ImageOutput()
  private var rest: ArraySlice<UInt8> = []
  private var next: Frame?
  /// Whether that shows the effect of a key.
  private var isUrgent = false

  /// Creates an output with nothing to write.
  package init() {}

  /// Whether bytes wait for the terminal.
  package var isWaiting: Bool { !rest.isEmpty || next != nil || images.isWaiting }

  /// Writes bytes that show nothing, before the next frame.
  package mutating func send(_ bytes: some Sequence<UInt8>) { rest += bytes }

  /// Shows a frame as soon as the terminal takes it.
  ///
  /// - Parameter isUrgent: whether it shows the effect of a key. Then an image that can only be
  ///   written in one piece begins again after it; otherwise the frame waits for its end.
  package mutating func show(_ frame: Frame, isUrgent: Bool = false) {
    next = frame
    self.isUrgent = self.isUrgent || isUrgent
  }

  /// Draws images in another way, from the next frame on.
  ///
  /// - Parameters:
  ///   - method: how; nil for no images.
  ///   - cell: the pixels of a cell.
  package mutating func drawImages(_ method: ImageMethod?, cell: CellSize) {
    images.use(method, cell)
  }

  /// Uses the colors that can be read on the terminal, from the next frame on.
  package mutating func use(_ palette: CellPalette) { encoder.palette = palette }

  /// Makes the next frame a full redraw; what was not written is dropped.
  package mutating func forget() {
    encoder.forget()
    // The rest of an image cannot follow either.
    images.forget()
    rest = []
  }

  /// Writes as much as the terminal takes, but of an image one part: after each, keys come first.
  ///
  /// - Parameter write: writes bytes without waiting.
  /// - Returns: false when the terminal is gone.
  package mutating func flush(_ write: (UnsafeRawBufferPointer) -> Written) -> Bool {
    var hasPart = false
    while true {
      if rest.isEmpty {
        if let frame = next, isUrgent || !images.mustFinish(before: frame) {
          (next, isUrgent) = (nil, false)
          rest = bytes(for: frame)[...]
        } else if !hasPart, let part = images.nextPart() {
          hasPart = true
          rest = part[...]
        } else {
          return true
        }
        continue
      }
      switch rest.withUnsafeBytes(write) {
      case .bytes(let count) where count > 0: rest = rest.dropFirst(count)
      case .blocked: return true
      // A terminal that takes nothing, and does not say why, would be asked for ever.
      case .bytes, .failed: return false
      }
    }
  }

  private mutating func bytes(for frame: Frame) -> [UInt8] {
    var frame = frame
    let change = images.change(to: frame.images, clears: encoder.clears(for: frame))
    for area in change.overwritten { encoder.forget(area) }
    for image in frame.images {
      if let cells = images.cells(for: image) { frame.replace(image, by: cells) }
    }
    let output = change.bytes + encoder.bytes(for: frame)
    guard isSynchronized, !output.isEmpty else { return output }
    // In the middle of an image the terminal understands nothing but its end.
    let abandonment = SixelImage.abandonment
    let start = output.starts(with: abandonment) ? abandonment.count : 0
    return output[..<start] + Array("\u{1B}[?2026h".utf8) + output[start...]
      + Array("\u{1B}[?2026l".utf8)
  }
}
