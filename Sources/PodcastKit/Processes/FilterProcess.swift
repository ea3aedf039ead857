import FoundationEssentials
import Glibc
internal import PodcastSystem
import Synchronization

/// A program that reads its standard input to the end and writes its standard output, once.
///
/// It gets an empty environment, a process group of its own, so that a stopped terminal does not
/// stop it, and no descriptor besides the standard ones and one file; its standard error is discarded.
final class FilterProcess: Sendable {
  /// How it ended.
  enum Ending: Sendable, Hashable {
    /// With a status, and what it wrote.
    case exited(Int32, [UInt8])
    /// By a signal that was not podget's.
    case died(Int32)
    /// It took too long, or wrote too much, and was killed.
    case late
    /// ``FilterProcess/cancel()`` was called.
    case cancelled
    /// It could not be started, with the error's number.
    case notStarted(Int32)
  }

  private let state = Mutex((process: pid_t(0), isCancelled: false))

  /// Runs the program to its end. The calling thread waits.
  ///
  /// - Parameters:
  ///   - words: the program's path and its arguments.
  ///   - input: all of its standard input.
  ///   - file: an open file that it gets as its descriptor 3; nil for none.
  ///   - maximumOutput: how many bytes it may write.
  ///   - deadline: how long it may take.
  ///   - isCancelled: ends it like ``cancel()``, if it says so.
  func run(
    _ words: [String], input: Data, file: Int32? = nil, maximumOutput: Int, deadline: Duration,
    isCancelled: (() -> Bool)? = nil
  ) -> Ending {
    let end = ContinuousClock.now + deadline
    // A pair of sockets, since both ends are closed on exec from the start, and since writing to one
    // whose reader is gone need not raise SIGPIPE.
    guard let (stream, other) = OperatingSystem.socketPair() else { return .notStarted(errno) }
    defer { close(stream) }
    let process: pid_t
    do throws(ProgramStart.Failure) {
      process = try ProgramStart.start(
        words,
        streams: ProgramStart.Streams(
          input: .descriptor(other), output: .descriptor(other), error: .nothing, file: file),
        environment: .empty, group: .own)
    } catch {
      close(other)
      return .notStarted(error.number)
    }
    close(other)
    begin(process)
    let output = Self.exchange(input, stream, maximumOutput, until: end, isCancelled)
    let isLate =
      output == nil || !Self.waitForExit(of: process, until: end, isCancelled)
    if isLate { kill(process, SIGKILL) }
    if let isCancelled, isCancelled() { cancel() }
    // The number stays the child's until it is waited for.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let isCancelled = state.withLock { state in
      state.process = 0
      return state.isCancelled
    }
    var status = Self.unknownStatus
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    if isCancelled { return .cancelled }
    guard !isLate, let output else { return .late }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF, output) : .died(signal)
  }

  /// Ends the program, also if it has not started yet.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if state.process > 0 { kill(state.process, SIGKILL) }
    }
  }

  private func begin(_ process: pid_t) {
    state.withLock { state in
      state.process = process
      if state.isCancelled { kill(process, SIGKILL) }
    }
  }
}

extension FilterProcess {
  /// The status, as of waitpid(2), of a process whose own is lost.
  private static let unknownStatus: Int32 = 127 << 8
  /// How long it waits before it looks whether it is cancelled, in milliseconds.
  private static let longestLook: Int32 = 100

  /// Sends the input and receives the output, both at once; nil when there is too much or too late.
  private static func exchange(
    _ input: Data, _ stream: Int32, _ maximumOutput: Int, until end: ContinuousClock.Instant,
    _ isCancelled: (() -> Bool)?
  ) -> [UInt8]? {
    var output: [UInt8] = []
    var rest = input[...]
    if rest.isEmpty { shutdown(stream, Int32(SHUT_WR)) }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let left = milliseconds(until: end)
      let events = POLLIN | (rest.isEmpty ? 0 : POLLOUT)
      var poll = pollfd(fd: stream, events: Int16(events), revents: 0)
      // After a stop of the machine the time may be over although all is there: without time left it
      // only looks.
      let count = Glibc.poll(&poll, 1, isCancelled == nil ? left : min(left, longestLook))
      if let isCancelled, isCancelled() { return nil }
      guard count > 0 || left > 0 && (count == 0 || errno == EINTR) else { return nil }
      if Int32(poll.revents) & POLLOUT != 0 {
        let count = rest.withUnsafeBytes {
          send(stream, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | OperatingSystem.noSignal)
        }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count < 0, errno != EAGAIN, errno != EINTR {
          // A program that refuses the input early has ended; its status says why.
          rest = Data()
        }
        if rest.isEmpty { shutdown(stream, Int32(SHUT_WR)) }
      }
      if Int32(poll.revents) & ~POLLOUT != 0 {
        let count = recv(stream, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          output += buffer[..<count]
          guard output.count <= maximumOutput else { return nil }
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
          return output
        }
      }
    }
  }

  /// Whether the process ends in time; closing its output is nearly its last act.
  private static func waitForExit(
    of process: pid_t, until end: ContinuousClock.Instant, _ isCancelled: (() -> Bool)?
  ) -> Bool {
    while true {
      if let isCancelled, isCancelled() { return false }
      var information = siginfo_t()
      let status = waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG)
      if status == 0, information.si_signo != 0 { return true }
      // Somebody else has waited for it.
      if status == -1, errno != EINTR { return true }
      guard milliseconds(until: end) > 0 else { return false }
      usleep(1000)
    }
  }

  private static func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let left = ContinuousClock.now.duration(to: end)
    guard left > .zero else { return 0 }
    return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
  }
}
