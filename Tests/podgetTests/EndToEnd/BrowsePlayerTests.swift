import Foundation
import TestSupport
import Testing

/// Playing episodes on the full screen, with a player that is scripted.
@Suite(.serialized) struct BrowsePlayerTests {
  let host: FeedHost
  let folder: TemporaryFolder

  init() throws {
    host = try FeedHost(["/feed.xml": FeedHost.Feed((1...3).reversed().map { FeedHost.Item($0) })])
    folder = try TemporaryFolder()
  }

  private func environment(_ path: String?) -> [String: String] {
    [
      "PODGET_LIBRARY": folder.path("library"), "PODGET_RETRY_DELAY": "0", "HOME": folder.path,
      "LANG": "C.UTF-8", "no_proxy": "127.0.0.1", "TMPDIR": folder.path,
    ].merging(path.map { ["PATH": $0] } ?? [:]) { $1 }
  }

  /// A screen with two episodes that are complete, the first one selected.
  private func start(
    _ path: String?, adding variables: [String: String] = [:]
  ) async throws -> PseudoTerminalProcess {
    let process = try PseudoTerminalProcess(
      .podget, ["browse", "\(host.origin)/feed.xml"],
      environment: environment(path).merging(variables) { $1 }, folder: folder.path)
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 3") }
    if !folder.files.contains("library/The Feed/2024-01-02 - Number 2.mp3") {
      process.type("djdk")
      try await process.waitForScreen("they are complete") { screen in
        screen.lines[3...4].allSatisfy { $0.hasSuffix("complete") }
      }
    }
    return process
  }

  private func path(_ player: ScriptedPlayer) -> String {
    "\(player.binaries):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
  }

  /// What the library says of an episode.
  private func record(_ number: Int) async throws -> (isPlayed: Bool, position: Double?) {
    let result = try await RunningProcess(
      .podget, ["list", "--json"], environment: environment(nil), folder: folder.path
    ).waitForExit()
    let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
    let episode = try #require(
      list?.first { ($0["episode"] as? [String: Any])?["title"] as? String == "Number \(number)" })
    return (episode["played"] as? Bool ?? false, episode["position"] as? Double)
  }

  @Test func `one player is paused, moved and replaced, and the record follows`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let process = try await start(path(player))
    process.type("o")
    try await process.waitForScreen("it plays") { $0.lines[23].hasPrefix(" ► 0:00/10:00 Number 3") }
    #expect(process.screen.lines[3].hasPrefix(" ►"))
    process.type("..>]")
    try await process.waitForScreen("it is ahead") {
      $0.lines[23].hasPrefix(" ► 1:20/10:00 1.1× Number 3")
    }
    process.type("--")
    try await process.waitForScreen("it is quieter") {
      $0.lines[23].hasPrefix(" ► 1:20/10:00 1.1× 90% Number 3")
    }
    process.type("++")
    try await process.waitForScreen("it is as loud as before") {
      $0.lines[23].hasPrefix(" ► 1:20/10:00 1.1× Number 3")
    }
    // A pause is recorded, and shown.
    process.type("P")
    try await process.waitForScreen("it pauses") { screen in
      screen.lines[23].hasPrefix(" = 1:20") && screen.lines[3].contains("at 1:20")
    }
    #expect(try await record(3) == (false, 80))
    // Another episode is played instead.
    process.type(",")
    try await process.waitForScreen("it is back") { $0.lines[23].hasPrefix(" = 1:10") }
    process.type("jo")
    try await process.waitForScreen("the other one plays") {
      $0.lines[23].hasPrefix(" ► 0:00/10:00 1.1× Number 2")
    }
    #expect(player.processes.count == 2 && kill(player.processes[0], 0) != 0)
    #expect(try await record(3) == (false, 70))
    // The first one goes on where it was left.
    process.type("ko")
    try await process.waitForScreen("it goes on") { $0.lines[23].hasPrefix(" ► 1:10/10:00 1.1×") }
    #expect(player.log.contains("plays 2024-01-03 - Number 3.mp3 from 70 at 1.1"))
    // At its end it was played.
    process.type(">>>>>>>>,")
    process.type("....")
    try await process.waitForScreen("it is at 9:40") { $0.lines[23].hasPrefix(" ► 9:40") }
    process.type("..")
    try await process.waitForScreen("it was played") { screen in
      screen.lines[3].contains("played") && !screen.lines[23].contains("►")
    }
    #expect(try await record(3) == (true, nil))
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    #expect(player.processes.allSatisfy { kill($0, 0) != 0 })
  }

  @Test(arguments: [("q", Int32(0)), ("\u{03}", 130), ("TERM", 143)])
  func `the player ends with the screen, and where it was is recorded`(
    key: String, status: Int32
  ) async throws {
    let player = try ScriptedPlayer(in: folder)
    let process = try await start(path(player))
    process.type("o")
    try await process.waitForScreen("it plays") { $0.lines[23].hasPrefix(" ► 0:00/") }
    process.type(">")
    try await process.waitForScreen("it is ahead") { $0.lines[23].hasPrefix(" ► 1:00/") }
    if key == "TERM" { process.signal(SIGTERM) } else { process.type(key) }
    #expect(try await process.waitForExit() == .exited(status))
    #expect(kill(try #require(player.processes.first), 0) != 0)
    #expect(try await record(3) == (false, 60))
  }

  @Test func `the player goes on if that is wanted`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let process = try await start(path(player))
    process.type("o")
    try await process.waitForScreen("it plays") { $0.lines[23].hasPrefix(" ► 0:00/") }
    process.type(">")
    try await process.waitForScreen("it is ahead") { $0.lines[23].hasPrefix(" ► 1:00/") }
    process.type("Q")
    #expect(try await process.waitForExit() == .exited(0))
    let number = try #require(player.processes.first)
    #expect(try await record(3) == (false, 60))
    #expect(kill(number, SIGTERM) == 0)
    try await waitUntil("it is ended") { kill(number, 0) != 0 }
  }

  @Test func `the player ends with a screen that is killed`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let process = try await start(path(player))
    process.type("o")
    try await process.waitForScreen("it plays") { $0.lines[23].hasPrefix(" ► 0:00/") }
    let number = try #require(player.processes.first)
    #expect(kill(try #require(player.parents.first), SIGKILL) == 0)
    try await waitUntil("the player ends") { kill(number, 0) != 0 }
    #expect(try await process.waitForExit() == .exited(1))
  }

  @Test func `what a player that fails says is not lost`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let process = try await start(path(player))
    process.type("o")
    try await process.waitForScreen("it plays") { $0.lines[23].contains("0:00/10:00") }
    kill(try #require(player.processes.first), SIGKILL)
    try await process.waitForScreen("it is said") {
      $0.lines[23] == " ✗ mpv was ended by signal 9."
    }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `another player is only started and ended`() async throws {
    let other = try folder.writeProgram(
      "other", "#!/bin/sh\necho $$ >'\(folder.path("pid"))'\nexec sleep 1000\n")
    let process = try await start(nil, adding: ["PODGET_PLAYER": "\(other) {path}"])
    process.type("o")
    try await process.waitForScreen("it plays") { $0.lines[23].hasPrefix(" ► Number 3  ") }
    try await waitUntil("it runs") { (try? folder.read("pid").count) ?? 0 > 1 }
    process.type("P")
    try await process.waitForScreen("it cannot") { $0.lines[23].contains("O ends it") }
    let number = try #require(
      pid_t(String(decoding: try folder.read("pid").dropLast(), as: UTF8.self)))
    process.type("O")
    try await waitUntil("it ends") { kill(number, 0) != 0 }
    try await process.waitForScreen("that is seen") { !$0.lines[3].hasPrefix(" ►") }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    let missing = try await start(nil, adding: ["PODGET_PLAYER": "none-such"])
    missing.type("o")
    try await missing.waitForScreen("it is said") {
      $0.text.contains("none-such cannot be run: No such file or directory; the setting player")
    }
    missing.type("q")
    #expect(try await missing.waitForExit() == .exited(0))
  }

  @Test func `without mpv the system's program plays, and that is said`() async throws {
    // Nothing else of the system is found there.
    _ = try folder.writeProgram(
      "only/xdg-open", "#!/bin/sh\necho \"$1\" >'\(folder.path("opened"))'\n")
    let process = try await start(folder.path("only"))
    process.type("o")
    try await process.waitForScreen("it is said") {
      $0.text.contains("mpv is not installed: xdg-open plays it")
    }
    let path = folder.path("library/The Feed/2024-01-03 - Number 3.mp3")
    try await waitUntil("it is opened") { (try? folder.read("opened")) == Array("\(path)\n".utf8) }
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
    let neither = try await start(folder.path)
    neither.type("o")
    try await neither.waitForScreen("it is said") {
      $0.text.contains("Neither mpv nor xdg-open is installed")
    }
    neither.type("q")
    #expect(try await neither.waitForExit() == .exited(0))
  }
}
