import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Which episodes a command line chooses, and what it does with them.
@Suite(.serialized) struct SelectionTests {
  private let listener: Listener
  private let episodes = (1...7).map { PodcastServer.Episode(Int64(8 - $0), "Number \(8 - $0)") }

  init() throws {
    listener = try Listener(PodcastServer(episodes))
  }

  private func chosen(_ arguments: String...) async throws -> [String] {
    let process = try RunningProcess(
      .podget, ["download", listener.podcast, "--dry-run", "--json"] + arguments,
      environment: listener.variables)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(0))
    let events = try result.events()
    #expect(events.last?.name == "summary")
    return events.dropLast().map { event in
      event.name == "planned" ? event.title ?? "" : event.name
    }
  }

  private func titles(_ numbers: Int...) -> [String] { numbers.map { "Number \($0)" } }

  @Test func `the latest five are the default`() async throws {
    #expect(try await chosen() == titles(7, 6, 5, 4, 3))
    #expect(try await chosen("--latest", "2") == titles(7, 6))
    #expect(try await chosen("--all") == titles(7, 6, 5, 4, 3, 2, 1))
    #expect(try await chosen("--latest", "3", "--exclude", "[67]") == titles(5, 4, 3))
    #expect(try await chosen("--match", "number [12]$") == titles(2, 1))
    #expect(try await chosen("--since", "2024-01-06") == titles(7, 6))
    #expect(try await chosen("--since", "2024-01-02", "--until", "2024-01-03") == titles(3, 2))
    #expect(try await chosen("--episode", "2", "--episode", "5") == titles(5, 2))
  }

  @Test func `a dry run changes nothing and asks for no episode`() async throws {
    let result = try await listener.run("download", listener.podcast, "--dry-run")
    #expect(result.output.isEmpty && result.error.contains("Number 7"))
    #expect(result.status == .exited(0))
    #expect(!listener.folder.contains("library"))
    #expect(listener.server.downloads.isEmpty)
  }

  @Test func `an episode's link takes that episode`() async throws {
    let result = try await listener.run(
      "download", "https://podcasts.apple.com/gb/podcast/name/id1386867488?i=3", "--json")
    #expect(try result.events().outcomes == ["Number 3": "finished"])
    #expect(listener.server.lookups.first?.request.query["country"] == "gb")
  }

  @Test func `an unknown episode is a failure`() async throws {
    let result = try await listener.run(
      "download", listener.podcast, "--episode", "99", "--episode", "2", "--json")
    let events = try result.events()
    #expect(events.first?.code == "notFound")
    #expect(events.outcomes["Number 2"] == "finished")
    #expect(result.status == .exited(1))
  }

  @Test func `stdin may name the sources`() async throws {
    let result = try await listener.run(
      "download", "-", "--latest", "1", "--json", input: "# mine\n\n  id1386867488\n")
    #expect(try result.events().outcomes == ["Number 7": "finished"])
    #expect(result.status == .exited(0))
  }

  @Test func `a podcast named twice is fetched once`() async throws {
    let result = try await listener.run(
      "download", listener.podcast, "id\(listener.podcast)", "--latest", "2", "--json")
    let events = try result.events()
    #expect(events.outcomes == ["Number 7": "finished", "Number 6": "finished"])
    #expect(events.last?["finished"] == 2 && result.status == .exited(0))
    #expect(listener.server.downloads.count == 2 && listener.files.count == 2)
  }

  @Test func `force fetches existing episodes again`() async throws {
    _ = try await listener.run("download", listener.podcast, "--latest", "1")
    let result = try await listener.run(
      "download", listener.podcast, "--latest", "1", "--force", "--json")
    let resultNames = try result.events().names
    #expect(resultNames == ["planned", "started", "finished", "summary"])
    #expect(listener.server.downloads.count == 2)
    #expect(listener.files == [listener.path(of: episodes[0])])
    #expect(listener.holds(episodes[0]))
    #expect(listener.partials.isEmpty)
  }

  @Test func `quiet writes failures only`() async throws {
    let good = try await listener.run("download", listener.podcast, "--latest", "1", "--quiet")
    #expect(good.output.isEmpty && good.error.isEmpty && good.status == .exited(0))
    var gone = episodes[1]
    gone.behaviour = { _ in .answers(404) }
    listener.server.episodes = [episodes[0], gone]
    let bad = try await listener.run("download", listener.podcast, "--quiet")
    #expect(bad.output.isEmpty && bad.status == .exited(1))
    #expect(bad.error.split(separator: "\n").count == 1)
    #expect(bad.error.contains("Number 6") && bad.error.contains("404"))
  }

  @Test func `the library is from the option, the variable or the home folder`() async throws {
    var home = listener
    home.environment["PODGET_LIBRARY"] = ""
    _ = try await home.run("download", home.podcast, "--latest", "1")
    #expect(home.folder.contains("Podcasts/\(home.path(of: episodes[0]))"))
    _ = try await home.run("download", home.podcast, "--latest", "1", "-d", "here/and there")
    #expect(home.folder.contains("here/and there/\(home.path(of: episodes[0]))"))
    #expect(!listener.folder.contains("library"))
    _ = try await listener.run("download", listener.podcast, "--latest", "1")
    #expect(listener.holds(episodes[0]))
  }

  @Test(arguments: [
    ["download"], ["download", "1", "--latest", "x"], ["download", "1", "--latest=-1"],
    ["download", "1", "--match", "("], ["download", "1", "--since", "yesterday"],
    ["download", "1", "--jobs", "0"], ["download", "1", "--nonsense"], ["nonsense"],
    ["download", "1", "--latest", "1", "--all"], ["download", "1", "--stall-timeout", "0"],
    ["download", "1", "--quiet", "--verbose"], ["resume", "--latest", "1"],
  ])
  func `a wrong command line ends with 64 and touches nothing`(arguments: [String]) async throws {
    let result = try await RunningProcess(
      .podget, arguments, environment: listener.variables
    ).waitForExit()
    #expect(result.status == .exited(64))
    #expect(result.output.isEmpty && !result.error.isEmpty)
    #expect(!listener.folder.contains("library") && listener.server.lookups.isEmpty)
  }

  @Test func `a wrong variable ends with 64`() async throws {
    var wrong = listener
    wrong.environment["PODGET_RETRIES"] = "many"
    let result = try await wrong.run("download", wrong.podcast, "--json")
    #expect(result.status == .exited(64) && result.output.isEmpty)
    #expect(result.error.contains("PODGET_RETRIES"))
  }
}
