import Glibc
internal import PodcastSystem

/// The terminal of a full-screen program, from its first frame to its end.
///
/// One thread uses it: it waits for keys, signals and its own wake-ups, and writes frames without
/// ever waiting for the terminal.
package final class TerminalSession {
  /// What a wait ended with.
  package struct Input: Sendable, Hashable {
    /// Bytes from the keyboard.
    package var bytes: [UInt8] = []
    /// Numbers of signals.
    package var signals: [Int32] = []
    /// Whether another thread woke this one.
    package var isWoken = false
    /// Whether the terminal is gone.
    package var isClosed = false
  }

  private let input: Int32
  private let output: Int32
  private let restoration: TerminalRestoration
  private let signals: (reading: Int32, writing: Int32)
  private let wakeup: Wakeup
  private let usesMouse: Bool

  /// Takes a terminal; nil when stdin or stdout is none.
  ///
  /// - Parameters:
  ///   - wakeup: wakes ``wait(readsKeys:wantsOutput:timeout:)``.
  ///   - usesMouse: whether the terminal reports clicks and the wheel.
  package init?(wakeup: Wakeup, usesMouse: Bool) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      let restoration = TerminalRestoration(STDIN_FILENO)
    else { return nil }
    // A descriptor of its own, because the shell's must not become non-blocking.
    let output = OperatingSystem.open(
      again: STDOUT_FILENO, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    var ends: [Int32] = [-1, -1]
    guard output >= 0, pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    self.output = output
    self.restoration = restoration
    self.wakeup = wakeup
    self.usesMouse = usesMouse
    input = STDIN_FILENO
    signals = (ends[0], ends[1])
    ScreenSignals.install(
      restoration.attributes, input: input, output: output, pipe: ends[1])
  }

  /// Uses the screen, at the beginning and after the process was stopped.
  ///
  /// - Returns: false when the process is in the background of its terminal.
  package func enter() -> Bool {
    guard tcgetpgrp(input) == getpgrp() else { return false }
    ScreenSignals.setActive(true)
    var raw = restoration.raw
    tcsetattr(input, TCSANOW, &raw)
    var text = TerminalRestoration.enter + (usesMouse ? TerminalRestoration.mouse : "")
    // A second is enough for any terminal that is not stopped.
    text.withUTF8 {
      _ = TerminalWriter.write(UnsafeRawBufferPointer($0), to: output, timeout: 1000)
    }
    return true
  }

  /// Makes ``leave()``, and every other end, delete the images of kitty's protocol.
  package func deleteImagesAtEnd() { ScreenSignals.deleteImages() }

  /// Restores the terminal.
  package func leave() { ScreenSignals.restore() }

  /// The size of the screen.
  package var size: ScreenSize { ScreenSize(of: output) }

  /// The pixels of a cell; nil if the terminal does not report them.
  package var cellSize: CellSize? { CellSize(of: output) }

  /// Whether this is a console of Linux and no emulator.
  package var isLinuxConsole: Bool {
    var mode: Int32 = 0
    return ioctl(output, Self.getConsoleMode, &mode) == 0
  }

  /// `KDGETMODE` of linux/kd.h.
  private static let getConsoleMode: UInt = 0x4B3B

  /// Waits until something happens, or the time is over.
  ///
  /// - Parameters:
  ///   - readsKeys: whether keys are read: in the background they are for the shell.
  ///   - wantsOutput: whether it also ends when the terminal takes bytes.
  ///   - timeout: milliseconds; negative for no end.
  package func wait(readsKeys: Bool, wantsOutput: Bool, timeout: Int32) -> Input {
    var descriptors = [
      pollfd(fd: readsKeys ? input : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wantsOutput ? output : -1, events: Int16(POLLOUT), revents: 0),
    ]
    var found = Input()
    guard poll(&descriptors, nfds_t(descriptors.count), timeout) > 0 else { return found }
    if descriptors[1].revents != 0 { found.signals = read(signals.reading).map(Int32.init) }
    if descriptors[2].revents != 0 {
      wakeup.clear()
      found.isWoken = true
    }
    if descriptors[0].revents & Int16(POLLIN) != 0 {
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = Glibc.read(input, &buffer, buffer.count)
      if count > 0 { found.bytes = Array(buffer.prefix(count)) }
      found.isClosed = count == 0 || count < 0 && errno != EINTR && errno != EAGAIN
    } else if descriptors[0].revents != 0 {
      found.isClosed = true
    }
    return found
  }

  /// Writes without waiting, and nothing while the shell has the terminal: after Ctrl-Z the rest of a
  /// frame would be text on its screen.
  package func write(_ bytes: UnsafeRawBufferPointer) -> FrameOutput.Written {
    while true {
      guard ScreenSignals.isActive else { return .blocked }
      let count = Glibc.write(output, bytes.baseAddress, bytes.count)
      if count >= 0 { return .bytes(count) }
      if errno == EAGAIN { return .blocked }
      if errno != EINTR { return .failed }
    }
  }

  private func read(_ descriptor: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }
}
