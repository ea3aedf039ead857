import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// A signal in each phase before and during the transfers: it takes effect at once, and the first one
/// is enough.
@Suite(.serialized) struct InterruptedPhaseTests {
  private static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)]
  private static let emptySummary =
    #"{"event":"summary","finished":0,"skipped":0,"failed":0,"cancelled":0,"bytes":0}"# + "\n"

  /// Starts podget with a standard input that stays open, and gives it these lines.
  private func start(
    _ listener: Listener, _ arguments: [String], input: String = ""
  ) throws -> (process: RunningProcess, pipe: Int32) {
    let path = listener.folder.path("input")
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    // Its writer too, so that it never ends.
    let pipe = open(path, O_RDWR | O_CLOEXEC)
    let bytes = Array(input.utf8)
    #expect(write(pipe, bytes, bytes.count) == bytes.count)
    let process = try RunningProcess(
      "/bin/sh", ["-c", #"exec "$0" "$@" <input"#, BuiltBinary.podget.path] + arguments,
      environment: listener.variables, folder: listener.folder.path)
    return (process, pipe)
  }

  private func waitUntilRead(_ pipe: Int32) async throws {
    try await waitUntil("standard input is read") {
      var waiting: Int32 = 1
      return ioctl(pipe, UInt(FIONREAD), &waiting) == 0 && waiting == 0
    }
  }

  @Test(arguments: signals)
  func `while standard input is read`(signal: Int32, status: Int32) async throws {
    let listener = try Listener(PodcastServer([]))
    try listener.folder.write("library/.podget/partial/x", "")
    for arguments in [
      ["download", "-", "--json"], ["resume", "-", "--json"], ["list", "-"], ["show", "-"],
      ["remove", "-"], ["star", "-"], ["restore", "-"], ["prune", "--keep", "1", "-"],
      ["verify", "-"], ["rename", "--template", "{id}.{ext}", "-"], ["adopt", ".", "-"],
    ] {
      let (process, pipe) = try start(listener, arguments, input: "1386867488\n")
      defer { close(pipe) }
      try await waitUntilRead(pipe)
      process.signal(signal)
      let result = try await process.waitForExit()
      #expect(result.status == .exited(status), "\(arguments) \(result)")
      #expect(result.output == (arguments.last == "--json" ? Self.emptySummary : ""))
    }
    #expect(listener.server.lookups.isEmpty)
  }

  @Test(arguments: signals)
  func `while a password is awaited`(signal: Int32, status: Int32) async throws {
    let listener = try Listener(PodcastServer([]))
    let begun = listener.folder.path("begun")
    try listener.folder.writeProgram("password", "#!/bin/sh\n: >\(begun)\nexec sleep 3600\n")
    let login = ["--user", "ada", "--password-command", listener.folder.path("password")]
    let source = "\(listener.server.origin)/feed.xml"
    let process = try listener.startAll(["download", source, "--json"] + login)
    try await waitUntil("the command runs", seen: { process.error }) {
      FileManager.default.fileExists(atPath: begun)
    }
    process.signal(signal)
    // The command ends too: it has the other end of standard error.
    let result = try await process.waitForExit()
    #expect(result.status == .exited(status), "\(result)")
    #expect(result.output == Self.emptySummary)
  }

  @Test(arguments: signals)
  func `while the directory is awaited`(signal: Int32, status: Int32) async throws {
    let silent = try LoopbackServer { _, connection in connection.stall() }
    var listener = try Listener(PodcastServer([]))
    listener.environment["PODGET_ITUNES_URL"] = silent.origin
    for arguments in [
      ["download", "1", "--json"], ["show", "1", "--json"], ["search", "word", "--json"],
      ["doctor", silent.origin + "/1.mp3", "--json"], ["adopt", ".", "1", "--json"],
    ] {
      let before = silent.log.count
      let process = try listener.startAll(arguments)
      try await waitUntil("it is asked", seen: { process.error }) { silent.log.count > before }
      process.signal(signal)
      let result = try await process.waitForExit()
      #expect(result.status == .exited(status), "\(arguments) \(result)")
      #expect(result.output == (arguments[0] == "download" ? Self.emptySummary : ""))
    }
  }

  @Test(arguments: signals)
  func `while another attempt at the directory is awaited`(
    signal: Int32, status: Int32
  ) async throws {
    let busy = try LoopbackServer { _, connection in
      connection.respond(status: 503, fields: [.init("Retry-After", "250")], body: "")
    }
    var listener = try Listener(PodcastServer([]))
    listener.environment["PODGET_ITUNES_URL"] = busy.origin
    listener.environment["PODGET_RETRIES"] = "3"
    for arguments in [
      ["download", "1", "--json"], ["show", "1", "--json"], ["search", "word", "--json"],
      ["adopt", ".", "1", "--json"],
    ] {
      let before = busy.log.count
      let process = try listener.startAll(arguments)
      try await waitUntil("it is asked", seen: { process.error }) { busy.log.count > before }
      try await waitUntil("its answer has come") { busy.openConnections <= 1 }
      process.signal(signal)
      let result = try await process.waitForExit()
      #expect(result.status == .exited(status), "\(arguments) \(result)")
      #expect(result.output == (arguments[0] == "download" ? Self.emptySummary : ""))
    }
  }

  @Test(arguments: signals)
  func `while a large file is checked`(signal: Int32, status: Int32) async throws {
    let run = try CommandRun()
    try run.addFinished("Huge", date: "2024-01-01T00:00:00Z", isMissing: true)
    let path = run.folder.path("library/The Symbolic World/Huge.mp3")
    // A sparse file: it takes no space, and more time to read than any wait of this test.
    #expect(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0 && truncate(path, 4 << 40) == 0)
    let process = try RunningProcess(
      .podget, ["verify", "--json"], environment: run.environment)
    try await waitUntil("it is read") {
      let status = try? String(contentsOfFile: "/proc/\(process.pid)/io", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
      return line.flatMap { Int64($0.dropFirst(7)) }.map { $0 > 64 << 20 } ?? false
    }
    process.signal(signal)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(status), "\(result)")
    #expect(try result.objects.isEmpty && result.output.hasSuffix("]\n"))
  }

  @Test func `sources typed on a terminal are read as lines, and end with Ctrl-D`() async throws {
    let episode = PodcastServer.Episode(1, "One")
    let listener = try Listener(PodcastServer([episode]))
    let process = try listener.startOnTerminal("download", "-")
    process.type("13868674")
    try await process.waitForScreen("what is typed is shown") { $0.text.contains("13868674") }
    #expect(process.echoes && process.readsLines)
    process.type("88\n\u{04}")
    #expect(try await process.waitForExit() == .exited(0))
    #expect(process.echoes && process.readsLines)
    #expect(listener.holds(episode))
  }

  @Test func `one Ctrl-C ends the reading of typed sources`() async throws {
    let listener = try Listener(PodcastServer([]))
    let process = try listener.startOnTerminal("download", "-")
    process.type("p q\n")
    // Before that the signal would kill it, as it kills any program.
    try await waitUntil("standard input is read, by a thread besides others") {
      let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/task")
      return tasks.count > 1
    }
    #expect(process.isRunning && process.readsLines)
    process.type("\u{03}")
    #expect(try await process.waitForExit() == .exited(130))
    #expect(process.echoes && process.readsLines)
  }

  @Test func `an invalid standard input is one clear error`() async throws {
    let listener = try Listener(PodcastServer([]))
    let result = try await listener.run("download", "-", "--json", input: "1\n\u{0}\n")
    #expect(result.status == .exited(1))
    #expect(result.error == "-: Line 2 of standard input is binary data, not text.\n")
    #expect(result.lines.count == 2 && result.lines[0].contains(#""code":"decoding""#))
    let list = try await listener.run("list", "-", input: "1\n\u{0}\n")
    #expect(list.status == .exited(1))
    #expect(list.error == "podget: Line 2 of standard input is binary data, not text.\n")
    let empty = try await listener.run("download", "-", "--json", input: "\n")
    #expect(empty.status == .exited(0) && empty.output == Self.emptySummary)
  }
}

extension Listener {
  fileprivate func startAll(_ arguments: [String]) throws -> RunningProcess {
    try RunningProcess(.podget, arguments, environment: variables, folder: folder.path)
  }
}
