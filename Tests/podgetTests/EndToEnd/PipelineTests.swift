import Dispatch
import Glibc
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Sources that are read while episodes of others are downloaded.
@Suite(.serialized) struct PipelineTests {
  @Test func `episodes are downloaded during the lookup of another podcast`() async throws {
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

  @Test func `a file that is deleted during another lookup is not reported as there`()
    async throws
  {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    let listener = try Listener(server)
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    let answer = DispatchSemaphore(value: 0)
    let isFirst = Mutex(true)
    server.answerLookups { request in
      // The first one makes podget read the library; the second one comes after the file has gone.
      if request.query["id"] == "7" {
        return Behaviour.Answer(
          status: 200,
          body: #"{"resultCount":1,"results":[{"wrapperType":"track","kind":"podcast","#
            + #""collectionId":7,"collectionName":"Seven"}]}"#)
      }
      if isFirst.withLock({ $0 }) { answer.wait() }
      return nil
    }
    defer { answer.signal() }
    let process = try listener.start("download", "7", listener.podcast, "-v")
    try await waitUntil("the first podcast is read", seen: { process.output + process.error }) {
      process.error.contains("Seven")
    }
    isFirst.withLock { $0 = false }
    unlink(listener.folder.path("library/" + listener.files[0]))
    answer.signal()
    let result = try await process.waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(listener.files.count == 1, "\(result.error)")
  }

  @Test func `a link to a removed episode counts, whichever answer comes first`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    let listener = try Listener(server)
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    #expect(try await listener.run("remove", "1").status == .exited(0))
    let answer = DispatchSemaphore(value: 0)
    server.answerLookups { request in
      if request.query["country"] == "gb" { answer.wait() }
      return nil
    }
    defer { answer.signal() }
    let link = "https://podcasts.apple.com/gb/podcast/id\(listener.podcast)?i=1"
    let process = try listener.start("download", link, listener.podcast, "--json")
    try await waitUntil("the podcast itself has been read", seen: { process.output }) {
      process.output.contains(#""event":"planned""#)
    }
    answer.signal()
    let result = try await process.waitForExit()
    #expect(result.status == .exited(0), "\(result.output)")
    #expect(listener.files.count == 1, "\(result.output)")
  }
}
