import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Artwork in `podget browse`, as a terminal gets it.
@Suite(.serialized) struct BrowseImagesTests {
  private let host: ArtworkHost

  init() throws { host = try ArtworkHost() }

  private func start(
    _ arguments: [String] = [], environment: [String: String] = [:]
  ) async throws -> PseudoTerminalProcess {
    let process = try PseudoTerminalProcess(
      .podget, ["browse", host.feed] + arguments,
      environment: host.environment.merging(environment) { $1 }, folder: host.folder.path)
    try await process.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    return process
  }

  private func quit(_ process: PseudoTerminalProcess) async throws {
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  /// What is written after the last image was placed.
  private func end(_ process: PseudoTerminalProcess) throws -> Substring {
    let output = process.output
    let placed = try #require(output.ranges(of: "_Ga=p,").last)
    return output[placed.upperBound...]
  }

  /// Checks that the images are deleted before the screen is left.
  private func requireDeleted(_ process: PseudoTerminalProcess) throws {
    let end = try end(process)
    let deleted = try #require(end.firstRange(of: "_Ga=d,d=I,i="))
    let left = try #require(end.firstRange(of: "\u{1B}[?1049l"))
    #expect(deleted.upperBound < left.lowerBound)
  }

  @Test func `kitty gets the image after the cells, and it is deleted at the end`() async throws {
    let process = try await start(["--images", "kitty"])
    try await waitUntil("the image is placed") { process.output.contains("_Ga=p,") }
    let output = process.output
    let listed = try #require(output.firstRange(of: "Number 9"))
    let sent = try #require(output.firstRange(of: "_Ga=t,"))
    let placed = try #require(output.firstRange(of: "_Ga=p,"))
    #expect(listed.upperBound < sent.lowerBound && sent.upperBound < placed.lowerBound)
    for part in output.components(separatedBy: "\u{1B}_").dropFirst() {
      let end = try #require(part.firstRange(of: "\u{1B}\\"))
      #expect(part[..<end.lowerBound].utf8.count < 4096)
    }
    // What is over it takes it away, and it comes back without its pixels.
    process.type("?")
    try await process.waitForScreen("the help is shown") { $0.lines[1].hasPrefix(" Keys") }
    try await waitUntil("it is taken away") { process.output.contains("_Ga=d,d=i,") }
    process.type("\u{1B}")
    try await waitUntil("it is placed again") {
      process.output.ranges(of: "_Ga=p,").count == 2
    }
    #expect(process.output.ranges(of: "_Ga=t,").count == 1)
    try await quit(process)
    try requireDeleted(process)
  }

  @Test(arguments: [SIGKILL, SIGSEGV, SIGTERM])
  func `images are deleted whatever the program died of`(signal: Int32) async throws {
    let process = try await start(["--images", "kitty"])
    try await waitUntil("the image is placed") { process.output.contains("_Ga=p,") }
    kill(try process.startedProgram(), signal)
    _ = try await process.waitForExit()
    try requireDeleted(process)
    #expect(process.echoes && process.screen.isCursorVisible)
  }

  @Test func `blocks at once, and the image when the terminal has answered`() async throws {
    let process = try await start()
    let output = process.output
    let asked = try #require(output.firstRange(of: "\u{1B}[>q\u{1B}_Gi=31,"))
    #expect(output[asked.upperBound...].contains("Number 9"))
    try await process.waitForScreen("half blocks are shown") { $0.lines[1].hasPrefix(" ▀▀▀▀▀") }
    #expect(process.output.contains("48;5;196m") && !process.output.contains("?2026h"))
    process.type(
      "\u{1B}P>|kitty(0.26.5)\u{1B}\\\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t"
        + "\u{1B}[?2026;2$y\u{1B}[?62;c")
    try await waitUntil("the image is placed") { process.output.contains("_Ga=p,") }
    // 12 by 6 cells of 10 by 20 pixels.
    #expect(process.output.contains("f=32,s=120,v=120,"))
    #expect(process.output.contains("c=12,r=6,"))
    #expect(process.output.contains("\u{1B}[?2026h"))
    try await process.waitForScreen("the blocks are gone") { screen in
      screen.lines[1].hasPrefix("               The Feed") && screen.lines[8].contains("Number 9")
    }
    // No answer was a key.
    #expect(process.screen.lines[23].hasPrefix(" ? help"))
    try await quit(process)
    try requireDeleted(process)
  }

  @Test func `sixels when the terminal says that it has them`() async throws {
    let process = try await start()
    process.type("\u{1B}[6;20;10t\u{1B}[?1;0;256S\u{1B}[?63;1;4c")
    try await waitUntil("the image is drawn") {
      process.output.contains("\u{1B}P0;1;0q\"1;1;120;120#0;2;100;0;0#0!120~-")
    }
    try await quit(process)
    #expect(!process.output.contains("_Ga="))
  }

  @Test(arguments: [
    ["TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"], ["STY": "1.pts-0"],
  ])
  func `tmux and screen are asked nothing and get blocks`(
    environment: [String: String]
  ) async throws {
    let process = try await start(environment: environment)
    try await process.waitForScreen("half blocks are shown") { $0.lines[1].hasPrefix(" ▀▀▀▀▀") }
    try await quit(process)
    #expect(!process.output.contains("\u{1B}[c") && !process.output.contains("\u{1B}_"))
  }

  @Test func `24 bits where the terminal has them`() async throws {
    let process = try await start(environment: ["COLORTERM": "truecolor"])
    try await process.waitForScreen("half blocks are shown") { $0.lines[1].hasPrefix(" ▀▀▀▀▀") }
    #expect(process.output.contains("38;2;255;0;0;48;2;255;0;0m"))
    try await quit(process)
  }

  @Test(
    arguments: [
      (["--images", "none"], [:]), ([], ["NO_COLOR": "1"]), (["--color", "never"], [:]),
      ([], ["PODGET_IMAGES": "none"]), ([], ["LANG": "C"]), ([], ["TERM": "linux"]),
    ] as [([String], [String: String])])
  func `without images none is asked for`(
    arguments: [String], environment: [String: String]
  ) async throws {
    let process = try await start(arguments, environment: environment)
    #expect(process.screen.lines[3].contains("Number 9"))
    process.type("\u{1B}[?62c")
    process.type("i")
    try await process.waitForScreen("the details are shown") {
      $0.text.contains("nothing more about this episode")
    }
    process.type("q")
    try await quit(process)
    #expect(host.imageRequests == 0)
    #expect(!process.output.contains("▀") && !process.output.contains("_Ga="))
    #expect(!FileManager.default.fileExists(atPath: host.folder.path("library/.podget/artwork")))
  }

  @Test func `an image that is not there leaves a sign, and keys work meanwhile`() async throws {
    host.isHeld = true
    host.isMissing = true
    let process = try await start()
    try await waitUntil("the image is asked for") { host.imageRequests == 1 }
    #expect(process.screen.lines[1].hasPrefix(" ░░░░░░░░░░░░  The Feed"))
    process.type("f9")
    try await process.waitForScreen("the filter is applied") { !$0.text.contains("Number 8") }
    process.type("\u{1B}")
    try await process.waitForScreen("the filter is gone") { $0.text.contains("Number 8") }
    host.isHeld = false
    try await process.waitForScreen("the sign and the reason are shown") { screen in
      let reason = screen.lines[2...6].map { line in
        String(line.prefix(14)).trimmingCharacters(in: .whitespaces)
      }
      return screen.lines[1].hasPrefix("      ✗")
        && reason.joined(separator: " ") == "127.0.0.1 answered with the error HTTP 404."
    }
    try await quit(process)
  }

  @Test func `an image that never comes delays nothing`() async throws {
    host.isHeld = true
    let process = try await start()
    try await waitUntil("the image is asked for") { host.imageRequests == 1 }
    process.type("\u{1B}")
    try await process.waitForScreen("the podcast is left") { $0.lines[1].hasPrefix(" Subscript") }
    try await quit(process)
    // Nor does one that is waited for.
    let other = try await start()
    try await waitUntil("the image is asked for again") { host.imageRequests == 2 }
    try await quit(other)
    host.isHeld = false
  }

  @Test func `the library keeps the image`() async throws {
    for _ in 0..<2 {
      let process = try await start()
      try await process.waitForScreen("half blocks are shown") { $0.lines[1].hasPrefix(" ▀▀▀▀▀") }
      try await quit(process)
    }
    #expect(host.imageRequests == 1)
    #expect(host.folder.files.count { $0.hasPrefix("library/.podget/artwork/") } == 1)
  }

  @Test func `a library that cannot be written is no reason for no image`() async throws {
    try host.folder.write("library/.podget/artwork", "a file")
    let process = try await start()
    try await process.waitForScreen("half blocks are shown") { $0.lines[1].hasPrefix(" ▀▀▀▀▀") }
    try await quit(process)
  }

  @Test func `a window that becomes small has no image, and gets it back`() async throws {
    let process = try await start(["--images", "kitty"])
    try await waitUntil("the image is placed") { process.output.contains("_Ga=p,") }
    process.resize(columns: 40, rows: 12)
    try await process.waitForScreen("it is small") { screen in
      screen.lines.count == 12 && screen.lines[3].contains("Number 9")
    }
    #expect(try end(process).contains("_Ga=d,d=I,"))
    process.resize(columns: 120, rows: 40)
    try await waitUntil("it is larger") { process.output.contains("c=20,r=10,") }
    try await quit(process)
    try requireDeleted(process)
  }
}
