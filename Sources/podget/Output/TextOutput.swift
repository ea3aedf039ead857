import Glibc

/// Where text goes: a descriptor, or a test's closure.
///
/// Once a write has failed, because the reader is gone or the disk is full, nothing more is
/// written: closed output ends the output, never the work.
struct TextOutput {
  /// Whether everything so far was written.
  private(set) var isOpen = true
  private let write: (String) -> Bool

  /// Output through a closure, which returns false when no more can be written.
  init(_ write: @escaping (String) -> Bool) {
    self.write = write
  }

  /// Output to a descriptor, unbuffered: each text is on its way when this returns.
  init(descriptor: Int32) {
    self.init { Self.writeAll($0, to: descriptor) }
  }

  /// The process's standard output.
  static var standardOutput: TextOutput { TextOutput(descriptor: STDOUT_FILENO) }

  /// The process's standard error.
  static var standardError: TextOutput { TextOutput(descriptor: STDERR_FILENO) }

  /// Writes the text, all of it where that is possible.
  mutating func send(_ text: String) {
    guard isOpen, !text.isEmpty else { return }
    isOpen = write(text)
  }
}

extension TextOutput {
  private static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if written > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if errno == EAGAIN {
          // Another program may have left the shared descriptor in non-blocking mode.
          var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }
}
