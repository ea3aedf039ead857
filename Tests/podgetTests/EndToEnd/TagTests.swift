import Foundation
import TestSupport
import Testing

/// Tags in the files of a library, and the files as they were.
@Suite(.serialized) struct TagTests {
  private static let names = [
    "titled.mp3", "end.m4a", "start.m4a", "short.flac", "short.ogg", "short.opus",
  ]
  let listener: Listener

  init() async throws {
    let episodes = try Self.names.enumerated().map { place, name in
      var episode = PodcastServer.Episode(Int64(place + 1), "Number \(place + 1)")
      episode.bytes = [UInt8](try Fixtures.data("audio/\(name)"))
      return episode
    }
    listener = try Listener(PodcastServer(episodes))
    let result = try await listener.run("download", listener.podcast, "--all")
    #expect(result.status == .exited(0), "\(result.error)")
  }

  func contents() throws -> [String: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: try listener.files.map { ($0, try listener.read($0)) })
  }

  func path(_ number: Int) throws -> String {
    try #require(listener.files.first { $0.contains("Number \(number).") })
  }

  func statuses(_ result: RunningProcess.Result) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in result.lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      counts[object?["status"] as? String ?? "none", default: 0] += 1
    }
    return counts
  }

  /// What the folder for originals has.
  var kept: [String] {
    listener.folder.files.filter { $0.hasPrefix("library/.podget/tags/") }
  }

  func tag(_ arguments: String...) async throws -> RunningProcess.Result {
    let result = try await listener.run(["tag", "--json"] + arguments)
    // Nothing is left beside the files.
    let hidden = listener.folder.files.filter { $0.contains("podget-copy") }
    #expect(hidden == [] && listener.partials == [])
    return result
  }

  @Test func `each format is tagged, verified, not fetched again, and given back`() async throws {
    let before = try contents()
    let dry = try await tag("--dry-run")
    #expect(try statuses(dry) == ["planned": 6] && dry.status == .exited(0))
    #expect(try contents() == before && kept == [])

    let tagged = try await tag()
    #expect(try statuses(tagged) == ["tagged": 6] && tagged.status == .exited(0))
    let now = try contents()
    #expect(now.keys == before.keys)
    for (name, bytes) in before { #expect(now[name] != bytes, "\(name)") }
    #expect(kept.count == 6 && kept.allSatisfy { $0.hasSuffix(".undo") })
    // The modification time stays the day of publication.
    let attributes = try FileManager.default.attributesOfItem(
      atPath: listener.folder.path("library/\(path(3))"))
    #expect(
      (attributes[.modificationDate] as? Date)?.formatted(.iso8601) == "2024-01-03T06:00:00Z")
    #expect((attributes[.posixPermissions] as? Int) == 0o644)

    let verified = try await listener.run("verify", "--json")
    #expect(try Set(verified.values("status")) == ["ok"], "\(verified.output)")
    let requests = listener.server.downloads.count
    let again = try await listener.run("download", listener.podcast, "--all")
    #expect(again.status == .exited(0) && listener.server.downloads.count == requests)
    #expect(try statuses(try await tag()) == ["unchanged": 6])
    #expect(try contents() == now)

    let undone = try await tag("--undo")
    #expect(try statuses(undone) == ["restored": 6] && undone.status == .exited(0))
    #expect(try contents() == before && kept == [])
    #expect(try Set(await listener.run("verify", "--json").values("status")) == ["ok"])
    #expect(try statuses(try await tag("--undo")) == ["unchanged": 6])
  }

  @Test func `what is missing later is added, and undo gives back the received bytes`()
    async throws
  {
    let before = try contents()
    _ = try await tag("Number 6")
    let once = try listener.read(path(6))
    #expect(try contents().filter { before[$0] != $1 }.count == 1)
    // Another podget, or an edit, knows an author only now.
    _ = try await listener.run("edit", "Number 5", "--title", "Other")
    #expect(try statuses(try await tag("Other")) == ["tagged": 1])
    let five = try listener.read(path(5))
    #expect(String(decoding: five, as: UTF8.self).contains("TITLE=Other"))
    #expect(try listener.read(path(6)) == once)
    #expect(
      try statuses(try await tag("--undo", "--source", listener.podcast)) == [
        "restored": 2, "unchanged": 4,
      ])
    #expect(try contents() == before)
  }

  @Test func `a file that somebody changed is left alone`() async throws {
    let path = try path(1)
    let before = try listener.read(path)
    let mine = Array(before.dropLast(5)) + Array("12345".utf8)
    try listener.folder.write("library/\(path)", mine)
    let result = try await tag()
    #expect(result.status == .exited(1))
    #expect(try statuses(result) == ["failed": 1, "tagged": 5])
    #expect(result.error.contains("It was changed since it was recorded"))
    #expect(try listener.read(path) == mine)
    // The same after it was tagged.
    try listener.folder.write("library/\(path)", before)
    #expect(try statuses(try await tag("Number 1")) == ["tagged": 1])
    var edited = try listener.read(path)
    edited[edited.count - 1] ^= 1
    try listener.folder.write("library/\(path)", edited)
    let undone = try await tag("--undo", "Number 1")
    #expect(undone.status == .exited(1))
    #expect(try statuses(undone) == ["failed": 1] && listener.read(path) == edited)
    // Accepted as it is, it is another file than podget tagged.
    _ = try await listener.run("verify", "--accept")
    let accepted = try await tag("--undo", "Number 1")
    #expect(try statuses(accepted) == ["unchanged": 1] && accepted.status == .exited(0))
    #expect(accepted.error.contains("It is another file than podget tagged"))
    #expect(try listener.read(path) == edited)
  }

  @Test func `a file whose audio TagLib would move is left alone`() async throws {
    var episode = PodcastServer.Episode(1, "Fragments")
    episode.bytes = [UInt8](try Fixtures.data("audio/fragments.m4a"))
    let listener = try Listener(PodcastServer([episode]))
    _ = try await listener.run("download", listener.podcast)
    let name = try #require(listener.files.first)
    let result = try await listener.run("tag", "--json")
    #expect(result.status == .exited(0))
    // A later TagLib may do it right.
    if try statuses(result) == ["unchanged": 1] {
      #expect(try listener.read(name) == episode.bytes)
    }
    #expect(try await listener.run("verify", "--json").values("status") == ["ok"])
    #expect(listener.folder.files.allSatisfy { !$0.contains("podget-copy") })
    _ = try await listener.run("tag", "--undo")
    #expect(try listener.read(name) == episode.bytes)
  }

  @Test func `links are left alone, and podget says so`() async throws {
    let (one, two) = (
      listener.folder.path("library/\(try path(1))"), listener.folder.path("library/\(try path(2))")
    )
    try FileManager.default.linkItem(atPath: one, toPath: listener.folder.path("second"))
    try FileManager.default.moveItem(atPath: two, toPath: listener.folder.path("object"))
    try FileManager.default.createSymbolicLink(
      atPath: two, withDestinationPath: listener.folder.path("object"))
    let before = try contents()
    let result = try await tag("Number 1", "Number 2")
    #expect(result.status == .exited(0))
    #expect(try statuses(result) == ["unchanged": 2])
    #expect(result.error.contains("hard link") && result.error.contains("symbolic link"))
    #expect(try contents() == before)
  }

  @Test func `what undo needs goes with the episode, and not before`() async throws {
    let before = try contents()
    _ = try await tag()
    _ = try await listener.run("rename", "--template", "Elsewhere/{title}.{ext}")
    _ = try await listener.run("remove", "Number 1", "Number 2")
    #expect(kept.count == 6)
    _ = try await listener.run("restore", "Number 1")
    let undone = try await tag("--undo")
    #expect(try statuses(undone) == ["restored": 5], "\(undone.output)")
    let now = Set(try contents().values)
    #expect(now.isSubset(of: Set(before.values)) && now.count == 5)
    #expect(kept.count == 1)
  }

  /// What TagLib might do to the file of an episode, whose descriptor is 3.
  @Test(arguments: [
    "printf x | /bin/dd of=/proc/self/fd/3 bs=1 conv=notrunc"
      + " seek=$(($(/usr/bin/stat -Lc %s /proc/self/fd/3) - 20)) 2>/dev/null",
    ": >/proc/self/fd/3", "printf x >>/proc/self/fd/3", ":",
  ])
  func `a program that harms the audio, or does nothing, harms no file`(harm: String)
    async throws
  {
    let before = try contents()
    // What is only looked at is not open for writing.
    let isOpen = "/bin/grep -q 'flags:.*2$' /proc/self/fdinfo/3"
    let programs = try TagPrograms("if \(isOpen); then \(harm); fi\necho title")
    let result = try await RunningProcess(
      programs.podget, ["tag", "Number 4", "Number 5", "Number 6"],
      environment: listener.variables
    ).waitForExit()
    #expect(result.output == "", "\(result.error)")
    #expect(result.error.contains("3 files: "))
    #expect(try contents() == before)
    #expect(listener.folder.files.allSatisfy { !$0.contains("podget-copy") })
  }

  @Test func `Ctrl-C ends it at once, and leaves the file as it is`() async throws {
    let before = try contents()
    let programs = try TagPrograms("exec /bin/sleep 600")
    let process = try RunningProcess(programs.podget, ["tag"], environment: listener.variables)
    try await waitUntil("podget-tag to begin") { programs.hasBegun }
    let start = ContinuousClock.now
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    #expect(ContinuousClock.now - start < patience)
    #expect(try contents() == before && kept == [])
    #expect(result.output == "")
  }

  @Test func `names that mean nothing complete are refused`() async throws {
    _ = try await listener.run("remove", "Number 1")
    let removed = try await tag("Number 1")
    #expect(removed.status == .exited(1) && removed.error.contains("is not complete"))
    #expect(try await tag("Nothing").status == .exited(1))
    #expect(try await tag("--source", "Nobody").status == .exited(1))
    #expect(try await listener.run("tag", "").status == .exited(64))
    let all = try await tag()
    #expect(try statuses(all) == ["tagged": 5])
  }
}
