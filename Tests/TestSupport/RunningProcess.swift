public import Glibc
import Synchronization

/// A program that runs with pipes for its output; it is killed when the last reference goes.
public final class RunningProcess: Sendable {
  /// How a program ended and what it wrote.
  public struct Result: Sendable, Hashable {
    /// How it ended.
    public var status: ExitStatus
    /// What it wrote to stdout.
    public var output: String
    /// What it wrote to stderr.
    public var error: String

    /// A result, as of a command that ran without a process.
    public init(status: ExitStatus, output: String, error: String) {
      self.status = status
      self.output = output
      self.error = error
    }

    /// The lines of stdout.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let child: ChildProcess
  private let collectedOutput: CollectedOutput
  private let collectedError: CollectedOutput

  /// Starts a program.
  /// - Parameters:
  ///   - path: The program, absolute.
  ///   - arguments: Its arguments.
  ///   - environment: Its environment, in addition to `PATH`.
  ///   - folder: The folder it starts in; nil is the current one.
  ///   - input: What it reads from stdin, at most 64 KiB; nil is `/dev/null`.
  /// - Throws: ``SpawnError``.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String] = [:],
    folder: String? = nil, input: String? = nil
  ) throws {
    let stdin = try input.map { _ in try Pipe() }
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let output = try Pipe()
    let error = try Pipe()
    defer {
      close(null)
      stdin?.closeReader()
      output.closeWriter()
      error.closeWriter()
    }
    child = try ChildProcess(
      path, arguments, environment: searchPath.merging(environment) { $1 }, folder: folder,
      streams: .descriptors(
        input: stdin?.reader ?? null, output: output.writer, error: error.writer))
    collectedOutput = CollectedOutput(reading: output.reader)
    collectedError = CollectedOutput(reading: error.reader)
    if let stdin, let input {
      let bytes = Array(input.utf8)
      _ = write(stdin.writer, bytes, bytes.count)
      stdin.closeWriter()
    }
  }

  /// Starts a program of this package; see the other initializer.
  /// - Throws: ``SpawnError``.
  public convenience init(
    _ binary: BuiltBinary, _ arguments: [String] = [], environment: [String: String] = [:],
    folder: String? = nil, input: String? = nil
  ) throws {
    try self.init(
      binary.path, arguments, environment: environment, folder: folder, input: input)
  }

  /// Its process number.
  public var pid: pid_t { child.pid }
  /// Whether it has not ended.
  public var isRunning: Bool { child.poll() == nil }
  /// What it wrote to stdout so far.
  public var output: String { collectedOutput.text }
  /// What it wrote to stderr so far.
  public var error: String { collectedError.text }

  /// Sends a signal, unless it has ended.
  public func signal(_ number: Int32) {
    child.signal(number)
  }

  /// Waits for its end and that of its output.
  /// - Throws: ``TimedOut`` with what it wrote; the program keeps running.
  public func waitForExit(timeout: Duration = patience) async throws -> Result {
    var status: ExitStatus?
    try await waitUntil("process \(pid) ends", timeout: timeout, seen: { output + error }) {
      status = child.poll()
      return status != nil && collectedOutput.isComplete && collectedError.isComplete
    }
    return Result(status: status ?? .exited(-1), output: output, error: error)
  }
}

/// The search path, which every child gets.
let searchPath = ["PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"]

/// Both ends of a pipe, neither of which a child inherits unasked.
private struct Pipe {
  let reader: Int32
  let writer: Int32

  init() throws {
    (reader, writer) = try ChildProcess.spawning.withLock { _ in
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        throw SpawnError(description: "No pipe: \(String(cString: strerror(errno))).")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
  }

  func closeReader() { close(reader) }
  func closeWriter() { close(writer) }
}
