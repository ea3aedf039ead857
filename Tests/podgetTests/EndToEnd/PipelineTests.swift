import Dispatch
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// Sources that are read while episodes of others are downloaded.
@Suite(.serialized) struct PipelineTests {
  @Test func `episodes arrive while the answer about another podcast is awaited`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    let answer = DispatchSemaphore(value: 0)
    server.answerLookups { request in
      guard request.query["id"] == "7" else { return nil }
      answer.wait()
      return Behaviour.Answer(status: 200, body: #"{"resultCount":0,"results":[]}"#)
    }
    // The server's thread ends also when an expectation fails.
    defer { answer.signal() }
    let listener = try Listener(server)
    let process = try listener.start("download", "7", listener.podcast, "--json")
    try await waitUntil("the episode has arrived", seen: { process.output + process.error }) {
      process.output.contains(#""event":"finished""#)
    }
    #expect(listener.files == ["The Symbolic World/2024-01-01 - One.mp3"])
    answer.signal()
    let result = try await process.waitForExit()
    #expect(
      try result.events().names.filter { $0 != "progress" } == [
        "planned", "started", "finished", "failed", "summary",
      ])
    #expect(result.status == .exited(1))
  }

  @Test func `a signal ends the wait for a podcast and the downloads of another`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One", size: 2_000_000)])
    server.hold = 500_000
    let answer = DispatchSemaphore(value: 0)
    server.answerLookups { request in
      guard request.query["id"] == "7" else { return nil }
      answer.wait()
      return nil
    }
    defer { answer.signal() }
    let listener = try Listener(server)
    let process = try listener.start("download", "7", listener.podcast, "--json")
    try await waitUntil("it is in its middle") { listener.partSizes.contains { $0 > 0 } }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    #expect(
      try result.events().names.filter { $0 != "progress" } == [
        "planned", "started", "cancelled", "summary",
      ])
    #expect(listener.partSizes.count == 1)
  }
}
