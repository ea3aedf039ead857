import Glibc

/// A descriptor that becomes readable when another thread calls: a pipe to this process.
package final class Wakeup: Sendable {
  /// The descriptor to poll.
  package let descriptor: Int32

  private let writing: Int32

  /// Creates a wake-up; nil when the process has no descriptors left.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// Makes the descriptor readable. A full pipe is already readable.
  package func signal() {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// Makes it unreadable again.
  package func clear() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while read(descriptor, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
  }
}
