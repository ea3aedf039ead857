public import Glibc

/// A terminal, seen from the side of the person in front of it. It ends with the last reference.
public final class PseudoTerminal: Sendable {
  /// The person's side: what is written here was typed, and what is read was shown.
  public let descriptor: Int32
  /// The path of the side of programs.
  public let path: String

  /// Makes a terminal.
  ///
  /// - Throws: ``SpawnError``.
  public init(columns: Int = 80, rows: Int = 24) throws {
    let terminal = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: Int32 = 0
    var lock: Int32 = 0
    guard terminal >= 0, ioctl(terminal, Self.setLock, &lock) == 0,
      ioctl(terminal, Self.getNumber, &number) == 0
    else {
      let reason = String(cString: strerror(errno))
      close(terminal)
      throw SpawnError(description: "No terminal: \(reason).")
    }
    descriptor = terminal
    path = "/dev/pts/\(number)"
    resize(columns: columns, rows: rows)
  }

  deinit { close(descriptor) }

  /// Its attributes now.
  public var attributes: termios {
    var attributes = termios()
    _ = tcgetattr(descriptor, &attributes)
    return attributes
  }

  /// Opens the side of programs, which does not become anybody's controlling terminal; the caller
  /// closes it.
  public func open(_ flags: Int32 = O_RDWR) -> Int32 {
    Glibc.open(path, flags | O_NOCTTY | O_CLOEXEC)
  }

  /// Changes the window's size, of which the kernel tells the program by SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    var size = winsize()
    size.ws_col = UInt16(columns)
    size.ws_row = UInt16(rows)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  /// `TIOCSPTLCK` and `TIOCGPTN` of Linux: what `unlockpt` and `ptsname` do, which Glibc shows to
  /// X/Open sources only.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
}
