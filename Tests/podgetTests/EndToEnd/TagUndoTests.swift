import Foundation
import TestSupport
import Testing

/// What `tag --undo` needs, and what it finds after a kill, a repair and damage.
extension TagTests {
  @Test func `undo needs no podget-tag`() async throws {
    let before = try contents()
    _ = try await tag("Number 1")
    let programs = try TagPrograms("exit 127")
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: programs.podget, toPath: folder.path("podget"))
    let undone = try await RunningProcess(
      folder.path("podget"), ["tag", "--undo"], environment: listener.variables
    ).waitForExit()
    #expect(undone.status == .exited(0), "\(undone.error)")
    #expect(try contents() == before)
  }

  @Test func `without a list that can be read nothing is written, but undone`() async throws {
    let before = try contents()
    _ = try await tag("Number 1")
    let tagged = try contents()
    try listener.folder.write("library/.podget/subscriptions.opml", "<opml><body></opm>")
    let result = try await listener.run("tag")
    #expect(result.status == .exited(1) && result.output == "")
    #expect(result.error.contains("subscriptions.opml"), "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
    #expect(try contents() == tagged)
    #expect(try await tag("--undo").status == .exited(0))
    #expect(try contents() == before)
  }

  @Test func `a change that was not finished is finished, also if the file got a second name`()
    async throws
  {
    let record = "library/The Symbolic World/.podget.ndjson"
    let (before, first) = (try contents(), try listener.folder.read(record))
    _ = try await tag("Number 1")
    let undo = try #require(kept.first)
    // As if podget was killed after the file got its name, before the record.
    try listener.folder.write(record, first)
    try FileManager.default.moveItem(
      atPath: listener.folder.path(undo),
      toPath: listener.folder.path(undo.replacing(".undo", with: ".new")))
    try FileManager.default.linkItem(
      atPath: listener.folder.path("library/\(path(1))"), toPath: listener.folder.path("second"))
    #expect(try Set(await listener.run("verify", "--json").values("status")) == ["ok"])
    #expect(kept == [undo])
    try FileManager.default.removeItem(atPath: listener.folder.path("second"))
    #expect(try statuses(try await tag("--undo", "Number 1")) == ["restored": 1])
    #expect(try contents() == before)
  }

  @Test func `a change that was not finished is finished where the episode is now`() async throws {
    let before = try contents()
    _ = try await tag("Number 1")
    let undo = try #require(kept.first)
    let back = undo.replacing(".undo", with: ".back")
    let text = String(decoding: try listener.folder.read(undo), as: Unicode.ASCII.self)
    let other = try listener.folder.read(undo).map { $0 }
    let place = try #require(other.firstRange(of: Array("The Symbolic World".utf8)))
    #expect(text.contains("\"folder\""))
    // The folder got another name since, by hand.
    try listener.folder.write(
      back,
      other[..<place.lowerBound] + Array("The Symbolic Earth".utf8) + other[place.upperBound...])
    #expect(try statuses(try await tag("--undo", "Number 1")) == ["restored": 1])
    #expect(try contents() == before && kept == [])
  }

  @Test func `an original that somebody made up is not given back`() async throws {
    _ = try await tag("Number 1")
    let now = try contents()
    let name = try #require(kept.first)
    let file = Data(try listener.folder.read(name))
    let end = try #require(file.firstIndex(of: 0x0A))
    var head = try #require(
      try JSONSerialization.jsonObject(with: file[..<end]) as? [String: Any])
    let other = PodcastServer.Episode(9, "Number 9").bytes
    head["original"] = ["bytes": other.count, "sha256": try await sha256(other)] as [String: Any]
    let count = withUnsafeBytes(of: Int64(other.count).bigEndian) { Array($0) }
    let forged = Array(try JSONSerialization.data(withJSONObject: head)) + [0x0A]
    try listener.folder.write(
      name, forged + [UInt8(ascii: "b")] + count + other + [UInt8(ascii: ".")])
    let undone = try await tag("--undo", "Number 1")
    #expect(try statuses(undone) == ["failed": 1])
    #expect(undone.error.contains("not the right ones"), "\(undone.error)")
    #expect(try contents() == now)
  }

  @Test func `a changed file of the same length has another time`() async throws {
    let file = listener.folder.path("library/\(try path(4))")
    func state() throws -> (bytes: Int, time: Date) {
      let found = try FileManager.default.attributesOfItem(atPath: file)
      return (
        try #require(found[.size] as? Int), try #require(found[.modificationDate] as? Date)
      )
    }
    let before = try state()
    _ = try await tag("Number 4")
    let tagged = try state()
    _ = try await tag("--undo", "Number 4")
    let undone = try state()
    // Its tags fit into the room that the file has for them.
    #expect(tagged.bytes == before.bytes && undone.bytes == before.bytes)
    #expect(tagged.time > before.time && undone.time > tagged.time)
    #expect(undone.time.timeIntervalSince(before.time) < 3)
  }

  @Test func `a repair gets the file as it was received, which is no other version`() async throws {
    let before = try contents()
    _ = try await tag("Number 1")
    var damaged = try listener.read(path(1))
    damaged[damaged.count - 500] ^= 0xFF
    try listener.folder.write("library/\(path(1))", damaged)
    let repaired = try await listener.run("verify", "--repair")
    #expect(repaired.status == .exited(0), "\(repaired.error)")
    #expect(!(repaired.output + repaired.error).contains("another version"))
    #expect((repaired.output + repaired.error).contains("as it was received"))
    #expect(try contents() == before)
  }

  @Test func `originals that are damaged, or another's, give back nothing`() async throws {
    _ = try await tag("Number 1", "Number 5")
    let now = try contents()
    for name in kept {
      var bytes = try listener.folder.read(name)
      bytes[bytes.count - 30] ^= 1
      try listener.folder.write(name, bytes)
    }
    let undone = try await tag("--undo", "Number 1", "Number 5")
    #expect(undone.status == .exited(1))
    #expect(try contents() == now)
    #expect(try Set(await listener.run("verify", "--json").values("status")) == ["ok"])
    for name in kept { try listener.folder.write(name, "{}\n.") }
    let damaged = try await tag("--undo", "Number 1")
    #expect(try statuses(damaged) == ["failed": 1] && damaged.status == .exited(1))
    #expect(damaged.error.contains("it is damaged"))
    // A change that was not finished and cannot be is found by --undo, and waits no longer.
    let name = try #require(kept.first)
    let pending = name.replacing(".undo", with: ".new")
    try FileManager.default.moveItem(
      atPath: listener.folder.path(name), toPath: listener.folder.path(pending))
    #expect(try Set(await listener.run("verify", "--json").values("status")) == ["ok"])
    #expect(kept.contains(name) && !kept.contains(pending))
  }

  @Test func `what was downloaded again is not undone`() async throws {
    let before = try contents()
    _ = try await tag("Number 4")
    _ = try await listener.run("download", listener.podcast, "--all", "--force")
    #expect(try contents() == before)
    #expect(try statuses(try await tag("--undo", "Number 4")) == ["unchanged": 1])
    #expect(try statuses(try await tag("Number 4")) == ["tagged": 1])
    #expect(try statuses(try await tag("--undo", "Number 4")) == ["restored": 1])
    #expect(try contents() == before)
  }

  @Test func `an episode that is removed for good needs nothing any more`() async throws {
    _ = try await tag("Number 1", "Number 2", "Number 3")
    _ = try await listener.run("remove", "Number 1", "--now")
    #expect(kept.count == 2)
    _ = try await listener.run("remove", "Number 2", "Number 3")
    #expect(kept.count == 2)
    _ = try await listener.run("trash", "--empty")
    #expect(kept.count == 0)
    // Also if the files got other names since.
    _ = try await tag("Number 4", "Number 5")
    _ = try await listener.run("rename", "--template", "Elsewhere/{title}.{ext}")
    _ = try await listener.run("remove", "Number 4", "--now")
    #expect(kept.count == 1)
    _ = try await listener.run("remove", "Number 5")
    #expect(kept.count == 1)
    _ = try await listener.run("trash", "--empty")
    #expect(kept.count == 0)
  }
}

/// A copy of podget beside another podget-tag.
struct TagPrograms {
  private let folder: TemporaryFolder

  /// Creates it with a script, which says first that it has begun.
  init(_ script: String) throws {
    folder = try TemporaryFolder()
    do {
      try FileManager.default.linkItem(atPath: BuiltBinary.podget.path, toPath: podget)
    } catch {
      try FileManager.default.copyItem(atPath: BuiltBinary.podget.path, toPath: podget)
    }
    try folder.writeProgram("podget-tag", "#!/bin/sh\n: >\(folder.path("begun"))\n\(script)\n")
  }

  var podget: String { folder.path("podget") }
  var hasBegun: Bool { folder.contains("begun") }
}
