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

  /// How much a line matters to those who read a log: a priority of syslog(3).
  enum Priority: Int, Sendable, Hashable {
    case error = 3
    case warning = 4
    case info = 6

    /// That of a sentence for people that is no failure.
    init(ofNote text: String) { self = text.hasPrefix("Warning: ") ? .warning : .info }
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

  /// Whether lines begin with their priorities, as journald wants them (sd-daemon(3)).
  let hasPriorities: Bool

  private var outcome = Outcome.written
  private let name: String
  private let write: @Sendable (String) -> Outcome

  /// Output through a closure.
  init(
    name: String = "standard output", window: TerminalWindow? = nil, hasPriorities: Bool = false,
    _ write: @escaping @Sendable (String) -> Outcome
  ) {
    self.name = name
    self.window = window
    self.hasPriorities = hasPriorities
    self.write = write
  }

  /// Writes the text, all of it if possible. What is no error and no warning has the priority that the
  /// service gives its lines.
  mutating func send(_ text: String, _ priority: Priority = .info) {
    guard isOpen, !text.isEmpty else { return }
    guard hasPriorities, priority != .info else {
      outcome = write(text)
      return
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    outcome = write(
      lines.map { $0.isEmpty ? "" : "<\(priority.rawValue)>\($0)" }.joined(separator: "\n"))
  }
}
