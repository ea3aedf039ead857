import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Artwork in `podget browse` while the shell has the terminal.
@Suite(.serialized) struct BrowseImageJobsTests {
  private let host: ArtworkHost

  init() throws { host = try ArtworkHost() }

  @Test func `of an image that is stopped halfway the shell gets nothing`() async throws {
    let process = try PseudoTerminalProcess(
      .podget, ["browse", host.feed, "--images", "kitty"], environment: host.environment,
      folder: host.folder.path, columns: 200, rows: 60)
    try await waitUntil("the image is placed") { process.output.contains("_Ga=p,") }
    // The terminal takes a part of the next image and no more.
    process.takesOutput = false
    var columns = 200
    try await waitUntil("the terminal is full") {
      // Each size is a frame from nothing, with the image.
      columns = columns == 200 ? 199 : 200
      process.resize(columns: columns, rows: 60)
      return process.isFull
    }
    // podget continues the program at once: there is no shell.
    kill(try process.startedProgram(), SIGTSTP)
    try await Task.sleep(for: .milliseconds(300))
    process.takesOutput = true
    try await waitUntil("the screen is used again") {
      process.output.ranges(of: "\u{1B}[?1049h").count > 1
    }
    let output = process.output
    let left = try #require(output.firstRange(of: "\u{1B}[?1049l"))
    let rest = output[left.upperBound...]
    let entered = try #require(rest.firstRange(of: "\u{1B}[?1049h"))
    #expect(rest[..<entered.lowerBound].replacingOccurrences(of: "\u{1B}\\", with: "") == "")
    process.type("q")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `a program that begins in the background asks in the foreground`() async throws {
    let shell = try PseudoTerminalProcess(
      "/bin/bash", ["--norc", "--noprofile", "-i"], environment: host.environment,
      folder: host.folder.path)
    shell.type("'\(BuiltBinary.podget.path)' browse '\(host.feed)' &\r")
    try await waitUntil("the feed is read") { !host.server.log.isEmpty }
    #expect(!shell.output.contains("\u{1B}[>q"))
    shell.type("fg\r")
    try await shell.waitForScreen("the episodes are listed") { $0.text.contains("Number 9") }
    #expect(shell.output.contains("\u{1B}[>q"))
    shell.type("q")
    try await waitUntil("the screen is left") { shell.output.contains("\u{1B}[?1049l") }
  }
}
