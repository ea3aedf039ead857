import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Partial files that cannot simply be continued.
@Suite(.serialized) struct RestartTests {
  /// Leaves a part of the only episode in the library, as after a broken connection.
  private func begin(_ listener: Listener) async throws {
    let whole = listener.server.episodes[0].behaviour
    listener.server.episodes[0].behaviour = { _ in .cut(.reset, .afterBody(600_000)) }
    let cut = try await listener.run("download", listener.podcast, "--retries", "0")
    #expect(cut.status == .exited(1) && listener.partSizes == [600_000])
    listener.server.episodes[0].behaviour = whole
  }

  @Test func `another version on the server is fetched completely`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One", size: 1 << 20)]))
    try await begin(listener)
    var changed = listener.server.episodes[0]
    changed.bytes = MP3Maker.bytes(seed: 99, length: 900_000)
    changed.etag = "\"another\""
    listener.server.episodes = [changed]
    let resume = try await listener.run("resume", "--json")
    let events = try resume.events()
    #expect(events.names == ["planned", "started", "restarted", "finished", "summary"])
    #expect(events.first("restarted")?["reason"] == "changed")
    #expect(resume.status == .exited(0) && listener.holds(changed))
  }

  @Test func `without a strong validator the file restarts and says so`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One", size: 1 << 20)]))
    listener.server.episodes[0].etag = nil
    listener.server.episodes[0].lastModified = nil
    try await begin(listener)
    let resume = try await listener.run("download", listener.podcast, "--json")
    let events = try resume.events()
    #expect(events.names == ["planned", "started", "restarted", "finished", "summary"])
    #expect(events.first("started")?["resumedFrom"] == 0)
    #expect(events.first("restarted")?["reason"] == "noValidator")
    #expect(resume.status == .exited(0) && listener.holds(listener.server.episodes[0]))
    #expect(listener.server.downloads.last?.request.range == nil)
  }

  @Test func `an equal overlap may replace a validator`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One", size: 1 << 20)]))
    listener.server.episodes[0].etag = nil
    listener.server.episodes[0].lastModified = nil
    try await begin(listener)
    let resume = try await listener.run("resume", "--json", "--resume-by-overlap")
    let resumeNames = try resume.events().names
    #expect(resumeNames == ["planned", "started", "finished", "summary"])
    #expect(resume.status == .exited(0) && listener.holds(listener.server.episodes[0]))
    let start = listener.server.downloads.last?.request.rangeStart
    #expect(try #require(start) == 600_000 - (64 << 10))
  }

  @Test func `a server that ignores ranges gives the right bytes`() async throws {
    let episode = PodcastServer.Episode(1, "One", size: 1 << 20) { _ in
      Behaviour { $0.ignoresRange = true }
    }
    let listener = try Listener(PodcastServer([episode]))
    try await begin(listener)
    let resume = try await listener.run("resume", "--json")
    #expect(try resume.events().outcomes == ["One": "finished"])
    #expect(resume.status == .exited(0) && listener.holds(episode) && listener.partials.isEmpty)
  }

  @Test func `a part without its record restarts`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One", size: 1 << 20)]))
    try await begin(listener)
    let record = try #require(listener.partials.first { $0.hasSuffix(".json") })
    try FileManager.default.removeItem(
      atPath: listener.folder.path("library/.podget/partial/\(record)"))
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.status == .exited(0) && listener.holds(listener.server.episodes[0]))
    #expect(listener.server.downloads.last?.request.range == nil)
  }

  @Test func `a part with a cut record restarts`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One", size: 1 << 20)]))
    try await begin(listener)
    let record = try #require(listener.partials.first { $0.hasSuffix(".json") })
    let text = try listener.read(".podget/partial/\(record)")
    try listener.folder.write("library/.podget/partial/\(record)", text.prefix(text.count / 2))
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.status == .exited(0) && listener.holds(listener.server.episodes[0]))
  }

  @Test func `a foreign file keeps its name and its bytes`() async throws {
    let episode = PodcastServer.Episode(1, "One")
    let listener = try Listener(PodcastServer([episode]))
    let taken = "library/\(listener.path(of: episode))"
    try listener.folder.write(taken, "mine")
    let result = try await listener.run("download", listener.podcast, "--json")
    #expect(result.status == .exited(0))
    #expect(try listener.folder.read(taken) == Array("mine".utf8))
    let path = try #require(try result.events().first("finished")?["path"] as String?)
    #expect(try listener.read(path) == episode.bytes && listener.files.count == 2)
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(try again.events().outcomes == ["One": "skipped"])
  }

  @Test func `a deleted file is fetched again under its name`() async throws {
    let episode = PodcastServer.Episode(1, "One")
    let listener = try Listener(PodcastServer([episode]))
    _ = try await listener.run("download", listener.podcast)
    try FileManager.default.removeItem(
      atPath: listener.folder.path("library/\(listener.path(of: episode))"))
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(try again.events().outcomes == ["One": "finished"])
    #expect(listener.files == [listener.path(of: episode)] && listener.holds(episode))
  }
}
