import LoopbackServer
import TestSupport
import Testing

/// Episodes that cannot be downloaded, with others that can.
@Suite(.serialized) struct FailureTests {
  @Test func `each failure has its code and the others arrive`() async throws {
    let page = "<!DOCTYPE html>\n<html><body>Please log in.</body></html>"
    let episodes = [
      PodcastServer.Episode(5, "Here"),
      PodcastServer.Episode(4, "Gone") { _ in .answers(404) },
      PodcastServer.Episode(3, "Page") { _ in
        .answers(200, fields: [Request.Field("Content-Type", "audio/mpeg")], body: page)
      },
      PodcastServer.Episode(2, "Stuck") { _ in .cut(.stall, .afterBody(20_000)) },
      PodcastServer.Episode(1, "There"),
    ]
    let listener = try Listener(PodcastServer(episodes))
    let result = try await listener.run(
      "download", listener.podcast, "--json", "--stall-timeout", "2", "--retries", "1")
    let events = try result.events()
    #expect(
      events.outcomes == [
        "Here": "finished", "Gone": "failed", "Page": "failed", "Stuck": "failed",
        "There": "finished",
      ])
    let codes = episodes[1...3].map { events.of($0).last?.code }
    #expect(codes == ["httpStatus", "notAudio", "timeout"])
    #expect(events.of(episodes[1]).last?.httpStatus == 404)
    #expect(events.of(episodes[2]).last?.httpStatus == nil)
    #expect(events.last?["finished"] == 2 && events.last?["failed"] == 3)
    #expect(result.status == .exited(1))
    #expect(listener.holds(episodes[0]) && listener.holds(episodes[4]))
    #expect(listener.files.count == 2)
    // What failed permanently is requested once; a stalled download is retried where it stopped.
    #expect(episodes[1...3].map { listener.server.downloads(of: $0).count } == [1, 1, 2])
    #expect(listener.partSizes == [20_000])
    for sentence in events.compactMap(\.message) {
      #expect(sentence.hasSuffix(".") && !sentence.contains("\n"))
      #expect(result.error.contains("The Symbolic World: "))
    }

    // Only what may still succeed is retried, unless the podcast is named.
    let before = listener.server.downloads.count
    let resume = try await listener.run(
      "resume", "--json", "--stall-timeout", "2", "--retries", "0")
    #expect(try resume.events().outcomes == ["Stuck": "failed"])
    #expect(listener.server.downloads.count == before + 1)
    #expect(resume.status == .exited(1))

    listener.server.episodes = episodes.map { episode in
      var mended = episode
      mended.behaviour = { _ in Behaviour() }
      return mended
    }
    let named = try await listener.run("resume", listener.podcast, "--json")
    #expect(
      try named.events().outcomes == ["Gone": "finished", "Page": "finished", "Stuck": "finished"])
    #expect(named.status == .exited(0) && listener.partials.isEmpty)
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test func `two episodes with one title and one date are two files`() async throws {
    let episodes = [1, 2].map {
      PodcastServer.Episode($0, "Same title", date: "2024-02-03T06:00:00Z")
    }
    let listener = try Listener(PodcastServer(episodes))
    let result = try await listener.run("download", listener.podcast, "--json")
    #expect(result.status == .exited(0))
    #expect(listener.files.count == 2)
    let contents = Set(try listener.files.map(listener.read))
    #expect(contents == Set(episodes.map(\.bytes)))
    let first = try result.events().filter { $0.name == "planned" }.compactMap {
      $0["path"] as String?
    }
    #expect(Set(first) == Set(listener.files))
    let again = try await listener.run("download", listener.podcast, "--json")
    let againNames = try again.events().names
    #expect(againNames == ["skipped", "skipped", "summary"])
    #expect(again.status == .exited(0) && listener.server.downloads.count == 2)
  }

  @Test(arguments: [Behaviour.Cut.close, .reset])
  func `a connection that breaks is continued from where it was`(cut: Behaviour.Cut) async throws {
    let episode = PodcastServer.Episode(1, "One", size: 1 << 20) {
      $0.attempt == 1 ? .cut(cut, .afterBody(600_000)) : Behaviour()
    }
    let listener = try Listener(PodcastServer([episode]))
    let result = try await listener.run("download", listener.podcast, "--json")
    let resultNames = try result.events().names
    #expect(resultNames == ["planned", "started", "retrying", "finished", "summary"])
    #expect(listener.holds(episode))
    let start = listener.server.downloads(of: episode).last?.request.rangeStart
    #expect(try #require(start) == 600_000 - (64 << 10))
  }

  @Test func `without retries one attempt is made, and resume continues it`() async throws {
    let episode = PodcastServer.Episode(1, "One", size: 1 << 20) {
      $0.attempt == 1 ? .cut(.reset, .afterBody(600_000)) : Behaviour()
    }
    let listener = try Listener(PodcastServer([episode]))
    let result = try await listener.run("download", listener.podcast, "--json", "--retries", "0")
    let resultNames = try result.events().names
    #expect(resultNames == ["planned", "started", "failed", "summary"])
    #expect(result.status == .exited(1) && listener.partSizes == [600_000])
    let resume = try await listener.run("resume", "--json")
    let resumeNames = try resume.events().names
    #expect(resumeNames == ["planned", "started", "finished", "summary"])
    #expect(resume.status == .exited(0) && listener.holds(episode))
    #expect(listener.server.lookups.count == 1 && listener.server.downloads.count == 2)
  }

  @Test func `a library that is no folder fails before anything is asked`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One")]))
    try listener.folder.write("library", "a file")
    let result = try await listener.run("download", listener.podcast, "--json")
    let events = try result.events()
    #expect(events.names == ["failed", "summary"] && events.first?.code == "disk")
    #expect(result.status == .exited(1) && listener.server.downloads.isEmpty)
  }
}
