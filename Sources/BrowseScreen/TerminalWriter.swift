import Glibc

/// Writes to a terminal that may take bytes slowly or not at all, for a limited time.
///
/// It makes only calls that are allowed in a signal handler.
enum TerminalWriter {
  /// How a write ended.
  enum End: Sendable, Hashable {
    /// All bytes were taken.
    case complete
    /// The terminal took no more in time.
    case timeout
    /// The terminal is gone.
    case failed
  }

  /// Writes all bytes.
  ///
  /// - Parameters:
  ///   - bytes: what is written.
  ///   - descriptor: the terminal, whether or not it is non-blocking.
  ///   - timeout: how many milliseconds the terminal may take nothing.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, timeout: Int32
  ) -> End {
    var rest = bytes
    while !rest.isEmpty {
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let count = poll(&room, 1, timeout)
      if count == 0 { return .timeout }
      if count < 0 {
        if errno == EINTR { continue }
        return .failed
      }
      let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if written > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
      } else if written == 0 || errno != EINTR && errno != EAGAIN {
        return .failed
      }
    }
    return .complete
  }

  /// Writes what restores a terminal. If it takes nothing, what it was to show before is dropped: a
  /// terminal that stays in its alternate screen is worse than a frame that is not shown.
  static func writeLast(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    guard write(bytes, to: descriptor, timeout: 500) == .timeout else { return }
    tcflush(descriptor, TCOFLUSH)
    _ = write(bytes, to: descriptor, timeout: 500)
  }
}
