import Foundation
import Synchronization

/// Everything that was read from a descriptor, on a separate thread, until its end.
final class CollectedOutput: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isComplete = false
    var isPaused = false
  }

  private let state = Mutex(State())

  /// Reads a descriptor to its end and then closes it, unless it is to stay open.
  init(reading descriptor: Int32, closing: Bool = true) {
    Thread.detachNewThread { [self] in
      var piece = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        while state.withLock({ $0.isPaused }) { usleep(1000) }
        let count = read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        // A terminal whose last program has gone ends with an error instead of an end.
        guard count > 0 else { break }
        state.withLock { $0.bytes += piece[..<count] }
      }
      if closing { close(descriptor) }
      state.withLock { $0.isComplete = true }
    }
  }

  /// Whether nothing more is read, after what one call of read(2) brings.
  var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set { state.withLock { $0.isPaused = newValue } }
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var isComplete: Bool { state.withLock { $0.isComplete } }
}
