import FoundationEssentials
import Glibc
import PodcastKit

/// The destination of text: a descriptor, or a test's closure.
///
/// After a failed write, because the reader is gone or the disk is full, nothing more is written:
/// closed output ends the output, never the work.
struct TextOutput {
  /// The result of a write.
  enum Outcome: Sendable, Hashable {
    case written
    /// The reader is gone, or podget is ending and the reader has been slow for too long.
    case closed
    /// The error's number.
    case failed(Int32)
  }

  /// Whether everything so far was written.
  var isOpen: Bool { outcome == .written }

  /// The error; nil also if only the reader is gone, which is not a failure.
  var failure: PodgetError? {
    guard case .failed(let number) = outcome else { return nil }
    return PodgetError(
      number == ENOSPC || number == EDQUOT ? .diskFull : .disk,
      "Cannot write to \(name): \(String(cString: strerror(number))).")
  }

  private var outcome = Outcome.written
  private let name: String
  private let write: (String) -> Outcome

  /// Output through a closure.
  init(name: String = "standard output", _ write: @escaping (String) -> Outcome) {
    self.name = name
    self.write = write
  }

  /// The process's standard output, unbuffered: each text is written when ``send(_:)`` returns.
  static var standardOutput: TextOutput {
    TextOutput { writeAll($0, to: STDOUT_FILENO, terminal: outputTerminal) }
  }

  /// The process's standard error, unbuffered.
  static var standardError: TextOutput {
    TextOutput(name: "standard error") {
      writeAll(style.shown($0), to: STDERR_FILENO, terminal: errorTerminal)
    }
  }

  /// Writes the text, all of it if possible.
  mutating func send(_ text: String) {
    guard isOpen, !text.isEmpty else { return }
    outcome = write(text)
  }
}

extension TextOutput {
  private static let style = TerminalStyle(environment: ProcessInfo.processInfo.environment)
  private static let outputTerminal = ownDescriptor(ofTerminal: STDOUT_FILENO)
  private static let errorTerminal = ownDescriptor(ofTerminal: STDERR_FILENO)

  /// Opens the terminal behind a descriptor again, for non-blocking writes; nil if it is not a
  /// terminal, or cannot be opened. The descriptor itself is shared with the shell and must not
  /// change.
  private static func ownDescriptor(ofTerminal descriptor: Int32) -> Int32? {
    guard Terminal.isTerminal(descriptor) else { return nil }
    let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return own >= 0 ? own : nil
  }

  /// Writes so that a reader that does not read cannot keep a command from ending.
  private static func writeAll(
    _ text: String, to descriptor: Int32, terminal: Int32?
  ) -> Outcome {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        var piece = rest.count
        if terminal == nil, SignalMonitor.isListened {
          // Without a listener, signals end the process at any wait. With one, only a non-blocking
          // write is safe: if poll(2) reports writable, it accepts this much at once.
          guard SignalMonitor.waitUntilWritable(descriptor) else { return .closed }
          piece = min(piece, Int(PIPE_BUF))
        }
        let written = Glibc.write(terminal ?? descriptor, rest.baseAddress, piece)
        if written > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if written == 0 {
          return .failed(EIO)
        } else if errno == EAGAIN {
          // Another program may have left the shared descriptor in non-blocking mode.
          guard SignalMonitor.waitUntilWritable(terminal ?? descriptor) else { return .closed }
        } else if errno != EINTR {
          return errno == EPIPE ? .closed : .failed(errno)
        }
      }
      return .written
    }
  }
}
