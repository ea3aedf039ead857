import Glibc
internal import PodcastSystem

/// Writes text to a descriptor of the process, unbuffered: each text is written when ``write(_:)``
/// returns.
struct DescriptorOutput: Sendable {
  private let descriptor: Int32
  /// The terminal behind the descriptor, opened again for non-blocking writes; nil if it is not a
  /// terminal, or cannot be opened. The descriptor itself is shared with the shell and must not
  /// change.
  private let terminal: Int32?
  private let signals: SignalMonitor

  /// Creates an output for a descriptor that stays open.
  ///
  /// - Parameter signals: knows whether podget is to end, and how long a slow reader is waited for.
  init(_ descriptor: Int32, _ signals: SignalMonitor) {
    self.descriptor = descriptor
    self.signals = signals
    guard Terminal.isTerminal(descriptor) else {
      terminal = nil
      return
    }
    let own = OperatingSystem.open(
      again: descriptor, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    terminal = own >= 0 ? own : nil
  }

  /// Writes so that a reader that does not read cannot keep a command from ending.
  func write(_ text: String) -> TextOutput.Outcome {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        var piece = rest.count
        if terminal == nil, signals.isListened {
          // Without a listener, signals end the process at any wait. With one, only a non-blocking
          // write is safe: if poll(2) reports writable, it accepts this much at once.
          guard signals.waitUntilWritable(descriptor) else { return .closed }
          piece = min(piece, Int(PIPE_BUF))
        }
        let written = Glibc.write(terminal ?? descriptor, rest.baseAddress, piece)
        if written > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if written == 0 {
          return .failed(EIO)
        } else if errno == EAGAIN {
          // Another program may have left the shared descriptor in non-blocking mode.
          guard signals.waitUntilWritable(terminal ?? descriptor) else { return .closed }
        } else if errno != EINTR {
          return errno == EPIPE ? .closed : .failed(errno)
        }
      }
      return .written
    }
  }
}
