import Glibc
import TestSupport
import Testing

@Suite struct ProcessTests {
  @Test func `a process gets what it is given and nothing else`() async throws {
    let folder = try TemporaryFolder()
    let process = try RunningProcess(
      "/bin/sh", ["-c", "read -r line; echo \"$line $A ${HOME-unset} $PWD\"; echo no >&2; exit 3"],
      environment: ["A": "b"], folder: folder.path, input: "typed\n")
    let result = try await process.waitForExit()
    #expect(result.output == "typed b unset \(folder.path)\n")
    #expect(result.error == "no\n")
    #expect(result.status == .exited(3))
  }

  @Test func `a child inherits no descriptors`() async throws {
    let first = try RunningProcess("/bin/cat", input: nil)
    let listing = try await RunningProcess("/bin/ls", ["/proc/self/fd"]).waitForExit()
    #expect(listing.lines == ["0", "1", "2", "3"])
    _ = try await first.waitForExit()
  }

  @Test func `a signal ends a process and is reported`() async throws {
    let process = try RunningProcess("/bin/sh", ["-c", "echo ready; exec sleep 3600"])
    try await waitUntil("it is ready") { process.output == "ready\n" }
    process.signal(SIGINT)
    #expect(try await process.waitForExit().status == .signalled(SIGINT))
    #expect(!process.isRunning)
  }

  @Test func `a failed wait says what was seen`() async throws {
    let process = try RunningProcess("/bin/sh", ["-c", "echo so far; exec sleep 3600"])
    try await waitUntil("it is ready") { !process.output.isEmpty }
    let error = await #expect(throws: TimedOut.self) {
      try await process.waitForExit(timeout: .milliseconds(20))
    }
    #expect(error?.description.contains("so far") == true)
  }

  @Test func `a process is killed with its last reference`() async throws {
    var process: RunningProcess? = try RunningProcess("/bin/sleep", ["60"])
    let pid = try #require(process?.pid)
    #expect(kill(pid, 0) == 0)
    process = nil
    try await waitUntil("it is gone") { kill(pid, 0) != 0 }
  }

  @Test func `a program on a terminal has its size, keys and signals`() async throws {
    let terminal = try PseudoTerminalProcess(
      "/bin/sh",
      [
        "-c",
        """
        trap 'stty size' WINCH; stty size; stty -echo -icanon
        printf 'key? '; key=$(dd bs=1 count=1 2>/dev/null); printf '%s\\n' "$key"
        stty echo icanon; read -r line || :; read -r line; printf asleep; exec sleep 3600
        """,
      ], columns: 61, rows: 7)
    try await terminal.waitForScreen("it asks") { $0.text == "7 61\nkey?" }
    #expect(!terminal.echoes && !terminal.readsLines)
    terminal.type("p")
    try await terminal.waitForScreen("it answers") { $0.text == "7 61\nkey? p" }
    try await waitUntil("settings are back") { terminal.echoes && terminal.readsLines }
    terminal.resize(columns: 40, rows: 9)
    terminal.type("\n")
    try await terminal.waitForScreen("it learns the size") { $0.text.contains("9 40") }
    terminal.type("\n\n")
    // A signal that reaches the shell while it waits for stty would be lost.
    try await terminal.waitForScreen("it sleeps") { $0.text.contains("asleep") }
    terminal.type("\u{03}")
    #expect(try await terminal.waitForExit() == .signalled(SIGINT))
  }

  @Test func `the programs of the package are found`() {
    #expect(access(BuiltBinary.podget.path, X_OK) == 0)
    #expect(access(BuiltBinary.demoServer.path, X_OK) == 0)
    #expect(access("\(packageRoot)/Package.swift", R_OK) == 0)
  }
}
