import Foundation
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

@Suite("Password commands") struct PasswordCommandTests {
  @Test(
    "words are separated as a person expects",
    arguments: [
      ("pass show a", ["pass", "show", "a"]), ("  a   b ", ["a", "b"]), ("", []), ("''", [""]),
      ("'a b' \"c d\"e", ["a b", "c de"]), ("a'b'c", ["abc"]), ("'$(x)' ;", ["$(x)", ";"]),
      ("'open", ["open"]),
    ]) func words(command: String, words: [String])
  {
    #expect(PasswordCommand.words(command) == words)
  }

  /// Each ends by itself, much later.
  @Test(
    "a command that takes too long is ended, whatever it does",
    arguments: [
      (#"echo $$ >"$1"; exec sleep 3600"#, ChildProgram.Place.command),
      (#"trap '' TERM; echo $$ >"$1"; exec sleep 3600"#, .command),
      (#"ulimit -t 30; echo $$ >"$1"; while :; do echo; done"#, .command),
      // What it starts is ended too, where it has a process group of its own.
      (#"(trap '' TERM; exec sh -c 'echo $$ >"$1"; exec sleep 3600' sh "$1") & wait"#, .unseen),
    ])
  func limit(script: String, place: ChildProgram.Place) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("command", script)
    let clock = SteppedClock()
    let password = Task { () throws(PodgetError) in
      try await PasswordCommand.password(
        from: "sh '\(file)' '\(folder.path("pid"))'", place: place, limit: .seconds(60),
        clock: clock)
    }
    func process() -> pid_t? {
      (try? folder.read("pid")).flatMap { pid_t(String(decoding: $0.dropLast(), as: UTF8.self)) }
    }
    do {
      try await waitUntil("it runs") { process() != nil && clock.sleepers == 1 }
    } catch {
      // No command outlives a test that has failed.
      password.cancel()
      _ = await password.result
      throw error
    }
    clock.advance(by: .seconds(60))
    let result = await password.result
    guard case .failure(let error as PodgetError) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(error.code == .timeout)
    let number = try #require(process())
    try await waitUntil("it has ended") { kill(number, 0) != 0 && errno == ESRCH }
  }
}
