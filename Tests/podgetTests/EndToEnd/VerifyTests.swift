import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A library that is checked against its records, and repaired.
@Suite(.serialized) struct VerifyTests {
  private let episodes = (1...5).map { PodcastServer.Episode(Int64($0), "Number \($0)") }

  private func library(_ arguments: String...) async throws -> Listener {
    let listener = try Listener(PodcastServer(episodes))
    let process = try RunningProcess(
      .podget, ["download", listener.podcast] + arguments, environment: listener.variables)
    #expect(try await process.waitForExit().status == .exited(0))
    return listener
  }

  /// Flips one bit of a file; its length and date stay.
  private func flip(_ episode: PodcastServer.Episode, in listener: Listener) throws {
    let path = listener.library + "/" + listener.path(of: episode)
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    var byte: UInt8 = 0
    try #require(pread(file, &byte, 1, 30_000) == 1)
    byte ^= 0x10
    try #require(pwrite(file, &byte, 1, 30_000) == 1)
  }

  private func statuses(_ result: RunningProcess.Result) throws -> [String: String] {
    try result.objects.reduce(into: [:]) { statuses, object in
      let path = (object["path"] as? String ?? "").split(separator: "/").last ?? ""
      statuses[String(path)] = object["status"] as? String
    }
  }

  private func name(_ number: Int) -> String { "2024-01-0\(number) - Number \(number).mp3" }

  @Test func `damaged, missing, untracked and partial files are reported and repaired`()
    async throws
  {
    let listener = try await library()
    try flip(episodes[0], in: listener)
    let file = "library/" + listener.path(of: episodes[1])
    try listener.folder.write(file, episodes[1].bytes.dropLast(417))
    try FileManager.default.removeItem(
      atPath: listener.library + "/" + listener.path(of: episodes[2]))
    try listener.folder.write("library/The Symbolic World/cover.jpg", "a picture")

    let found = try await listener.run("verify", "--json")
    #expect(found.status == .exited(1))
    let expected = [
      name(1): "damaged", name(2): "damaged", name(3): "missing", name(4): "ok", name(5): "ok",
      "cover.jpg": "untracked",
    ]
    #expect(try statuses(found) == expected)
    let members = [
      "path", "podcast", "episode", "status", "problem", "bytes", "sha256", "duration",
      "publishedDuration", "repaired",
    ]
    #expect(try found.objects.allSatisfy { Set($0.keys) == Set(members) })

    let text = try await listener.run("verify")
    #expect(text.status == .exited(1))
    #expect(text.output.contains("damaged      \(listener.path(of: episodes[0])): Its bytes are"))
    #expect(text.output.contains("untracked    The Symbolic World/cover.jpg\n"))
    #expect(!text.output.contains("Number 4") && text.lines.count == 4)
    #expect(
      text.error.hasSuffix(
        ": 2 ok, 2 damaged, 1 missing, 1 untracked (podget verify --repair downloads again)\n"))

    let repaired = try await listener.run("verify", "--repair", "--json")
    #expect(repaired.status == .exited(0))
    #expect(Set(try statuses(repaired).values) == ["ok", "untracked"])
    #expect(try repaired.objects.count { $0["repaired"] as? Bool == true } == 3)
    for episode in episodes { #expect(listener.holds(episode)) }
    #expect(listener.server.downloads.count == 8 && listener.partials.isEmpty)
    let again = try await listener.run("verify", "-q")
    #expect(again.status == .exited(0) && again.output == "" && again.error == "")
  }

  @Test func `a damaged file stays when it cannot be fetched again`() async throws {
    let listener = try await library("--latest", "2")
    try flip(episodes[4], in: listener)
    let before = try listener.read(listener.path(of: episodes[4]))
    listener.server.episodes[4].behaviour = { _ in
      Behaviour { $0.answer = Behaviour.Answer(status: 404) }
    }
    let result = try await listener.run("verify", "--repair", "--json")
    #expect(result.status == .exited(1))
    #expect(try statuses(result) == [name(4): "ok", name(5): "damaged"])
    #expect(try listener.read(listener.path(of: episodes[4])) == before)
  }

  @Test func `a repaired file with another version on the server is reported`() async throws {
    let listener = try await library("--latest", "1")
    try flip(episodes[4], in: listener)
    let other = MP3Maker.bytes(seed: 99, length: 50_000)
    listener.server.episodes[4].bytes = other
    listener.server.episodes[4].etag = "\"other\""
    let result = try await listener.run("verify", "--repair")
    #expect(result.status == .exited(0))
    #expect(result.output.contains("repaired "))
    #expect(result.output.contains("The server has another version now"))
    #expect(result.error.contains("1 file checked (") && result.error.hasSuffix("): 1 repaired\n"))
    #expect(try listener.read(listener.path(of: episodes[4])) == other)
  }

  @Test func `a file that was cut before it was recorded is truncated`() async throws {
    // A first frame that announces 500 frames, and 100 of them with a piece of the next one.
    var first = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    first.replaceSubrange(36..<48, with: Array("Info".utf8) + [0, 0, 0, 1, 0, 0, 1, 0xF4])
    let frame = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0x55, count: 413)
    var cut = episodes[0]
    cut.bytes = first + (0..<100).flatMap { _ in frame } + frame.prefix(200)
    let listener = try Listener(PodcastServer([cut]))
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    let result = try await listener.run("verify")
    #expect(result.status == .exited(1))
    #expect(result.output.contains("truncated "))
    #expect(result.output.contains("It has 101 of the 500 frames that it announces."))
    let repaired = try await listener.run("verify", "--repair", "--json")
    #expect(repaired.status == .exited(1))
    let problem = try repaired.values("problem").first
    #expect(problem?.hasSuffix("The server sends it so.") == true)
  }

  @Test func `missing checksums can be recorded`() async throws {
    let listener = try await library("--latest", "2", "--no-checksum")
    let first = try await listener.run("verify", "--json")
    #expect(first.status == .exited(0))
    #expect(Set(try statuses(first).values) == ["warning"])
    let second = try await listener.run("verify", "--record-checksums")
    #expect(second.error.contains("2 ok") && second.status == .exited(0))
    let list = try await listener.run("list", "--json")
    let sum = try await sha256(episodes[4].bytes)
    #expect(try list.values("sha256").first == sum)
    try flip(episodes[4], in: listener)
    #expect(try await listener.run("verify").status == .exited(1))
  }

  @Test func `nothing to verify is success, and an unknown name fails`() async throws {
    let listener = try Listener(PodcastServer([]))
    let absent = try await listener.run("verify", "--json")
    #expect(absent.status == .exited(1) && absent.output == "")
    #expect(!listener.folder.contains("library"))
    try FileManager.default.createDirectory(
      atPath: listener.library, withIntermediateDirectories: true)
    let empty = try await listener.run("verify", "--json")
    #expect(empty.status == .exited(0) && empty.output == "[]\n")
    let unknown = try await listener.run("verify", "nobody", "--json")
    #expect(unknown.status == .exited(1) && unknown.output == "")
    #expect(unknown.error.hasPrefix("podget: nobody: "))
  }

  /// Verifies on a disk that fails: a rule as `Faults.h` has them.
  private func verify(_ listener: Listener, faults: String) async throws
    -> RunningProcess.Result
  {
    var variables = listener.variables
    variables["LD_PRELOAD"] = try FaultLibrary.path()
    variables["PODGET_FAULTS"] = faults
    return try await RunningProcess(
      .podget, ["verify", "--json", "--jobs", "1"], environment: variables
    ).waitForExit()
  }

  @Test func `an unreadable file is reported, and the rest continues`() async throws {
    let listener = try await library("--latest", "3")
    // The first reads are those of the index, which podget does without when they fail, and, while
    // the records are young, those of the records.
    var hasFailed = false
    for point in 1...60 where !hasFailed {
      let one = try await verify(listener, faults: "pread:\(point):\(EIO)")
      guard one.status != .exited(0) else { continue }
      #expect(one.status == .exited(1))
      #expect(try one.values("problem").contains("It cannot be read: Input/output error."))
      let found = try statuses(one)
      guard found[".podget.ndjson"] != "unreadable" else { continue }
      hasFailed = true
      #expect(found.values.sorted() == ["ok", "ok", "unreadable"])
    }
    #expect(hasFailed)
    // A folder whose records cannot be read is not an empty one.
    let all = try await verify(listener, faults: "pread:1+1:\(EIO)")
    #expect(all.status == .exited(1))
    #expect(try statuses(all)[".podget.ndjson"] == "unreadable")
  }

  @Test func `an interrupted verification reports what it found`() async throws {
    let listener = try await library("--latest", "2")
    // A sparse file takes long to read too.
    let path = listener.library + "/" + listener.path(of: episodes[4])
    try #require(truncate(path, 1 << 42) == 0)
    let process = try listener.start("verify", "--json", "--jobs", "2")
    try await waitUntil("the other one is found", seen: { process.output }) {
      process.output.contains("Number 4")
    }
    process.signal(SIGINT)
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130))
    #expect(try statuses(result) == [name(4): "ok"])
  }

  @Test func `a terminal shows progress and then what was found`() async throws {
    let listener = try await library("--latest", "2")
    try flip(episodes[4], in: listener)
    let path = listener.library + "/" + listener.path(of: episodes[3])
    try #require(truncate(path, 1 << 42) == 0)
    let process = try listener.startOnTerminal("verify", columns: 100)
    try await process.waitForScreen("the progress stands below") { screen in
      screen.lines.contains { $0.hasPrefix("damaged ") }
        && screen.lines.contains { $0.hasPrefix("1/2 checked, 1 wrong") }
    }
    process.signal(SIGINT)
    #expect(try await process.waitForExit() == .exited(130))
    #expect(process.screen.text.contains(": 1 damaged; interrupted, "))
    #expect(!process.screen.text.contains("1/2 checked"))
  }
}
