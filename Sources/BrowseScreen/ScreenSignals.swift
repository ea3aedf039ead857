import Glibc

/// Signals of a full-screen program.
///
/// The handlers restore the terminal with what was computed before, by calls that may be made in a
/// handler. Signals to which the program reacts become bytes in a pipe.
enum ScreenSignals {
  /// What the handlers use; it never moves and is never freed.
  private struct Memory {
    var original = termios()
    var input: Int32 = STDIN_FILENO
    var output: Int32 = STDOUT_FILENO
    /// What restores it, and what does so after images were drawn.
    var texts: (UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    var hasImages: Int32 = 0
    var pipe: Int32 = -1
    /// Whether the terminal is in use and must be restored.
    var isActive: Int32 = 0
    /// How often Ctrl-C has asked the program to end.
    var interrupts: Int32 = 0
  }

  nonisolated(unsafe) private static let memory: UnsafeMutablePointer<Memory> = {
    func copy(_ text: String) -> UnsafeRawBufferPointer {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
      copy.copyBytes(from: text.utf8)
      return UnsafeRawBufferPointer(copy)
    }
    let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
    memory.initialize(
      to: Memory(
        texts: (copy(TerminalRestoration.leave), copy(TerminalRestoration.leaveWithImages))))
    return memory
  }()

  /// Signals of faults, Swift's traps among them, and those that end a program that hangs.
  private static let fatal = [
    SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU,
  ]

  /// Installs the handlers.
  ///
  /// - Parameters:
  ///   - original: the terminal's attributes to restore.
  ///   - input: the terminal's descriptor for its attributes.
  ///   - output: the descriptor to write to.
  ///   - pipe: gets a byte with the number of each signal that the program reacts to.
  static func install(_ original: termios, input: Int32, output: Int32, pipe: Int32) {
    memory.pointee.original = original
    memory.pointee.input = input
    memory.pointee.output = output
    memory.pointee.pipe = pipe
    for number in fatal { handle(number, end) }
    for number in [SIGTERM, SIGHUP, SIGINT] where !SignalAction.isIgnored(number) {
      handle(number, askToEnd)
    }
    for number in [SIGTSTP, SIGTTIN, SIGTTOU] where !SignalAction.isIgnored(number) {
      handle(number, stop)
    }
    for number in [SIGCONT, SIGWINCH] { handle(number, pass) }
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
  }

  /// Says whether the terminal is in use from now on.
  static func setActive(_ isActive: Bool) { memory.pointee.isActive = isActive ? 1 : 0 }

  /// Whether the terminal is in use.
  static var isActive: Bool { memory.pointee.isActive != 0 }

  /// Makes the restoration delete images too.
  static func deleteImages() { memory.pointee.hasImages = 1 }

  /// Restores the terminal, if it is in use and this process is in its foreground: otherwise it
  /// belongs to the shell again.
  static func restore() {
    let memory = Self.memory
    guard memory.pointee.isActive != 0 else { return }
    memory.pointee.isActive = 0
    guard tcgetpgrp(memory.pointee.input) == getpgrp() else { return }
    let texts = memory.pointee.texts
    TerminalWriter.writeLast(
      memory.pointee.hasImages == 0 ? texts.0 : texts.1, to: memory.pointee.output)
    tcsetattr(memory.pointee.input, TCSANOW, &memory.pointee.original)
  }
}

extension ScreenSignals {
  private typealias Handler = @convention(c) (Int32) -> Void

  /// Restores the terminal, and dies of the signal.
  private static let end: Handler = { number in
    ScreenSignals.restore()
    signal(number, SIG_DFL)
    raise(number)
  }

  /// Asks the program to end. One that does not is ended by the second Ctrl-C. SIGHUP and SIGTERM may
  /// arrive twice: from the system for the process group, and from podget.
  private static let askToEnd: Handler = { number in
    let saved = errno
    let memory = ScreenSignals.memory
    if number == SIGINT { memory.pointee.interrupts &+= 1 }
    if memory.pointee.interrupts > 1 {
      ScreenSignals.restore()
      signal(number, SIG_DFL)
      raise(number)
    }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(memory.pointee.pipe, &byte, 1)
    errno = saved
  }

  /// Gives the terminal back, and stops until the shell continues the program.
  private static let stop: Handler = { _ in
    let saved = errno
    ScreenSignals.restore()
    raise(SIGSTOP)
    errno = saved
  }

  /// Passes the signal on.
  private static let pass: Handler = { number in
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(ScreenSignals.memory.pointee.pipe, &byte, 1)
    errno = saved
  }

  private static func handle(_ number: Int32, _ handler: @escaping Handler) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    // A handler that is interrupted by the signal that it raises must not wait for itself.
    action.sa_flags = SA_RESTART | SA_NODEFER
    sigemptyset(&action.sa_mask)
    sigaction(number, &action, nil)
  }
}
