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
    try await run(arguments, in: try TemporaryFolder(), environment: environment)
  }

  /// Runs podget in a folder of its own, with a catalog that refuses every connection.
  private func run(
    _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
  ) async throws -> RunningProcess.Result {
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
        "podget: There is no command \"\(typed)\"; did you mean \"\(meant)\"?\n"))
  }

  @Test func `an argument unlike any command gets no suggestion`() async throws {
    let result = try await podget("frobnicate")
    #expect(result.status == .exited(64))
    #expect(result.error.hasPrefix("podget: There is no command \"frobnicate\".\n"))
    let id = try await podget("1386867488")
    #expect(id.status == .exited(64))
    #expect(id.error.hasPrefix("podget: A source needs a command: podget download 1386867488\n"))
  }

  @Test(arguments: [["help", "downlod"], ["help", "xyzzy"], ["help", "list", "show"]])
  func `help of an unknown topic ends with 64`(arguments: [String]) async throws {
    let result = try await RunningProcess(.podget, arguments).waitForExit()
    #expect(result.status == .exited(64) && result.output.isEmpty)
    #expect(result.error.contains(arguments == ["help", "downlod"] ? "\"download\"?" : "podget: "))
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
    ["config", hostile], ["config", "get", hostile],
  ])
  func `arguments are made safe for the terminal`(arguments: [String]) async throws {
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
  func `variables are made safe for the terminal`(name: String) async throws {
    let result = try await podget("download", "1", environment: [name: "{\(Self.hostile)"])
    #expect(result.status == .exited(64))
    #expect(result.error.contains(name) && !hasUnsafeScalars(result.error))
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
  }

  @Test(arguments: [
    // Empty, as an unset variable of a script gives it.
    ["download", ""], ["list", ""], ["show", ""], ["resume", ""], ["verify", ""], ["adopt", ""],
    ["prune", "--keep", "1", ""], ["star", ""], ["star", "1", "--source", ""], ["search", " "],
    ["rename", "--undo", ""], ["download", "1", "-d", ""], ["list", "--library="],
    ["download", "1", "--episode", ""], ["list", "--episode", ""],
    ["download", "1", "--cacert", ""],
    ["download", "1", "--user-agent", ""], ["download", "1", "--template", ""],
    ["download", "1", "--jobs", ""], ["download", "1", "--since", ""],
    // Too small, too large, no number.
    ["download", "1", "--jobs", "0"], ["download", "1", "--jobs", "-1"],
    ["download", "1", "--jobs", "99999999999999999999"], ["download", "1", "-j257"],
    ["download", "1", "--retries", "-1"], ["download", "1", "--latest", "-1"],
    ["download", "1", "--latest", "99999999999999999999"], ["download", "1", "--season", "-1"],
    ["download", "1", "--limit-rate", "0"], ["download", "1", "--limit-rate", "nan"],
    ["download", "1", "--limit-rate", "9999999999G"], ["prune", "--max-size", "9999999999G"],
    ["download", "1", "--retry-delay", "nan"], ["download", "1", "--retry-delay", "1e400"],
    ["download", "1", "--stall-timeout", "-inf"], ["download", "1", "--stall-timeout", "0"],
    ["list", "--min-duration", "9223372036854775807h"], ["list", "--max-duration", "nan"],
    ["list", "--since", "9223372036854775807y"], ["list", "--since", "2024-02-30"],
    ["list", "--until", "10000-01-01"], ["prune", "--older-than", "9223372036854775807d"],
    ["prune", "--keep", "-1"], ["remove", "x", "--trash-days", "36501"],
    ["search", "--limit", "0", "x"], ["list", "--match", "("],
    ["download", "1", "--template", "{title:.99999999999999999999}.{ext}"],
    // Options that do not apply to the command.
    ["list", "--jobs", "1"], ["list", "--cacert", "x"], ["list", "--no-progress"],
    ["list", "--dry-run"], ["star", "1", "--jobs", "1"], ["star", "1", "-v"],
    ["unstar", "1", "-v"],
    ["remove", "1", "-v"], ["restore", "1", "-v"], ["prune", "--keep", "1", "-v"],
    ["rename", "--template", "{id}.{ext}", "-v"],
    ["search", "x", "-d", "x"],
    ["search", "x", "--color", "red"], ["resume", "--latest", "1"], ["verify", "--retries", "1"],
    ["verify", "--limit-rate", "1M"], ["verify", "--no-checksum"], ["verify", "--country", "us"],
    ["list", "-q", "-v"], ["config", "-q"], ["config", "get"], ["config", "get", "jobs", "latest"],
    ["config", "path", "--json"],
  ])
  func `an invalid option or argument is one sentence and 64`(
    arguments: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let result = try await run(arguments, in: folder)
    #expect(result.status == .exited(64), "\(result)")
    #expect(result.output.isEmpty && result.error.hasPrefix("podget: "))
    #expect(folder.files.isEmpty)
  }

  @Test(arguments: [
    ["download", "1", "--retries", "19", "--retry-delay", "0"],
    ["show", "1", "--latest", "9223372036854775807", "--retries", "0"],
    ["list", "--latest", "9223372036854775807", "--season", "9223372036854775807"],
    ["list", "--since", "9999-12-31", "--until", "9999-12-31", "--min-duration", "99999h"],
    ["download", "1", "--limit-rate", "8589934591G", "--retries", "0"],
    ["download", "1", "--stall-timeout", "1e-300", "--retries", "0"],
  ])
  func `the largest values end no process`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let result = try await run(arguments, in: folder)
    #expect(result.status == .exited(arguments[0] == "list" ? 0 : 1), "\(result)")
  }

  /// podget's own words; titles and paths stay as they are.
  @Test(arguments: ["C", "POSIX", "de_DE.ISO-8859-1"])
  func `without UTF-8 every word is ASCII`(locale: String) async throws {
    let bytes = PodcastServer.Episode(
      1, "A title that is far too long for any window that is narrow")
    var listener = try Listener(PodcastServer([bytes]))
    listener.environment["LC_ALL"] = locale
    let environment = listener.variables
    let id = listener.podcast
    for arguments in [
      ["download", id, "--dry-run"], ["download", id], ["list"], ["list", "-v"], ["show", id],
      ["prune", "--keep", "0", "--dry-run"], ["star", "1"], ["unstar", "1"], ["star", "\u{1B}x"],
      ["rename", "--template", "{podcast}/{id}.{ext}"], ["verify", "-v"], ["adopt", "."],
      ["doctor", listener.server.origin + "/1.mp3", "-v"], ["remove", "1"], ["restore", "1"],
      ["help", "download"], ["downlod"], ["download", "--\u{9B}"], ["resume"], ["config"],
    ] {
      let process = try PseudoTerminalProcess(
        .podget, arguments, environment: environment, folder: listener.folder.path, columns: 50)
      _ = try await process.waitForExit()
      #expect(process.output.utf8.allSatisfy { $0 < 0x80 }, "\(arguments) \(process.output)")
      let piped = try await RunningProcess(
        .podget, arguments, environment: environment, folder: listener.folder.path
      ).waitForExit()
      let text = piped.output + piped.error
      #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(arguments) \(text)")
    }
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
    #expect(
      result.error == "podget: There is no library \(path) yet; podget download creates it.\n")
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

  /// A shell writes the byte: a Swift string cannot contain it.
  @Test(arguments: [
    ("\"$1\" resume -d \"$BAD\"", "podget: Argument 3, "),
    ("\"$1\" list \"--library=$BAD\"", "podget: Argument 2, "),
    ("PODGET_LIBRARY=$BAD \"$1\" resume", "podget: The variable PODGET_LIBRARY is not UTF-8"),
    ("HOME=$BAD \"$1\" list", "podget: The variable HOME is not UTF-8"),
  ])
  func `a path that is not UTF-8 is refused, and no other folder is created`(
    command: String, sentence: String
  ) async throws {
    let folder = try TemporaryFolder()
    let script = "BAD=$(printf '%s/x\\377' \"$2\"); \(command)"
    let result = try await RunningProcess(
      "/bin/sh", ["-c", script, "sh", BuiltBinary.podget.path, folder.path],
      environment: ["HOME": folder.path, "LANG": "C.UTF-8"]
    ).waitForExit()
    #expect(result.status == .exited(64) && result.output.isEmpty)
    #expect(result.error.hasPrefix(sentence))
    #expect(result.error.split(separator: "\n").count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a home that is not UTF-8 does not matter if the library is named`() async throws {
    let folder = try TemporaryFolder()
    let script = "HOME=$(printf '/x\\377') exec \"$1\" list -d \"$2\""
    let result = try await RunningProcess(
      "/bin/sh", ["-c", script, "sh", BuiltBinary.podget.path, folder.path],
      environment: ["LANG": "C.UTF-8"]
    ).waitForExit()
    #expect(result.status == .exited(0))
  }

  @Test func `a trace shows requests and answers, and no secrets`() async throws {
    var listener = try Listener(PodcastServer([.init(1, "One")]))
    let origin = listener.server.origin
    listener.environment["PODGET_ITUNES_URL"] = origin.replacing("//", with: "//ada:secret@")
    let result = try await listener.run("download", listener.podcast, "-vv")
    #expect(result.status == .exited(0))
    let lines = result.error.split(separator: "\n")
    #expect(lines.contains("[1] > GET \(origin)/lookup?…"))
    #expect(lines.contains("[1] < HTTP 200") && lines.contains("[2] < HTTP 200"))
    #expect(lines.contains { $0.hasPrefix("[2] * complete, ") })
    #expect(!result.error.contains("secret") && !result.error.contains("country="))
    let brief = try await listener.run("download", listener.podcast, "--force", "-v")
    #expect(!brief.error.contains("HTTP 200"))
  }

  @Test(arguments: ["/1.mp3?token=hidden#hidden", "%/1.mp3?token=hidden"])
  func `a trace hides the query of a redirect, relative or not`(target: String) async throws {
    let server = try PodcastServer([.init(1, "One")])
    let location = target.replacing("%", with: server.origin)
    server.episodes[0].path = "/moved.mp3"
    server.episodes[0].behaviour = { _ in .redirects(to: location) }
    let listener = try Listener(server)
    let result = try await listener.run("download", listener.podcast, "--retries", "0", "-vv")
    #expect(result.error.contains("< Location: ") && result.error.contains("1.mp3?…"))
    #expect(!result.error.contains("hidden"), "\(result.error)")
  }

  @Test func `topics are explained, and unknown ones end with 64`() async throws {
    for (topic, words) in [
      ("environment", "PODGET_LIBRARY"), ("exit-status", "130"), ("json", "json-schema.org"),
      ("templates", "{podcast}"),
    ] {
      let help = try await RunningProcess(.podget, ["help", topic]).waitForExit()
      #expect(help.status == .exited(0) && help.output.contains(words) && help.error == "")
    }
    for arguments in [["help", "enviroment"], ["help", "json", "nothing"], ["environment"]] {
      let help = try await RunningProcess(.podget, arguments).waitForExit()
      #expect(help.status == .exited(64) && help.output == "")
    }
    let version = try await RunningProcess(.podget, ["--version"]).waitForExit()
    #expect(version.output.hasPrefix("podget ") && version.output.contains("libcurl 7"))
  }

  @Test func `the short names of commands mean the same`() async throws {
    let listener = try Listener(PodcastServer([.init(1, "One")]))
    _ = try await listener.run("download", listener.podcast)
    #expect(try await listener.run("ls", "--json") == listener.run("list", "--json"))
    let removed = try await listener.run("rm", "One", "--json")
    #expect(removed.status == .exited(0) && listener.files.isEmpty)
  }
}
