/// Writes frames to a terminal that may be slow: a frame waits until the one before is written, and
/// a newer one takes its place. So keys have their effect on the next frame that is sent, however
/// many there were.
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

  private var encoder = FrameEncoder()
  private var rest: ArraySlice<UInt8> = []
  private var next: Frame?

  /// Creates an output with nothing to write.
  package init() {}

  /// Whether bytes wait for the terminal.
  package var isWaiting: Bool { !rest.isEmpty || next != nil }

  /// Shows a frame as soon as the terminal takes it.
  package mutating func show(_ frame: Frame) { next = frame }

  /// Makes the next frame a full redraw; what was not written is dropped.
  package mutating func forget() {
    encoder.forget()
    rest = []
  }

  /// Writes as much as the terminal takes.
  ///
  /// - Parameter write: writes bytes without waiting.
  /// - Returns: false when the terminal is gone.
  package mutating func flush(_ write: (UnsafeRawBufferPointer) -> Written) -> Bool {
    while true {
      if rest.isEmpty {
        guard let frame = next else { return true }
        next = nil
        rest = encoder.bytes(for: frame)[...]
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
}
