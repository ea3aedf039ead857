import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The results of verify for files that were changed on purpose.
@Suite(.serialized) struct VerifyChangesTests {
  private let episodes = (1...3).map { PodcastServer.Episode(Int64($0), "Number \($0)") }

  private func library() async throws -> Listener {
    let listener = try Listener(PodcastServer(episodes))
    _ = try await listener.run("download", listener.podcast, "--json")
    return listener
  }

  @Test(arguments: [["verify", "--repair"], ["download", "1386867488", "--force"]])
  func `a new download of another type leaves no old file behind`(
    arguments: [String]
  ) async throws {
    let listener = try await library()
    let path = listener.path(of: episodes[0])
    try listener.folder.write("library/\(path)", episodes[0].bytes.dropLast(9))
    let flac = Array("fLaC".utf8) + [UInt8](repeating: 7, count: 9000)
    listener.server.episodes[0].bytes = flac
    listener.server.episodes[0].etag = "\"new\""
    let result = try await RunningProcess(
      .podget, arguments, environment: listener.variables
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.output)")
    let new = path.replacing(".mp3", with: ".flac")
    #expect(
      listener.files.sorted()
        == ([new] + episodes[1...].map { listener.path(of: $0) }).sorted())
    #expect(try listener.read(new) == flac)
    #expect(try trash(listener).contains(Array(episodes[0].bytes.dropLast(9))))
    let again = try await listener.run("verify", "--json")
    #expect(again.status == .exited(0))
    #expect(try again.values("status").sorted() == ["ok", "ok", "warning"])
  }

  /// The files in the trash with their content, in the order of their terms.
  private func trash(_ listener: Listener) throws -> [[UInt8]] {
    try listener.folder.files.filter { $0.hasPrefix("library/.podget/trash/") }.sorted().map {
      try listener.folder.read($0)
    }
  }

  @Test(arguments: [["verify", "--repair"], ["download", "1386867488", "--force"]])
  func `what a new download replaces is in the trash`(arguments: [String]) async throws {
    let listener = try await library()
    let edited = Array(episodes[0].bytes.dropLast(9)) + Array("mine".utf8)
    let path = listener.path(of: episodes[0])
    try listener.folder.write("library/\(path)", edited)
    let result = try await RunningProcess(
      .podget, arguments, environment: listener.variables
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.output)")
    #expect(try listener.read(path) == episodes[0].bytes)
    // Files that were downloaded again as they were need no second copy.
    #expect(try trash(listener) == [edited])
    if arguments.contains("--repair") {
      #expect(result.output.contains("The old file is .podget/trash/2"))
    }
    // The trash has what was replaced, and what is removed now; the recorded one comes back.
    _ = try await listener.run("remove", "Number 1")
    #expect(try trash(listener).count == 2)
    #expect(try await listener.run("restore", "Number 1").status == .exited(0))
    #expect(try listener.read(path) == episodes[0].bytes)
    #expect(try trash(listener) == [edited])
  }

  /// An ID3v2 tag with room for so many bytes.
  private func tag(_ count: Int) -> [UInt8] {
    Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(count >> 7 & 0x7F), UInt8(count & 0x7F)]
      + [UInt8](repeating: 0, count: count)
  }

  private func id3v1(_ text: String) -> [UInt8] {
    Array("TAG".utf8) + Array(text.utf8) + [UInt8](repeating: 0, count: 125 - text.utf8.count)
  }

  @Test(arguments: [true, false])
  func `a file whose tags were edited is changed, and a repair leaves it alone`(
    hasTags: Bool
  ) async throws {
    var episode = PodcastServer.Episode(1, "Number 1")
    let audio = episode.bytes
    if hasTags { episode.bytes = tag(321) + audio + id3v1("published") }
    let listener = try Listener(PodcastServer([episode]))
    _ = try await listener.run("download", listener.podcast)
    // What proves the audio goes along with the file.
    _ = try await listener.run("rename", "--template", "Elsewhere/{title}.{ext}")
    let path = "Elsewhere/Number 1.mp3"
    func verify(_ edited: [UInt8], _ options: String...) async throws -> RunningProcess.Result {
      try listener.folder.write("library/\(path)", edited)
      return try await listener.run(["verify", "--json"] + options)
    }
    for edited in [tag(1000) + audio, audio + id3v1("mine"), tag(321) + audio + id3v1("mine")] {
      let result = try await verify(edited)
      #expect(result.status == .exited(0))
      #expect(try result.values("status") == ["changed"])
    }
    let mine = tag(77) + audio + id3v1("mine")
    let repaired = try await verify(mine, "--repair")
    #expect(repaired.status == .exited(0))
    #expect(try repaired.values("status") == ["changed"])
    #expect(try listener.read(path) == mine && listener.server.downloads.count == 1)

    // One bit of the audio is damage, with whatever tags.
    var flipped = mine
    flipped[90 + 30_000] ^= 0x10
    let damaged = try await verify(flipped, "--accept")
    #expect(damaged.status == .exited(1))
    #expect(try damaged.values("status") == ["damaged"])

    let dry = try await verify(mine, "--accept", "--dry-run")
    #expect(try dry.values("status") == ["changed"])
    #expect(
      try dry.values("problem").first?.hasSuffix("It would be recorded as it is now.") == true)
    #expect(try await verify(mine, "--accept").values("status") == ["ok"])
    #expect(try await verify(mine).values("status") == ["ok"])
    // The accepted file is the recorded one from now on, with its audio.
    let again = try await verify(tag(5) + audio)
    #expect(try again.values("status") == ["changed"])
    #expect(try await verify(flipped).values("status") == ["damaged"])
  }

  @Test func `a file that an earlier version recorded is accepted only if its podcast is named`()
    async throws
  {
    let listener = try await library()
    let records = "library/The Symbolic World/.podget.ndjson"
    func forget() throws {
      let lines = String(decoding: try listener.folder.read(records), as: UTF8.self)
      try listener.folder.write(records, lines.replacing(#/"audio":{[^}]*},/#, with: ""))
    }
    try forget()
    #expect(
      !String(decoding: try listener.folder.read(records), as: UTF8.self).contains("\"audio\":{"))
    let path = listener.path(of: episodes[0])
    let edited = tag(100) + episodes[0].bytes
    try listener.folder.write("library/\(path)", edited)
    let text = try await listener.run("verify")
    #expect(text.status == .exited(1))
    #expect(
      text.output.contains("are on record. The structure of its audio is intact: its tags or"))
    // Perhaps the disk changed it, and nobody has looked.
    let unnamed = try await listener.run("verify", "--accept", "--json")
    #expect(unnamed.status == .exited(1))
    #expect(try unnamed.values("status").sorted() == ["damaged", "ok", "ok"])
    #expect(unnamed.output.contains("To record it as it is, name its podcast too."))
    let dry = try await listener.run("verify", listener.podcast, "--accept", "--dry-run")
    #expect(dry.status == .exited(1))
    #expect(dry.output.contains("were changed. It would be recorded as it is now."))
    let accepted = try await listener.run("verify", listener.podcast, "--accept")
    #expect(accepted.status == .exited(0), "\(accepted.output)")
    #expect(accepted.output == "accepted     \(path)\n")

    // What a repair can bring back is never accepted instead.
    try forget()
    var rotten = edited
    rotten[90 + 30_000] ^= 0x10
    try listener.folder.write("library/\(path)", rotten)
    let repaired = try await listener.run("verify", listener.podcast, "--accept", "--repair")
    #expect(repaired.status == .exited(0) && repaired.output.contains("repaired     \(path)"))
    #expect(try listener.read(path) == episodes[0].bytes)

    // What is intact now can be told apart from now on.
    try forget()
    _ = try await listener.run("verify", "--record-checksums")
    try listener.folder.write("library/\(path)", edited)
    #expect(try await listener.run("verify", "--json").values("status").contains("changed"))
  }

  @Test func `without a trash nothing that is replaced is kept`() async throws {
    let listener = try await library()
    let path = listener.path(of: episodes[0])
    try listener.folder.write("library/\(path)", episodes[0].bytes.dropLast(9))
    var variables = listener.variables
    variables["PODGET_TRASH_DAYS"] = "0"
    let result = try await RunningProcess(
      .podget, ["verify", "--repair"], environment: variables
    ).waitForExit()
    #expect(result.status == .exited(0) && !result.output.contains("The old file"))
    #expect(try listener.read(path) == episodes[0].bytes)
    #expect(!listener.folder.contains("library/.podget/trash"))
  }

  @Test func `removed, starred and moved episodes are not problems`() async throws {
    let listener = try await library()
    _ = try await listener.run("remove", "Number 1")
    _ = try await listener.run("star", "Number 2")
    let paths = episodes.map { "\(listener.library)/\(listener.path(of: $0))" }
    try listener.folder.write("library/Best/of/mine.mp3", episodes[1].bytes)
    try FileManager.default.removeItem(atPath: paths[1])
    let dry = try await listener.run("verify", "--repair", "--dry-run", "--json")
    #expect(try dry.values("status").contains("ok"))
    let result = try await listener.run("verify", "--repair", "--json")
    #expect(result.status == .exited(0))
    #expect(try result.values("status") == ["ok", "ok"])
    #expect(try result.values("path").sorted().first == "Best/of/mine.mp3")
    #expect(listener.server.downloads.count == 3)
    let starred = try await listener.run("list", "--starred", "--json")
    #expect(try starred.values("path") == ["Best/of/mine.mp3"])
  }

  @Test func `an episode with damaged pages and no checksum is reported`() async throws {
    var page = Array("OggS".utf8) + [0, 6] + [UInt8](repeating: 0, count: 8) + [7, 0, 0, 0]
    page += [UInt8](repeating: 0, count: 8) + [1, 200] + [UInt8](repeating: 3, count: 200)
    var episode = PodcastServer.Episode(1, "Pages")
    episode.bytes = page + page
    for (option, status) in [("--no-checksum", "damaged"), ("--json", "warning")] {
      let listener = try Listener(PodcastServer([episode]))
      _ = try await listener.run("download", listener.podcast, option)
      let result = try await listener.run("verify", "--json")
      #expect(try result.values("status") == [status])
      let sentence = "The checksum of 2 of its 2 pages is wrong."
      #expect(try result.values("problem") == [sentence])
    }
  }

  @Test func `verify goes on where it read nothing for the longest time`() async throws {
    let listener = try Listener(
      PodcastServer((1...4).map { PodcastServer.Episode(Int64($0), "Number \($0)") }))
    _ = try await listener.run("download", listener.podcast)
    func read(_ arguments: String...) async throws -> Set<String> {
      let result = try await RunningProcess(
        .podget, ["verify", "--json"] + arguments, environment: listener.variables,
        folder: listener.folder.path
      ).waitForExit()
      #expect(result.status == .exited(0), "\(result.error)")
      return Set(try result.values("path"))
    }
    let half = try await read("--subset", "50%")
    let rest = try await read("--subset", "50%")
    #expect(half.count == 2 && rest.count == 2 && half.isDisjoint(with: rest))
    // All were read today.
    #expect(try await read("--not-since", "1d").isEmpty)
    #expect(try await read("--not-since", "0d").isEmpty)
    #expect(try await read().count == 4)
    // Another file of the same size and time was not read.
    let path = try #require(
      listener.folder.files.filter { $0.hasSuffix(".mp3") }.sorted().first)
    let bytes = try listener.folder.read(path)
    let date = try FileManager.default.attributesOfItem(atPath: listener.folder.path(path))[
      .modificationDate]
    try FileManager.default.removeItem(atPath: listener.folder.path(path))
    try listener.folder.write(path, bytes)
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(date)], ofItemAtPath: listener.folder.path(path))
    #expect(try await read("--not-since", "1d") == [String(path.dropFirst("library/".count))])
    #expect(try await read("--not-since", "1d").isEmpty)
    let file = try #require(listener.folder.files.first { $0.hasSuffix("verified.ndjson") })
    try FileManager.default.removeItem(atPath: listener.folder.path(file))
    #expect(try await read("--not-since", "1d", "--subset", "1%").count == 1)
    #expect(try await read("--not-since", "1d").count == 3)
    for wrong in [["--subset", "0%"], ["--subset", "10"], ["--not-since", "soon"]] {
      let result = try await RunningProcess(
        .podget, ["verify"] + wrong, environment: listener.variables
      ).waitForExit()
      #expect(result.status == .exited(64))
    }
  }
}
