import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Unfinished downloads of podcasts that want a login: whichever command continues them logs in.
@Suite struct PrivateResumeTests {
  private static let authorization = "Basic " + Data("ada:secret".utf8).base64EncodedString()

  private let follower: Follower

  init() throws {
    follower = try Follower(["/a": .init(title: "A", [.init(1)])])
    follower.host.authorization = Self.authorization
  }

  private var withUserinfo: String {
    follower.host.origin.replacing("http://", with: "http://ada:secret@") + "/a"
  }

  /// Ends a command while its episode is being transferred.
  private func interrupt(_ arguments: String...) async throws {
    follower.host.mediaRate = 400
    let process = try follower.start(arguments + ["--json"])
    try await waitUntil("bytes arrive", seen: { process.output + process.error }) {
      process.events.contains { $0.name == "progress" }
    }
    process.signal(SIGTERM)
    let result = try await process.waitForExit()
    follower.host.mediaRate = 0
    #expect(result.status == .exited(143), "\(result.error)")
    #expect(follower.episodes.isEmpty)
  }

  private func follow(withCommand: Bool) async throws {
    let login = ["--user", "ada", "--password-command", "echo secret"]
    let source = withCommand ? [follower.host.origin + "/a"] + login : [withUserinfo]
    let result = try await follower.start(["subscribe"] + source).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
  }

  private func expectEpisode(after result: RunningProcess.Result) {
    #expect(result.status == .exited(0), "\(result.output)\(result.error)")
    #expect(follower.episodes.count == 1)
    for entry in follower.host.log {
      #expect(entry.request.first("Authorization") == Self.authorization, "\(entry.path)")
    }
  }

  @Test(
    arguments: [true, false],
    [["sync"], ["resume"], ["resume", "A"], ["verify", "--repair"]])
  func `a followed podcast is continued with its login`(
    withCommand: Bool, command: [String]
  ) async throws {
    try await follow(withCommand: withCommand)
    try await interrupt("sync")
    if command[0] == "verify" {
      let synced = try await follower.run("sync")
      expectEpisode(after: synced)
      let path = try #require(follower.episodes.first)
      try follower.folder.write("library/\(path)", Array("damaged".utf8))
    }
    let result = try await follower.start(command).waitForExit()
    expectEpisode(after: result)
  }

  @Test func `a source with a login finds and continues its own download`() async throws {
    try await interrupt("download", withUserinfo)
    let listed = try await follower.run("list", withUserinfo, "--json")
    #expect(listed.status == .exited(0) && listed.output.contains("partial"), "\(listed.error)")
    expectEpisode(after: try await follower.run("resume", withUserinfo))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends podget while a password command runs`(signal: Int32) async throws {
    try await follow(withCommand: true)
    let started = follower.folder.path("started")
    let slow = try follower.folder.writeProgram(
      "slow", "#!/bin/sh\ntouch '\(started)'\nexec sleep 3600\n")
    let changed = try await follower.run(
      "subscribe", "a", "--user", "ada", "--password-command", slow)
    #expect(changed.status == .exited(0), "\(changed.error)")
    for command in [["sync"], ["show", "a"], ["resume", "a"], ["artwork", "a"]] {
      try? FileManager.default.removeItem(atPath: started)
      let process = try follower.start(command)
      try await waitUntil("the command runs", seen: { process.error }) {
        FileManager.default.fileExists(atPath: started)
      }
      process.signal(signal)
      let result = try await process.waitForExit()
      #expect(result.status == .exited(128 + signal), "\(command): \(result.error)")
    }
  }
}
