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
  private let terminal: Int32
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
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    do {
      var number: Int32 = 0
      var lock: Int32 = 0
      guard terminal >= 0, ioctl(terminal, Self.setLock, &lock) == 0,
        ioctl(terminal, Self.getNumber, &number) == 0
      else { throw SpawnError(description: "No terminal: \(String(cString: strerror(errno))).") }
      Self.set(terminal, columns: columns, rows: rows)
      let defaults = searchPath.merging(["TERM": "xterm-256color"]) { $1 }
      child = try ChildProcess(
        path, arguments, environment: defaults.merging(environment) { $1 }, folder: folder,
        streams: .terminal(path: "/dev/pts/\(number)"))
    } catch {
      close(terminal)
      throw error
    }
    self.terminal = terminal
    collected = CollectedOutput(reading: terminal, closing: false)
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

  deinit {
    child.signal(SIGKILL)
    close(terminal)
  }

  /// Its process number, which is also that of its session.
  public var pid: pid_t { child.pid }
  /// Whether it has not ended.
  public var isRunning: Bool { child.poll() == nil }
  /// All output as it came, with its escape sequences.
  public var output: String { collected.text }

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
    var settings = termios()
    return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Whether input arrives in lines: false while a program reads single keys.
  public var readsLines: Bool {
    var settings = termios()
    return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) != 0
  }

  /// Presses keys; `\u{03}` is Ctrl-C, `\u{1A}` Ctrl-Z.
  public func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(terminal, bytes, bytes.count)
  }

  /// Changes the window's size; the kernel sends the program SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    let size = Size(columns: columns, rows: rows, since: collected.bytes.count)
    sizes.withLock { $0.append(size) }
    Self.set(terminal, columns: columns, rows: rows)
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

  /// `TIOCSPTLCK` and `TIOCGPTN` of Linux: what `unlockpt` and `ptsname` do, which Glibc shows to
  /// X/Open sources only.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  private static func set(_ terminal: Int32, columns: Int, rows: Int) {
    var size = winsize()
    size.ws_col = UInt16(columns)
    size.ws_row = UInt16(rows)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }
}
