import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// Outputs that are full, closed, slow or not read at all.
@Suite(.serialized) struct OutputErrorTests {
  private let episodes = [2, 1].map { PodcastServer.Episode($0, "Number \($0)") }

  /// Runs podget by a shell that redirects its streams.
  private func run(
    _ listener: Listener, _ arguments: [String], _ redirection: String
  ) async throws -> RunningProcess.Result {
    try await RunningProcess(
      "/bin/sh", ["-c", #"exec "$0" "$@" \#(redirection)"#, BuiltBinary.podget.path] + arguments,
      environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
  }

  @Test func `events that cannot be written are reported once and the downloads continue`()
    async throws
  {
    for more in [["--json"], ["--json", "--quiet"]] {
      let listener = try Listener(PodcastServer(episodes))
      let result = try await run(listener, ["download", listener.podcast] + more, ">/dev/full")
      #expect(result.status == .exited(1))
      #expect(
        result.error
          == "podget: Cannot write to standard output: No space left on device. "
          + "The downloads continue.\n")
      for episode in episodes { #expect(listener.holds(episode)) }
    }
  }

  @Test func `a table or a help text that cannot be written is one line and status 1`()
    async throws
  {
    let listener = try Listener(PodcastServer(episodes))
    _ = try await listener.run("download", listener.podcast)
    for arguments in [
      ["list"], ["list", "--json"], ["list", "--group-by", "day"], ["show", listener.podcast],
      ["show", listener.podcast, "--json"], ["verify", "--json"], ["verify", "-v"],
      ["prune", "--keep", "1", "--dry-run"], ["star", "1", "--json"],
      ["rename", "--template", "{id}.{ext}", "--dry-run"], ["--help"], ["--version"],
      ["help", "list"], ["doctor", listener.server.origin + "/1.mp3"],
    ] {
      let result = try await run(listener, arguments, ">/dev/full")
      #expect(result.status == .exited(1), "\(arguments)")
      let lines = result.error.split(separator: "\n").filter { !$0.hasPrefix("2 files ") }
      #expect(
        lines.filter { $0.contains("standard output") }
          == ["podget: Cannot write to standard output: No space left on device."],
        "\(arguments) \(lines)")
    }
  }

  @Test(arguments: ["| true", "| head -c 1 >/dev/null"])
  func `a reader that has gone is not a failure`(reader: String) async throws {
    let listener = try Listener(PodcastServer(episodes))
    for arguments in [
      ["download", listener.podcast, "--json"], ["list"], ["list", "--json"], ["--help"],
    ] {
      let result = try await RunningProcess(
        "/bin/bash",
        ["-c", #"set -o pipefail; "$0" "$@" \#(reader)"#, BuiltBinary.podget.path] + arguments,
        environment: listener.variables, folder: listener.folder.path
      ).waitForExit()
      #expect(result.status == .exited(0) && result.error.isEmpty, "\(result.error)")
    }
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"])
  func `streams that were closed at the start are not reused`(redirection: String) async throws {
    for more in [["--json"], []] {
      let listener = try Listener(PodcastServer(episodes))
      let result = try await run(listener, ["download", listener.podcast] + more, redirection)
      #expect(result.status == .exited(0), "\(result.error)")
      for episode in episodes { #expect(listener.holds(episode)) }
      #expect(listener.files.count == 2 && listener.partials.isEmpty)
      let list = try await run(listener, ["list"], redirection)
      #expect(list.status == .exited(0))
      #expect(redirection.contains(">&-") || list.output.contains("Number 2"))
    }
  }

  @Test func `a pipe in non-blocking mode gets everything`() async throws {
    let run = try CommandRun()
    let title = String(repeating: "a title ", count: 20)
    for number in 0..<300 {
      try run.addFinished("\(title)\(number)", date: nil, id: number, isMissing: true)
    }
    let expected = try await run.podget(["list", "--json"])
    try #require(expected.output.utf8.count > 100_000)
    let program = """
      import fcntl, os, sys
      fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let result = try await RunningProcess(
      "/usr/bin/env", ["python3", "-c", program, BuiltBinary.podget.path, "list", "--json"],
      environment: run.environment
    ).waitForExit()
    #expect(result.status == .exited(0) && result.error.isEmpty)
    #expect(result.output == expected.output)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a reader that does not read does not block signals`(
    signal: Int32, status: Int32
  ) async throws {
    let pipe = try await UnreadPipe()
    let process = pipe.process
    process.signal(signal)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(status) && result.error.isEmpty)
  }
}
