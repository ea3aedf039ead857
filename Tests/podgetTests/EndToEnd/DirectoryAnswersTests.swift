import LoopbackServer
import TestSupport
import Testing

/// What podget does with a directory that misbehaves.
@Suite(.serialized) struct DirectoryAnswersTests {
  private func events(
    _ lookup: @escaping @Sendable (Request) -> Behaviour.Answer?
  ) async throws -> (result: RunningProcess.Result, server: PodcastServer) {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    server.answerLookups(lookup)
    let listener = try Listener(server)
    return (try await listener.run("download", listener.podcast, "--json"), server)
  }

  @Test func `an empty list means that there is no such podcast`() async throws {
    let (result, _) = try await events { _ in
      Behaviour.Answer(status: 200, body: #"{"resultCount":0,"results":[]}"#)
    }
    #expect(try result.events().first?.code == "notFound")
    #expect(result.status == .exited(1))
  }

  @Test func `a 403 is retried`() async throws {
    let (result, server) = try await events {
      $0.attempt == 1 ? Behaviour.Answer(status: 403) : nil
    }
    #expect(result.status == .exited(0))
    #expect(server.lookups.map(\.status) == [403, 200])
    let resultNames = try result.events().names
    #expect(resultNames == ["planned", "started", "finished", "summary"])
  }

  @Test(arguments: [
    "<!DOCTYPE html><html><body>Busy</body></html>", #"{"resultCount":1,"results":[{"wrap"#,
    #"{"errorMessage":"Invalid value(s) for key(s): [limit]"}"#, "", "null", "[1,",
  ])
  func `an unreadable answer is one clear sentence`(body: String) async throws {
    let (result, server) = try await events { _ in Behaviour.Answer(status: 200, body: body) }
    let events = try result.events()
    #expect(events.names == ["failed", "summary"])
    let failed = try #require(events.first)
    #expect(failed.code == "decoding")
    let message = try #require(failed.message)
    #expect(!message.contains("\n") && message.hasSuffix(".") == !message.contains("Invalid value"))
    #expect(result.error == "1386867488: \(message)\n")
    #expect(result.status == .exited(1))
    #expect(server.downloads.isEmpty)
  }

  @Test func `Apple's own complaint about a bad request is passed on`() async throws {
    let (result, server) = try await events { _ in
      Behaviour.Answer(status: 400, body: #"{"errorMessage":"Invalid value for country."}"#)
    }
    let failed = try #require(try result.events().first)
    #expect(failed.code == "httpStatus" && failed.httpStatus == 400)
    #expect(failed.message?.contains("Invalid value for country.") == true)
    #expect(server.lookups.count == 1)
  }

  @Test func `a proxy that is not there is named`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    var listener = try Listener(server)
    listener.environment["http_proxy"] = "http://localhost:\(try RawClient.unusedPort())"
    listener.environment["no_proxy"] = nil
    let result = try await listener.run("download", listener.podcast, "--json")
    let failed = try #require(try result.events().first)
    #expect(failed.code == "network")
    #expect(failed.message?.contains("the proxy cannot be reached") == true)
    #expect(server.lookups.isEmpty)
  }

  @Test func `a feed that is not compressed as it says cannot be read`() async throws {
    let server = try PodcastServer([])
    server.answerLookups { _ in
      Behaviour.Answer(
        status: 200, fields: [Request.Field("Content-Encoding", "gzip")], body: "not compressed")
    }
    let result = try await Listener(server).run("download", "\(server.origin)/lookup", "--json")
    let failed = try #require(try result.events().first)
    #expect(failed.code == "decoding")
    #expect(failed.message?.contains("compressed answer of 127.0.0.1 cannot be read") == true)
    #expect(server.lookups.count == 1)
  }

  @Test func `a directory that is not there is a network failure`() async throws {
    let server = try PodcastServer([])
    var listener = try Listener(server)
    listener.environment["PODGET_ITUNES_URL"] = "http://127.0.0.1:\(try RawClient.unusedPort())"
    let result = try await listener.run("download", listener.podcast, "--json")
    #expect(try result.events().map(\.name) == ["failed", "summary"])
    #expect(try result.events().first?.code == "network")
    #expect(result.status == .exited(1))
  }

  @Test func `one bad source does not stop the others`() async throws {
    let episode = PodcastServer.Episode(1, "One")
    let listener = try Listener(PodcastServer([episode]))
    let result = try await listener.run("download", "42", listener.podcast, "nonsense", "--json")
    let events = try result.events()
    // In the order in which it is known.
    let failed: [String] = events.filter { $0.name == "failed" }.compactMap { $0["source"] }
    #expect(failed.sorted() == ["42", "nonsense"])
    #expect(events.last?["finished"] == 1 && events.last?["failed"] == 2)
    #expect(result.status == .exited(1))
    #expect(listener.holds(episode))
  }

  @Test func `an episode without an address is reported and is not a failure`() async throws {
    let (result, _) = try await events { request in
      let host = request.first("Host") ?? ""
      return Behaviour.Answer(
        status: 200,
        body: """
          {"results":[{"kind":"podcast","collectionId":1386867488,"collectionName":"P"},
          {"kind":"podcast-episode","collectionId":1386867488,"trackId":7,"trackName":"Paid"},
          {"kind":"podcast-episode","collectionId":1386867488,"trackId":1,"trackName":"One",
          "episodeUrl":"http://\(host)/1.mp3"}]}
          """)
    }
    let resultNames = try result.events().names
    #expect(resultNames == ["planned", "started", "finished", "summary"])
    #expect(result.error.contains("1 episode of P is for subscribers only."))
    #expect(result.status == .exited(0))
  }
}
