import BrowseScreen
import Foundation
import PodcastTransfer
import Synchronization
import TestSupport
import Testing

@testable import podget

/// podget without a process: command lines run here, with variables, input and outputs of their own.
///
/// libcurl and programs that podget starts still see this process: what is about proxies,
/// `~/.netrc`, the working folder or the umask needs a ``RunningProcess``.
struct InProcess: Sendable {
  /// All variables of the command.
  var environment: [String: String] = [:]
  /// What it reads from standard input.
  var input = ""
  /// The size of the terminal on standard output; nil for none.
  var window: ScreenSize?
  /// What becomes of each text for standard output, which is kept only if it is written.
  var outputOutcome = TextOutput.Outcome.written
  /// The signals that it gets.
  var signals = SentSignals()
  /// What performs requests instead of libcurl.
  var transport: (any Transport)?

  /// The time of day.
  var now: @Sendable () -> Date = { Date() }

  /// Runs a command line to its end.
  func run(_ arguments: [String]) async -> RunningProcess.Result {
    requireNoProcess(arguments)
    let (output, errors) = (Recorder(), Recorder())
    let rest = Mutex(ArraySlice(input.utf8))
    let context = CommandContext(
      environment: environment, now: now,
      input: StandardInput { buffer in
        rest.withLock { rest in
          let piece = rest.prefix(buffer.count)
          buffer.copyBytes(from: piece)
          rest = rest.dropFirst(piece.count)
          return piece.count
        }
      },
      output: output.output(
        window: window.map { size in TerminalWindow(size: { size }, isForeground: { true }) },
        outputOutcome),
      errors: errors.output(name: "standard error"), signals: signals, transport: transport,
      program: BuiltBinary.podget.path)
    let status = await Podget.run(arguments, in: context)
    let result = RunningProcess.Result(
      status: .exited(status), output: output.text, error: errors.text)
    SchemaCheck.check(arguments, result)
    return result
  }

  /// What a window of this size shows once the command has ended.
  func screen(_ arguments: [String], columns: Int, rows: Int = 24) async -> String {
    var host = self
    host.window = ScreenSize(columns: columns, rows: rows)
    var screen = Screen(columns: columns, rows: rows)
    let output = await host.run(arguments).output
    // A terminal begins a line at its left end.
    screen.show(output.replacing("\n", with: "\r\n"))
    return screen.text
  }

  /// Reports what only a process can have.
  private func requireNoProcess(_ arguments: [String]) {
    for name in environment.keys where name.lowercased().hasSuffix("_proxy") {
      #expect(name.lowercased() == "no_proxy", "libcurl does not see \(name)")
    }
    #expect(environment["LD_PRELOAD"] == nil, "nothing is loaded into this process")
    guard let home = environment["HOME"] else { return }
    let files = FileManager.default
    #expect(!files.fileExists(atPath: "\(home)/.netrc"), "libcurl does not see this ~/.netrc")
    for argument in arguments where !argument.isEmpty && !argument.hasPrefix("/") {
      #expect(
        argument == "." || !files.fileExists(atPath: "\(home)/\(argument)"),
        "\(argument) needs a working folder")
    }
  }
}

/// The signals that a test sends to a command.
final class SentSignals: ProcessSignals {
  private let listener = Mutex<AsyncStream<ProcessSignal>.Continuation?>(nil)

  /// Whether a command listens.
  var isListened: Bool { listener.withLock { $0 != nil } }

  /// Sends a signal; lost without a listener.
  func send(_ signal: ProcessSignal) { _ = listener.withLock { $0?.yield(signal) } }

  func signals() -> AsyncStream<ProcessSignal> {
    let (stream, continuation) = AsyncStream.makeStream(of: ProcessSignal.self)
    listener.withLock { $0 = continuation }
    return stream
  }

  func stopListening() {
    let last = listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
    last?.finish()
  }

  func readAgainAtHangUp() {}
  func lendKeyboard(_ isLent: Bool) {}
  func beginEnding() {}
  func stopProcess() {}
  func exitNow(_ status: Int32) -> Never { fatalError("podget ends at once, with \(status)") }
}
