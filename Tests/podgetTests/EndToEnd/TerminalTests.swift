import LoopbackServer
import TestSupport
import Testing

/// What a person sees and can do while a download runs on a terminal.
@Suite(.serialized) struct TerminalTests {
  private let episodes = [2, 1].map { PodcastServer.Episode($0, "Number \($0)", size: 2 << 20) }

  private func listener() throws -> Listener { try Listener(PodcastServer(episodes)) }

  private func waitForMiddle(_ process: PseudoTerminalProcess) async throws {
    try await process.waitForScreen("both are shown with percents") { screen in
      episodes.allSatisfy { episode in
        screen.lines.contains { $0.hasPrefix(episode.title) && $0.contains("%") }
      }
    }
  }

  @Test func `running lines have percents, finished ones are above`() async throws {
    let listener = try listener()
    listener.server.hold = 512 << 10
    let process = try listener.startOnTerminal("download", listener.podcast)
    try await process.waitForScreen("title and author are shown") {
      $0.lines.first == "The Symbolic World — Jonathan Pageau (2 episodes)"
    }
    try await waitForMiddle(process)
    #expect(process.screen.text.contains("0/2 done"))
    listener.server.hold = nil
    #expect(try await process.waitForExit() == .exited(0))
    let lines = process.screen.lines.filter { !$0.isEmpty }
    #expect(lines.count == 4)
    #expect(Set(lines[1...2].map { $0.prefix(10) }) == ["✓ Number 1", "✓ Number 2"])
    #expect(lines.last == "2 finished (4.0 MiB)")
    #expect(process.screen.isCursorVisible && process.echoes && process.readsLines)
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test func `no line is wider than the window, also when it shrinks`() async throws {
    let listener = try Listener(
      PodcastServer(
        title: "The Symbolic World", author: "Somebody with a name that fills lines by itself",
        [2, 1].map {
          PodcastServer.Episode(
            $0, "Number \($0) has a title far longer than any narrow window — 世界 and more of it",
            size: 2 << 20)
        }))
    listener.server.hold = 512 << 10
    let process = try listener.startOnTerminal("download", listener.podcast, columns: 40)
    try await process.waitForScreen("percents are shown") { $0.text.contains("%") }
    #expect(process.screen.lines.filter { $0.hasPrefix("Number") }.count == 2)
    #expect(process.screen.scrolledOff.isEmpty)
    process.resize(columns: 24, rows: 24)
    try await process.waitForScreen("it is drawn anew") { screen in
      screen.lines.contains { $0.hasPrefix("Number 2") && $0.hasSuffix("%") }
    }
    listener.server.hold = nil
    #expect(try await process.waitForExit() == .exited(0))
    // A wrapped line would have scrolled others off the top.
    #expect(process.screen.scrolledOff.isEmpty)
    #expect(process.screen.lines.filter { $0.hasPrefix("✓ Number") }.count == 2)
  }

  @Test func `p pauses and resumes, and no byte arrives in between`() async throws {
    let listener = try listener()
    listener.server.hold = 512 << 10
    let process = try listener.startOnTerminal("download", listener.podcast)
    try await waitForMiddle(process)
    #expect(!process.echoes && !process.readsLines)
    process.type("p")
    try await process.waitForScreen("it says so") { $0.text.contains("paused") }
    listener.server.hold = nil
    // What the kernels of both sides buffer still moves for a moment.
    var sent: Int64 = 0
    var looks = 0
    try await waitUntil("the server sends nothing more") {
      let now = listener.server.downloads.reduce(0) { $0 + $1.bytesSent }
      looks = now == sent ? looks + 1 : 0
      sent = now
      return looks > 60
    }
    let sizes = listener.partSizes
    // The server had more to send than podget read.
    #expect(sizes.allSatisfy { $0 < 1 << 20 })
    #expect(process.isRunning && process.screen.text.contains("p resume"))
    #expect(listener.partSizes == sizes && listener.files.isEmpty)
    process.type(" ")
    try await process.waitForScreen("it goes on") { !$0.text.contains("paused") }
    #expect(try await process.waitForExit() == .exited(0))
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test(arguments: ["q", "\u{03}"])
  func `q and Ctrl-C stop, and leave the terminal as it was`(key: String) async throws {
    let listener = try listener()
    listener.server.hold = 512 << 10
    let process = try listener.startOnTerminal("download", listener.podcast)
    try await waitForMiddle(process)
    process.type(key)
    #expect(try await process.waitForExit() == .exited(130))
    #expect(process.echoes && process.readsLines && process.screen.isCursorVisible)
    let lines = process.screen.lines.filter { !$0.isEmpty }
    #expect(lines.last?.hasPrefix("2 cancelled") == true)
    #expect(lines.count { $0.contains("cancelled") && $0.contains("kept") } == 2)
    #expect(listener.partSizes.count == 2)
    listener.server.hold = nil
    let resume = try await listener.run("resume", "--json")
    #expect(resume.status == .exited(0))
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test func `Ctrl-Z restores the terminal and fg uses it again`() async throws {
    let listener = try listener()
    listener.server.hold = 512 << 10
    // Only a shell with job control can stop a job and continue it.
    let shell = try PseudoTerminalProcess(
      "/bin/bash", ["--norc", "--noprofile", "-i"],
      environment: listener.variables.merging(["PS1": "ready> ", "HISTFILE": ""]) { $1 },
      folder: listener.folder.path)
    try await shell.waitForScreen("the shell is ready") { $0.text.hasSuffix("ready>") }
    shell.type("\(BuiltBinary.podget.path) download \(listener.podcast)\n")
    try await waitForMiddle(shell)
    #expect(!shell.readsLines)
    shell.type("\u{1A}")
    try await shell.waitForScreen("the shell is back") { $0.text.contains("Stopped") }
    shell.type("echo still $((40 + 2))\n")
    try await shell.waitForScreen("the shell works") { $0.lines.contains("still 42") }
    shell.type("fg\n")
    try await shell.waitForScreen("it goes on below") { screen in
      let back = screen.lines.lastIndex { $0.contains("download \(listener.podcast)") } ?? 99
      return screen.lines[(back + 1)...].contains { $0.contains("%") }
    }
    shell.type("p")
    try await shell.waitForScreen("keys work again") { $0.text.contains("paused") }
    listener.server.hold = nil
    shell.type("p")
    try await shell.waitForScreen("it ends") {
      $0.text.contains("2 finished (4.0 MiB)")
    }
    // Every live line is gone, also those that were there before the stop.
    #expect(!shell.screen.lines.contains { $0.contains("%") || $0.contains(" done  ") })
    shell.type("echo status $?\n")
    try await shell.waitForScreen("with success") { $0.lines.contains("status 0") }
    for episode in episodes { #expect(listener.holds(episode)) }
    shell.type("exit\n")
    #expect(try await shell.waitForExit() == .exited(0))
  }

  @Test(arguments: ["2> log", ""])
  func `in the background it neither stops nor changes the terminal`(
    redirection: String
  ) async throws {
    let listener = try listener()
    listener.server.hold = 512 << 10
    let shell = try PseudoTerminalProcess(
      "/bin/bash", ["--norc", "--noprofile", "-i"],
      environment: listener.variables.merging(["PS1": "ready> ", "HISTFILE": ""]) { $1 },
      folder: listener.folder.path)
    try await shell.waitForScreen("the shell is ready") { $0.text.hasSuffix("ready>") }
    // With tostop, a write from the background stops programs that allow it.
    shell.type("stty tostop; stty -g > before\n")
    try await waitUntil("the modes are noted") { listener.folder.contains("before") }
    // While the shell waits the modes are those that programs see, not those of its line editor.
    let command = "\(BuiltBinary.podget.path) download \(listener.podcast) \(redirection)"
    shell.type("\(command) & wait; echo done $?; stty -g > after\n")
    try await waitUntil("it downloads") { listener.partSizes.count == 2 }
    #expect(shell.echoes && shell.readsLines)
    listener.server.hold = nil
    try await shell.waitForScreen("it ends") { $0.lines.contains("done 0") }
    let before = try listener.folder.read("before")
    try await waitUntil("the modes are as they were") {
      (try? listener.folder.read("after")) == before
    }
    #expect(!shell.screen.text.contains("Stopped") && !shell.output.contains("\u{1B}[?25l"))
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test func `NO_COLOR leaves colors out and nothing else`() async throws {
    var listener = try listener()
    let colourful = try listener.startOnTerminal("download", listener.podcast)
    #expect(try await colourful.waitForExit() == .exited(0))
    #expect(colors(in: colourful.output) > 0)
    listener.environment["NO_COLOR"] = "1"
    let plain = try listener.startOnTerminal("download", listener.podcast, "--force")
    #expect(try await plain.waitForExit() == .exited(0))
    #expect(colors(in: plain.output) == 0)
    #expect(plain.screen.lines.filter { $0.hasPrefix("✓ Number") }.count == 2)
  }

  private func colors(in output: String) -> Int {
    output.split(separator: "\u{1B}[", omittingEmptySubsequences: false).dropFirst().count {
      piece in
      let final = piece.first { $0.isLetter }
      let parameters = piece.prefix { !$0.isLetter }
      return final == "m"
        && parameters.split(separator: ";").contains { (30...97).contains(Int($0) ?? 0) }
    }
  }

  @Test func `a title never controls the terminal`() async throws {
    let nasty = "A\u{1B}[2JB\u{202E}C\u{07}D\u{9B}2JE\r\nF"
    let listener = try Listener(
      PodcastServer(
        title: "T\u{1B}]0;owned\u{07}", author: "A\u{1B}[31m",
        [
          PodcastServer.Episode(2, nasty), PodcastServer.Episode(1, nasty) { _ in .answers(404) },
        ]))
    let process = try listener.startOnTerminal("download", listener.podcast)
    #expect(try await process.waitForExit() == .exited(1))
    for forbidden in ["\u{1B}[2J", "\u{1B}]", "\u{202E}", "\u{9B}", "\u{07}", "B\r\nF"] {
      #expect(!process.output.contains(forbidden))
    }
    let piped = try await listener.run("download", listener.podcast, "--verbose")
    #expect(piped.status == .exited(1))
    for scalar in (piped.error + listener.files.joined()).unicodeScalars {
      #expect(scalar == "\n" || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
      #expect(scalar != "\u{202E}")
    }
  }

  @Test func `a pipe gets plain lines`() async throws {
    let listener = try listener()
    let result = try await listener.run("download", listener.podcast)
    let lines = result.error.split(separator: "\n")
    #expect(!result.error.contains("\u{1B}") && !result.error.contains("\r"))
    #expect(lines.first == "The Symbolic World — Jonathan Pageau (2 episodes)")
    #expect(lines.last == "2 finished (4.0 MiB)")
    #expect(lines.count { $0.hasPrefix("finished") } == 2)
  }

  @Test(arguments: [["--no-progress"], ["--quiet"]])
  func `a terminal gets no live lines if they are not wanted`(options: [String]) async throws {
    let listener = try listener()
    let process = try PseudoTerminalProcess(
      .podget, ["download", listener.podcast] + options, environment: listener.variables)
    #expect(try await process.waitForExit() == .exited(0))
    #expect(!process.output.contains("\u{1B}"))
    #expect(process.output.isEmpty == (options == ["--quiet"]))
  }
}
