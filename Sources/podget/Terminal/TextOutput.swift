import Glibc
import PodcastKit

/// The destination of text: a descriptor of the process, or a test's closure. Each copy that writes
/// finds out for itself whether its reader is gone.
///
/// After a failed write, because the reader is gone or the disk is full, nothing more is written:
/// closed output ends the output, never the work.
struct TextOutput: Sendable {
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

  /// The window of the terminal behind it; nil when there is none.
  let window: TerminalWindow?

  private var outcome = Outcome.written
  private let name: String
  private let write: @Sendable (String) -> Outcome

  /// Output through a closure.
  init(
    name: String = "standard output", window: TerminalWindow? = nil,
    _ write: @escaping @Sendable (String) -> Outcome
  ) {
    self.name = name
    self.window = window
    self.write = write
  }

  /// Writes the text, all of it if possible.
  mutating func send(_ text: String) {
    guard isOpen, !text.isEmpty else { return }
    outcome = write(text)
  }
}
