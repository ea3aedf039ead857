import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Tags in files that were just downloaded.
@Suite(.serialized) struct TagDownloadTests {
  private let episode = PodcastServer.Episode(1, "Number 1")

  private func isTagged(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "ID3".utf8) && bytes.count > episode.bytes.count
      && bytes.suffix(1000) == episode.bytes.suffix(1000)
  }

  @Test(arguments: ["option", "variable", "file"])
  func `a file is tagged after its download, and is what is reported`(source: String) async throws {
    var listener = try Listener(PodcastServer([episode]))
    var arguments = ["download", listener.podcast, "--json"]
    switch source {
    case "option": arguments.append("--tag")
    case "variable": listener.environment["PODGET_TAG"] = "true"
    default: try listener.folder.write(".config/podget/config.yaml", "tag: true\n")
    }
    let result = try await listener.run(arguments)
    #expect(result.status == .exited(0), "\(result.error)")
    let path = listener.path(of: episode)
    let bytes = try listener.read(path)
    #expect(isTagged(bytes))
    let finished = try #require(try result.events().first("finished"))
    let (now, received) = (try await sha256(bytes), try await sha256(episode.bytes))
    let (sum, count): (String?, Int?) = (finished["sha256"], finished["bytes"])
    #expect(sum == now && count == bytes.count)
    // What was received stays on record.
    let record = String(
      decoding: try listener.folder.read("library/The Symbolic World/.podget.ndjson"),
      as: UTF8.self)
    #expect(record.contains("\"receivedSha256\":\"\(received)\""))
    #expect(try await listener.run("verify", "--json").values("status") == ["ok"])
    let again = try await listener.run(arguments)
    #expect(again.status == .exited(0) && listener.server.downloads.count == 1)
    #expect(try await listener.run("tag", "--undo").status == .exited(0))
    #expect(try listener.read(path) == episode.bytes)
    // An option comes before the others.
    let not = try await listener.run("download", listener.podcast, "--force", "--no-tag")
    #expect(not.status == .exited(0))
    #expect(try listener.read(path) == episode.bytes)
  }

  @Test func `a subscription has its own choice, which an option replaces`() async throws {
    let follower = try Follower([
      "/a.xml": FeedHost.Feed(title: "A", [FeedHost.Item(1)]),
      "/b.xml": FeedHost.Feed(title: "B", [FeedHost.Item(2)]),
    ])
    for (name, option) in [("a", "--tag"), ("b", "--no-tag")] {
      let result = try await follower.run(
        "subscribe", "\(follower.host.origin)/\(name).xml", "--name", name, option)
      #expect(result.status == .exited(0), "\(result.error)")
    }
    func tagged() throws -> [Bool] {
      try follower.folder.files.filter { $0.hasSuffix(".mp3") }
        .map { try follower.folder.read($0).starts(with: "ID3".utf8) }
    }
    #expect(try await follower.run("sync").status == .exited(0))
    #expect(try tagged() == [true, false])
    let list = try await follower.run("subscriptions", "--json")
    #expect(list.output.contains("\"tag\":true") && list.output.contains("\"tag\":false"))
  }

  @Test(arguments: ["public", "login", "unreadable"])
  func `the address of a feed is a tag if the podcast is known to be public`(
    kind: String
  ) async throws {
    let follower = try Follower(["/a.xml": FeedHost.Feed(title: "A", [FeedHost.Item(1)])])
    let address = "\(follower.host.origin)/a.xml"
    if kind == "unreadable" {
      try follower.folder.write("library/.podget/subscriptions.opml", "<opml><body></opm>")
    }
    let source =
      kind == "login" ? address.replacing("http://", with: "http://ann:pw@") : address
    let result = try await follower.run("download", source, "--tag")
    #expect(result.status == .exited(0), "\(result.error)")
    let file = try #require(follower.folder.files.first { $0.hasSuffix(".mp3") })
    let bytes = try follower.folder.read(file)
    #expect(bytes.starts(with: "ID3".utf8))
    #expect((bytes.firstRange(of: Array(address.utf8)) != nil) == (kind == "public"))
  }

  @Test func `Ctrl-C ends it at once, and the next run gives it tags without another request`()
    async throws
  {
    let listener = try Listener(PodcastServer([episode]))
    let programs = try TagPrograms("exec /bin/sleep 600")
    let process = try RunningProcess(
      programs.podget, ["download", listener.podcast, "--tag"], environment: listener.variables)
    try await waitUntil("podget-tag to begin") { programs.hasBegun }
    let start = ContinuousClock.now
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    // Without that it would wait for the program's deadline, which is a minute.
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(!result.error.contains("stopped"), "\(result.error)")
    #expect(
      listener.folder.files.allSatisfy { !$0.contains("podget-copy") && !$0.hasSuffix(".mp3") })
    let again = try await listener.run("download", listener.podcast, "--tag")
    #expect(again.status == .exited(0) && listener.server.downloads.count == 1, "\(again.error)")
    #expect(isTagged(try listener.read(listener.path(of: episode))))
  }

  @Test func `a file that somebody made up is not taken for the tagged one`() async throws {
    let listener = try Listener(PodcastServer([episode]))
    let programs = try TagPrograms("exec /bin/sleep 600")
    let process = try RunningProcess(
      programs.podget, ["download", listener.podcast, "--tag"], environment: listener.variables)
    try await waitUntil("podget-tag to begin") { programs.hasBegun }
    process.signal(SIGINT)
    _ = try await process.waitForExit()
    let part = try #require(listener.folder.files.first { $0.hasSuffix(".part") })
    let key = String(part.split(separator: "/").last?.dropLast(5) ?? "")
    let (path, other) = (listener.path(of: episode), PodcastServer.Episode(9, "Number 9").bytes)
    try listener.folder.write("library/\(path)", other)
    // All that is kept of it is right: it even gives back what was received.
    func version(_ bytes: [UInt8]) async throws -> [String: Any] {
      ["bytes": bytes.count, "sha256": try await sha256(bytes)]
    }
    let parts = path.split(separator: "/")
    let head: [String: Any] = [
      "version": 1, "key": key, "folder": String(parts[0]), "file": String(parts[1]),
      "original": try await version(episode.bytes), "tagged": try await version(other),
    ]
    let count = withUnsafeBytes(of: Int64(episode.bytes.count).bigEndian) { Array($0) }
    let kept = Array(try JSONSerialization.data(withJSONObject: head)) + [0x0A]
    try listener.folder.write(
      "library/.podget/tags/\(key).new",
      kept + [UInt8(ascii: "b")] + count + episode.bytes + [UInt8(ascii: ".")])
    let resumed = try await listener.run("resume")
    #expect(resumed.status == .exited(0), "\(resumed.error)")
    #expect(try listener.read(path) == other)
    let stored = try #require(listener.files.first { $0 != path })
    #expect(isTagged(try listener.read(stored)))
  }

  @Test func `a program that only looks cannot change what was received`() async throws {
    let listener = try Listener(PodcastServer([episode]))
    let programs = try TagPrograms("printf changed >&3\necho")
    let result = try await RunningProcess(
      programs.podget, ["download", listener.podcast, "--tag"], environment: listener.variables
    ).waitForExit()
    #expect(result.status == .exited(0) && programs.hasBegun, "\(result.error)")
    #expect(try listener.read(listener.path(of: episode)) == episode.bytes)
  }

  @Test func `a file that is left alone is said`() async throws {
    let listener = try Listener(PodcastServer([episode]))
    let programs = try TagPrograms("exit 67")
    let result = try await RunningProcess(
      programs.podget, ["download", listener.podcast, "--tag"], environment: listener.variables
    ).waitForExit()
    #expect(result.status == .exited(0))
    #expect(result.error.contains("Number 1: podget does not change tags of this kind"))
  }

  @Test func `without the program the file stays as it was received, with a note`() async throws {
    let listener = try Listener(PodcastServer([episode, PodcastServer.Episode(2, "Number 2")]))
    let programs = try TemporaryFolder()
    let podget = programs.path("podget")
    try FileManager.default.copyItem(atPath: BuiltBinary.podget.path, toPath: podget)
    func download(_ more: String...) async throws -> RunningProcess.Result {
      try await RunningProcess(
        podget, ["download", listener.podcast, "--tag"] + more, environment: listener.variables
      ).waitForExit()
    }
    let missing = try await download()
    #expect(missing.status == .exited(0))
    #expect(missing.error.split(separator: "podget-tag is not installed").count == 2)
    #expect(try listener.read(listener.path(of: episode)) == episode.bytes)
    try programs.writeProgram("podget-tag", "#!/bin/sh\nexit 70\n")
    let failing = try await download("--force")
    #expect(failing.status == .exited(0))
    #expect(failing.error.contains("Number 1: Its tags cannot be written: podget-tag failed (70)."))
    #expect(try listener.read(listener.path(of: episode)) == episode.bytes)
    #expect(try Set(await listener.run("verify", "--json").values("status")) == ["ok"])
  }
}
