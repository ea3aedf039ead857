public import Glibc
import Synchronization

/// A program that runs on a terminal of its own, as a person would start it; it is killed when the
/// last reference goes.
public final class PseudoTerminalProcess: Sendable {
  private struct Size: Sendable {
    var columns: Int
    var rows: Int
    /// The length of the output when the size was set.
    var since: Int
  }

  private let child: ChildProcess
  private let terminal: PseudoTerminal
  private let collected: CollectedOutput
  private let sizes: Mutex<[Size]>

  /// Starts a program with the terminal as stdin, stdout and stderr.
  /// - Parameters:
  ///   - path: The program, absolute.
  ///   - arguments: Its arguments.
  ///   - environment: Its environment, in addition to `PATH` and `TERM`.
  ///   - folder: The folder it starts in; nil is the current one.
  ///   - columns: The terminal's width.
  ///   - rows: The terminal's height.
  /// - Throws: ``SpawnError``.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String] = [:],
    folder: String? = nil, columns: Int = 80, rows: Int = 24
  ) throws {
    terminal = try PseudoTerminal(columns: columns, rows: rows)
    let defaults = searchPath.merging(["TERM": "xterm-256color"]) { $1 }
    child = try ChildProcess(
      path, arguments, environment: defaults.merging(environment) { $1 }, folder: folder,
      streams: .terminal(path: terminal.path))
    collected = CollectedOutput(reading: terminal.descriptor, closing: false)
    sizes = Mutex([Size(columns: columns, rows: rows, since: 0)])
  }

  /// Starts a program of this package; see the other initializer.
  /// - Throws: ``SpawnError``.
  public convenience init(
    _ binary: BuiltBinary, _ arguments: [String] = [], environment: [String: String] = [:],
    folder: String? = nil, columns: Int = 80, rows: Int = 24
  ) throws {
    try self.init(
      binary.path, arguments, environment: environment, folder: folder, columns: columns,
      rows: rows)
  }

  deinit { child.signal(SIGKILL) }

  /// Its process number, which is also that of its session.
  public var pid: pid_t { child.pid }
  /// Whether it has not ended.
  public var isRunning: Bool { child.poll() == nil }
  /// All output as it came, with its escape sequences.
  public var output: String { collected.text }

  /// Whether the terminal takes output: without that it is full soon, as when a connection hangs.
  public var takesOutput: Bool {
    get { !collected.isPaused }
    set { collected.isPaused = !newValue }
  }

  /// Whether the terminal takes no more bytes.
  public var isFull: Bool {
    let descriptor = terminal.open(O_WRONLY | O_NONBLOCK)
    defer { close(descriptor) }
    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&room, 1, 0) == 0
  }

  /// What a person sees now.
  public var screen: Screen {
    let bytes = collected.bytes
    let sizes = sizes.withLock { $0 }
    var screen = Screen(columns: sizes[0].columns, rows: sizes[0].rows)
    for (index, size) in sizes.enumerated() {
      if index > 0 { screen.resize(columns: size.columns, rows: size.rows) }
      let end = index + 1 < sizes.count ? sizes[index + 1].since : bytes.count
      screen.show(String(decoding: bytes[size.since..<end], as: UTF8.self))
    }
    return screen
  }

  /// Whether typed characters are shown: false while a program reads single keys unseen.
  public var echoes: Bool {
    terminal.attributes.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Whether input arrives in lines: false while a program reads single keys.
  public var readsLines: Bool {
    terminal.attributes.c_lflag & tcflag_t(ICANON) != 0
  }

  /// Presses keys; `\u{03}` is Ctrl-C, `\u{1A}` Ctrl-Z.
  public func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(terminal.descriptor, bytes, bytes.count)
  }

  /// Changes the window's size; the kernel sends the program SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    let size = Size(columns: columns, rows: rows, since: collected.bytes.count)
    sizes.withLock { $0.append(size) }
    terminal.resize(columns: columns, rows: rows)
  }

  /// Sends a signal, unless it has ended.
  public func signal(_ number: Int32) {
    child.signal(number)
  }

  /// Waits until a condition on the screen is true.
  /// - Throws: ``TimedOut`` with the screen.
  public func waitForScreen(
    _ what: String, _ condition: (Screen) -> Bool
  ) async throws {
    try await waitUntil(what, seen: { screen.history }) { condition(screen) }
  }

  /// Waits for its end and that of its output.
  /// - Throws: ``TimedOut`` with the screen; the program keeps running.
  public func waitForExit() async throws -> ExitStatus {
    var status: ExitStatus?
    try await waitUntil("process \(pid) ends", seen: { screen.history }) {
      status = child.poll()
      return status != nil && collected.isComplete
    }
    return status ?? .exited(-1)
  }
}
