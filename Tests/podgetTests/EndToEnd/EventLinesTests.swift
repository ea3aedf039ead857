import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The lines that scripts read, to the letter.
@Suite(.serialized) struct EventLinesTests {
  private let podcast = #""podcast":{"id":1386867488,"title":"The Symbolic World","feedUrl":null}"#

  @Test func `two episodes are reported in order with every member`() async throws {
    let episodes = [
      PodcastServer.Episode(2, "Zwei – \"zwei\" / 2"), PodcastServer.Episode(1, "One"),
    ]
    let listener = try Listener(PodcastServer(episodes))
    let result = try await listener.run("download", listener.podcast, "--json", "--jobs", "1")
    let two =
      podcast
      + #","episode":{"id":2,"guid":null,"title":"Zwei – \"zwei\" / 2","date":"2024-01-02T06:00:00Z"}"#
    let one =
      podcast + #","episode":{"id":1,"guid":null,"title":"One","date":"2024-01-01T06:00:00Z"}"#
    let events = try result.events()
    let paths = try events.filter { $0.name == "planned" }.map {
      try #require($0["path"] as String?)
    }
    #expect(paths.count == 2)
    #expect(paths.last == "The Symbolic World/2024-01-01 - One.mp3")
    let texts = result.lines.filter { !$0.contains(#""event":"progress""#) }
    let sums = [try await sha256(episodes[0].bytes), try await sha256(episodes[1].bytes)]
    let sizes = episodes.map(\.bytes.count)
    #expect(
      texts.prefix(2) == [
        #"{"event":"planned",\#(two),"path":"\#(paths[0])","total":null}"#,
        #"{"event":"planned",\#(one),"path":"\#(paths[1])","total":null}"#,
      ])
    // The second may begin while the first one is being synced.
    for (index, episode) in [two, one].enumerated() {
      #expect(
        texts.dropFirst(2).filter { $0.contains(episode) } == [
          #"{"event":"started",\#(episode),"resumedFrom":0}"#,
          #"{"event":"finished",\#(episode),"path":"\#(paths[index])","bytes":\#(sizes[index]),"#
            + #""sha256":"\#(sums[index])"}"#,
        ])
    }
    #expect(
      texts.last == #"{"event":"summary","finished":2,"skipped":0,"failed":0,"cancelled":0,"#
        + #""bytes":\#(sizes[0] + sizes[1])}"#)
    #expect(texts.count == 7)
    #expect(result.status == .exited(0))
    #expect(listener.files == paths.reversed())
  }

  @Test func `progress grows and names received and total`() async throws {
    let episode = PodcastServer.Episode(1, "One", size: 1 << 20) { _ in
      Behaviour { $0.rate = 2 << 20 }
    }
    let listener = try Listener(PodcastServer([episode]))
    let start = ContinuousClock.now
    let result = try await listener.run("download", listener.podcast, "--json")
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let progress = try result.events().filter { $0.name == "progress" }
    #expect(progress.first?.memberNames == ["event", "podcast", "episode", "received", "total"])
    let received = progress.compactMap { $0["received"] as Int? }
    #expect(received == received.sorted() && received.count == progress.count)
    #expect(progress.allSatisfy { $0["total"] == episode.bytes.count })
    #expect(progress.count >= 2 && Double(progress.count) <= 10 * seconds + 1)
  }

  @Test func `a second run skips what is there and asks for no episode`() async throws {
    let episode = PodcastServer.Episode(1, "One")
    let listener = try Listener(PodcastServer([episode]))
    _ = try await listener.run("download", listener.podcast)
    let result = try await listener.run("download", listener.podcast, "--json")
    #expect(
      result.lines == [
        #"{"event":"skipped",\#(podcast),"episode":{"id":1,"guid":null,"title":"One","date":"2024-01-01T06:00:00Z"},"path":"The Symbolic World/2024-01-01 - One.mp3","reason":"alreadyDownloaded"}"#,
        #"{"event":"summary","finished":0,"skipped":1,"failed":0,"cancelled":0,"bytes":0}"#,
      ])
    #expect(result.status == .exited(0))
    #expect(listener.server.downloads.count == 1)
  }

  @Test func `a failed episode has its code and its status`() async throws {
    let gone = PodcastServer.Episode(1, "Gone") { _ in .answers(404) }
    let listener = try Listener(PodcastServer([gone]))
    let result = try await listener.run("download", listener.podcast, "--json")
    let failed = try #require(try result.events().first("failed"))
    #expect(failed.memberNames == ["event", "podcast", "episode", "error"])
    let message = try #require(failed.message)
    #expect(
      failed.description.hasSuffix(
        #""error":{"code":"httpStatus","message":"\#(message)","httpStatus":404}}"#))
    let resultNames = try result.events().names
    #expect(resultNames == ["planned", "started", "failed", "summary"])
    #expect(result.status == .exited(1))
    #expect(listener.server.downloads.count == 1)
  }

  @Test func `a source that cannot be read is a failure of its own`() async throws {
    let listener = try Listener(PodcastServer([]))
    let result = try await listener.run("download", "42", "--json")
    let events = try result.events()
    let failed = try #require(events.first)
    #expect(failed.memberNames == ["event", "source", "podcast", "episode", "error"])
    let message = try #require(failed.message)
    #expect(
      result.lines == [
        #"{"event":"failed","source":"42","podcast":null,"episode":null,"error":{"code":"notFound","message":"\#(message)","httpStatus":null}}"#,
        #"{"event":"summary","finished":0,"skipped":0,"failed":1,"cancelled":0,"bytes":0}"#,
      ])
    #expect(result.status == .exited(1))
    #expect(result.error.contains(message))
  }

  @Test func `a retry has its number, its delay and its reason`() async throws {
    let episode = PodcastServer.Episode(1, "One") { $0.attempt == 1 ? .answers(503) : Behaviour() }
    let listener = try Listener(PodcastServer([episode]))
    let result = try await listener.run(
      "download", listener.podcast, "--json", "--retry-delay", "0.01")
    let events = try result.events()
    #expect(events.names == ["planned", "started", "retrying", "finished", "summary"])
    let retrying = try #require(events.first("retrying"))
    #expect(
      retrying.memberNames == ["event", "podcast", "episode", "attempt", "delay", "reason"])
    #expect(retrying["attempt"] == 2 && retrying["reason"] == "httpStatus")
    let delay = try #require(retrying["delay"] as Double?)
    #expect((0...0.01).contains(delay))
    #expect(listener.holds(episode))
  }

  @Test func `the summary comes when nothing was planned`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One")]))
    let empty = #"{"event":"summary","finished":0,"skipped":0,"failed":0,"cancelled":0,"bytes":0}"#
    let none = try await listener.run(
      "download", listener.podcast, "--match", "nothing of the kind", "--json")
    #expect(none.lines == [empty] && none.status == .exited(0))
    let resume = try await listener.run("resume", "--json")
    #expect(resume.lines == [empty] && resume.status == .exited(0))
    #expect(listener.server.downloads.isEmpty && listener.server.lookups.count == 1)
  }

  @Test func `stdout is empty without JSON`() async throws {
    let listener = try Listener(PodcastServer([PodcastServer.Episode(1, "One")]))
    let first = try await listener.run("download", listener.podcast)
    let resume = try await listener.run("resume")
    let failed = try await listener.run("download", "42")
    #expect(first.output.isEmpty && resume.output.isEmpty && failed.output.isEmpty)
    #expect(first.error.contains("The Symbolic World — Jonathan Pageau (1 episode)\n"))
    #expect(first.error.contains("One") && !first.error.contains("\u{1B}"))
    #expect(first.status == .exited(0) && resume.status == .exited(0))
    #expect(failed.status == .exited(1))
  }

  @Test func `a reader that closes does not stop the download`() async throws {
    let episodes = (1...3).map { id in
      PodcastServer.Episode(Int64(id), "Number \(id)") { _ in Behaviour { $0.rate = 256 << 10 } }
    }
    let listener = try Listener(PodcastServer(episodes))
    let status = listener.folder.path("status")
    let shell = try RunningProcess(
      "/bin/bash",
      [
        "-c", #"{ "$0" download "$1" --json; echo $? > "$2"; } | head -n 1"#,
        BuiltBinary.podget.path, listener.podcast, status,
      ], environment: listener.variables)
    let result = try await shell.waitForExit()
    #expect(result.lines.count == 1)
    #expect(try listener.folder.read("status") == Array("0\n".utf8))
    for episode in episodes { #expect(listener.holds(episode)) }
  }

  @Test func `closed standard streams are not reused`() async throws {
    let episode = PodcastServer.Episode(1, "One", size: 1 << 20)
    let listener = try Listener(PodcastServer([episode]))
    listener.server.hold = 512 << 10
    let process = try RunningProcess(
      "/bin/sh",
      [
        "-c", #"exec "$0" download "$1" --json <&- >&- 2>&-"#, BuiltBinary.podget.path,
        listener.podcast,
      ], environment: listener.variables)
    try await waitUntil("it downloads") { listener.partSizes.contains { $0 > 0 } }
    let streams = (0...2).map { number in
      try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(process.pid)/fd/\(number)")
    }
    #expect(streams.allSatisfy { $0 == nil || $0 == "/dev/null" })
    listener.server.hold = nil
    #expect(try await process.waitForExit().status == .exited(0))
    #expect(listener.holds(episode))
  }
}
