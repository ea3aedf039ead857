import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// What is wrong with a command line, and how podget says so.
@Suite(.serialized) struct CommandLineTests {
  private func podget(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> RunningProcess.Result {
    let folder = try TemporaryFolder()
    let standard = [
      "HOME": folder.path, "LANG": "C.UTF-8", "PODGET_ITUNES_URL": "http://127.0.0.1:1",
    ]
    return try await RunningProcess(
      .podget, arguments, environment: standard.merging(environment) { $1 }, folder: folder.path
    ).waitForExit()
  }

  @Test(arguments: [
    ("downlod", "download"), ("lits", "list"), ("LIST", "list"), ("serach", "search"),
    ("unstarr", "unstar"), ("hlep", "help"), ("doctr", "doctor"),
  ])
  func `a mistyped command is answered with the nearest one`(
    typed: String, meant: String
  ) async throws {
    let result = try await podget(typed, "1386867488")
    #expect(result.status == .exited(64) && result.output.isEmpty)
    #expect(
      result.error.hasPrefix(
        "Error: There is no command \"\(typed)\"; did you mean \"\(meant)\"?\n"))
  }

  @Test func `what is no command at all is not answered with one`() async throws {
    let result = try await podget("frobnicate")
    #expect(result.status == .exited(64))
    #expect(result.error.hasPrefix("Error: There is no command \"frobnicate\".\n"))
    let id = try await podget("1386867488")
    #expect(id.status == .exited(64))
    #expect(id.error.contains("podget download 1386867488 downloads a podcast."))
  }

  @Test(arguments: [["help", "downlod"], ["help", "xyzzy"], ["help", "list", "show"]])
  func `help of an unknown topic ends with 64`(arguments: [String]) async throws {
    let result = try await RunningProcess(.podget, arguments).waitForExit()
    #expect(result.status == .exited(64) && result.output.isEmpty)
    #expect(result.error.contains(arguments == ["help", "downlod"] ? "\"download\"?" : "Error: "))
  }

  @Test(arguments: [
    [], ["help"], ["--help"], ["-h"], ["help", "download"], ["download", "--help"], ["--version"],
    ["help", "help"],
  ])
  func `help and version go to stdout and end with 0`(arguments: [String]) async throws {
    let result = try await RunningProcess(.podget, arguments).waitForExit()
    #expect(result.status == .exited(0) && result.error.isEmpty)
    #expect(result.output.count > 4 && result.output.utf8.allSatisfy { $0 < 0x80 })
  }

  private static let hostile = "\u{1B}[31mx\u{1B}]0;t\u{7}\u{9B}2J\u{202E}y\r\nError: fake"

  @Test(arguments: [
    [hostile], ["help", hostile], ["download", "--\(hostile)"], ["download", "-\u{1B}"],
    ["download", "1", "--template", "{\(hostile)}"], ["download", "1", "--template={\(hostile)}"],
    ["download", "1", "--jobs", hostile], ["download", "1", "-j\(hostile)"],
    ["download", "1", "--since", hostile], ["download", "1", "--match", "(\(hostile)"],
    ["download", "1", "--limit-rate", hostile], ["download", "1", "--country", hostile],
    ["download", "1", "--min-duration", hostile], ["download", "1", "--type", hostile],
    ["download", "1", "--quiet=\(hostile)"], ["list", "--sort", hostile],
    ["list", "--group-by=\(hostile)"], ["doctor", hostile], ["doctor", "http://\(hostile)/"],
    ["prune", "--max-size", hostile], ["prune", "--older-than", hostile],
    ["star", hostile], ["star", hostile, "-d", hostile], ["verify", "-d\(hostile)"],
    ["prune", "--keep", "1", "-d", hostile], ["list", "-d", hostile], ["list", hostile],
    ["adopt", hostile], ["download", hostile], ["download", "./\(hostile)"], ["show", hostile],
    ["rename", "--undo", hostile], ["restore", hostile, "--source", hostile],
    ["search", "--limit", hostile, "x"], ["download", "1", "--cacert", hostile],
    ["search", hostile, "--retries", "0"], ["search", "1", "2", "--user-agent", hostile],
    ["resume", hostile], ["download", "1", "--episode", hostile, "--retries", "0"],
  ])
  func `what arguments hold reaches no terminal raw`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let result = try await RunningProcess(
      .podget, arguments,
      environment: [
        "HOME": folder.path, "LANG": "C.UTF-8", "PODGET_ITUNES_URL": "http://127.0.0.1:1",
      ], folder: folder.path
    ).waitForExit()
    let text = result.error + result.output
    #expect(!hasUnsafeScalars(text), "\(text)")
    #expect(!text.contains("\nError: fake"), "\(text)")
    #expect(!result.error.isEmpty)
  }

  @Test(arguments: ["PODGET_JOBS", "PODGET_TEMPLATE", "PODGET_COUNTRY", "PODGET_LIMIT_RATE"])
  func `nor does what variables hold`(name: String) async throws {
    let result = try await podget("download", "1", environment: [name: "{\(Self.hostile)"])
    #expect(result.status == .exited(64))
    #expect(result.error.contains(name) && !hasUnsafeScalars(result.error))
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
  }

  @Test(arguments: [
    ["verify"], ["prune", "--keep", "1"], ["prune", "--keep", "1", "--dry-run"], ["remove", "1"],
    ["restore", "1"], ["rename", "--template", "{title}.{ext}"], ["rename", "--undo", "x"],
    ["star", "1"], ["unstar", "1"], ["verify", "--json"], ["prune", "--keep", "1", "--json"],
  ])
  func `a command that needs a library names the one that is not there`(
    arguments: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("nowhere")
    let result = try await RunningProcess(.podget, arguments + ["-d", path]).waitForExit()
    #expect(result.status == .exited(1) && result.output.isEmpty)
    #expect(result.error == "podget: There is no library \(path) yet; podget download makes it.\n")
    #expect(!folder.contains("nowhere"))
  }

  @Test func `an empty standard input never means every podcast`() async throws {
    let run = try CommandRun()
    try run.addFinished("One", date: "2024-01-01T00:00:00Z")
    try run.addFinished("Two", date: "2024-01-02T00:00:00Z")
    for input in ["", "\n# nothing\n"] {
      let pruned = try await run.podget(["prune", "--keep", "0", "--json", "-"], input: input)
      #expect(try pruned.objects.isEmpty && pruned.status == .exited(0))
      let listed = try await run.podget(["list", "--json", "-"], input: input)
      #expect(try listed.objects.isEmpty && listed.status == .exited(0))
      let verified = try await run.podget(["verify", "--json", "-"], input: input)
      #expect(try verified.objects.isEmpty && verified.status == .exited(0))
      let renamed = try await run.podget(["rename", "--template", "{id}.{ext}", "-"], input: input)
      #expect(renamed.output.isEmpty && renamed.status == .exited(0))
    }
    #expect(try await run.podget(["list", "--json"]).objects.count == 2)
  }
}
