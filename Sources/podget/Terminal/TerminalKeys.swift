import BrowseScreen
import Glibc
import PodcastKit
import Synchronization

/// The keys of the process's terminal, read from stdin by their own thread.
///
/// The terminal is restored by ``close()``, and on every other exit too.
final class TerminalKeys: ControlKeys {
  private struct State {
    var isActive = false
    var isClosed = false
    var thread: DedicatedThread?
  }

  /// The keys as they are pressed. The oldest 16 are kept for a slow consumer; the stream ends with
  /// ``close()`` or when the terminal is gone.
  let keys: AsyncStream<ControlKey>

  private let continuation: AsyncStream<ControlKey>.Continuation
  private let state = Mutex(State())
  private let wakeup: Wakeup

  /// Starts to read keys, immediately when podget is in the foreground; nil when stdin or stderr is
  /// not a terminal.
  init?() {
    guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDERR_FILENO),
      let wakeup = Wakeup()
    else { return nil }
    self.wakeup = wakeup
    (keys, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
    guard let thread = DedicatedThread({ [self] in readUntilClosed() }) else { return nil }
    state.withLock { $0.thread = thread }
    follow()
  }

  var isActive: Bool { state.withLock { $0.isActive } }

  func follow() {
    let isForeground = Terminal.isForeground(STDIN_FILENO)
    let changed = state.withLock { state -> Bool in
      guard !state.isClosed, state.isActive != isForeground else { return false }
      state.isActive = isForeground && TerminalMode.enterKeys()
      return true
    }
    if changed { wakeup.signal() }
  }

  func suspend() {
    state.withLock { $0.isActive = false }
    wakeup.signal()
    TerminalMode.restore()
  }

  func close() {
    let thread = state.withLock { state -> DedicatedThread? in
      state.isActive = false
      state.isClosed = true
      defer { state.thread = nil }
      return state.thread
    }
    wakeup.signal()
    thread?.join()
    TerminalMode.restore()
  }

  /// The keys in one piece of terminal input; escape sequences, such as those of arrow keys, are
  /// ignored even if they contain letters.
  static func parse(_ bytes: some Collection<UInt8>) -> [ControlKey] {
    guard let first = bytes.first, first != 0x1B else { return [] }
    return bytes.prefix { $0 != 0x1B }.compactMap { byte in
      switch byte {
      case UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: " "): .pause
      case UInt8(ascii: "q"), UInt8(ascii: "Q"): .quit
      default: nil
      }
    }
  }
}

extension TerminalKeys {
  private func readUntilClosed() {
    defer { continuation.finish() }
    while true {
      let (isActive, isClosed) = state.withLock { ($0.isActive, $0.isClosed) }
      if isClosed { return }
      // poll(2) ignores negative descriptors: while inactive, only the wake-up is waited for.
      var descriptors = [
        pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isActive ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&descriptors, 2, -1) >= 0 || errno == EINTR else { return }
      if descriptors[0].revents != 0 {
        // The state may have changed during the wait: check again before touching the terminal.
        wakeup.clear()
      } else if descriptors[1].revents != 0 {
        readKeys()
      }
    }
  }

  private func readKeys() {
    // SIGTTIN is ignored (see SignalMonitor), so that in the background read(2) fails instead of
    // stopping the process.
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count > 0 {
      for key in Self.parse(bytes.prefix(count)) { continuation.yield(key) }
    } else if count == 0 {
      // The terminal is gone.
      state.withLock { $0.isClosed = true }
    } else if errno != EINTR && errno != EAGAIN {
      state.withLock { $0.isActive = false }
    }
  }
}
