import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// Files that may be mistaken for episodes, and malicious folders.
@Suite(.serialized) struct AdoptMatchingTests {
  private let episodes = (1...3).map { PodcastServer.Episode(Int64($0), "Number \($0)") }

  private func adopt(
    _ listener: Listener, _ folder: String = "old", _ arguments: String...
  ) async throws -> [String: (status: String, reason: String)] {
    let result = try await RunningProcess(
      .podget, ["adopt", folder, listener.podcast, "--json"] + arguments,
      environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
    return try result.objects.reduce(into: [:]) { files, object in
      let file = (object["file"] as? String ?? "").split(separator: "/").last ?? ""
      files[String(file)] = (object["status"] as? String ?? "", object["reason"] as? String ?? "")
    }
  }

  /// Audio with a title and an album.
  private func tagged(_ title: String, _ album: String, seed: UInt64) -> [UInt8] {
    func frame(_ name: String, _ text: String) -> [UInt8] {
      let size = text.utf8.count + 1
      return Array(name.utf8) + [0, 0, UInt8(size >> 7), UInt8(size & 127), 0, 0, 3]
        + Array(text.utf8)
    }
    let frames = frame("TIT2", title) + frame("TALB", album)
    let head: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0]
    return head + [UInt8(frames.count >> 7), UInt8(frames.count & 127)] + frames
      + MP3Maker.bytes(seed: seed, length: 9000)
  }

  @Test func `an album that is not a listed podcast is another podcast`() async throws {
    let trailer = PodcastServer.Episode(7, "Trailer")
    let listener = try Listener(PodcastServer(episodes + [trailer]))
    try listener.folder.write("old/x.mp3", tagged("Trailer", "Another Show", seed: 90))
    try listener.folder.write("old/Trailer.mp3", MP3Maker.bytes(seed: 91, length: 9000))
    try listener.folder.write("old/y.mp3", tagged("Number 1", "The Symbolic World", seed: 92))
    let files = try await adopt(listener)
    #expect(files["x.mp3"]?.status == "unmatched")
    #expect(files["x.mp3"]?.reason.contains("Another Show") == true)
    #expect(files["Trailer.mp3"]?.status == "unmatched")
    #expect(files["y.mp3"]?.status == "adopted")
    _ = try await listener.run("download", listener.podcast, "--all", "--json")
    #expect(listener.holds(trailer))
    #expect(listener.server.downloads(of: episodes[0]).isEmpty)
    try listener.folder.write(
      "more/The Symbolic World/Trailer.mp3", MP3Maker.bytes(seed: 91, length: 9000))
    #expect(try await adopt(listener, "more")["Trailer.mp3"]?.status == "known")
  }

  @Test func `a file of the library is not adopted as a second episode`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    _ = try await listener.run("download", listener.podcast, "--episode", "1", "--json")
    try FileManager.default.moveItem(
      atPath: "\(listener.library)/\(listener.path(of: episodes[0]))",
      toPath: "\(listener.library)/\(listener.path(of: episodes[1]))")
    let files = try await adopt(listener, "library")
    #expect(files.mapValues(\.status) == ["2024-01-02 - Number 2.mp3": "known"])
    let list = try await listener.run("list", "--json")
    #expect(try list.values("episode", "title") == ["Number 1"])
    _ = try await listener.run("download", listener.podcast, "--all", "--json")
    #expect(listener.server.downloads(of: episodes[0]).count == 1)
    #expect(listener.server.downloads(of: episodes[1]).count == 1)
    #expect(listener.files.count == 3)
  }

  @Test func `files in podget's own folder stay there`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    _ = try await listener.run("download", listener.podcast, "--all", "--json")
    _ = try await listener.run("remove", "Number 1")
    let before = listener.folder.files
    let files = try await adopt(listener, "library/.podget/trash", "--move", "--force")
    #expect(files.values.map(\.status) == ["unmatched"])
    #expect(listener.folder.files == before)
    let restore = try await listener.run("restore", "Number 1")
    #expect(restore.status == .exited(0) && listener.holds(episodes[0]))
  }

  @Test func `the better match is adopted, in any order`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    try listener.folder.write("old/a/Number 2.mp3", MP3Maker.bytes(seed: 80, length: 9000))
    try listener.folder.write("old/b.mp3", episodes[1].bytes)
    try listener.folder.write(
      "old/b.info.json", #"{"url":"\#(listener.server.origin)/2.mp3","title":"Number 2"}"#)
    for arguments in [["--dry-run"], []] {
      let result = try await RunningProcess(
        .podget, ["adopt", "old", listener.podcast, "--json"] + arguments,
        environment: listener.variables, folder: listener.folder.path
      ).waitForExit()
      #expect(try result.values("file") == ["old/a/Number 2.mp3", "old/b.mp3"])
      let taken = arguments.isEmpty ? "adopted" : "planned"
      #expect(try result.values("status") == ["unmatched", taken])
    }
    #expect(listener.holds(episodes[1]))
  }

  @Test(arguments: [false, true])
  func `one file under two names is one episode`(moving: Bool) async throws {
    let listener = try Listener(PodcastServer(episodes))
    try listener.folder.write("old/Number 1.mp3", episodes[0].bytes)
    try FileManager.default.linkItem(
      atPath: listener.folder.path("old/Number 1.mp3"),
      toPath: listener.folder.path("old/Number 2.mp3"))
    let arguments = moving ? ["--move"] : []
    let result = try await RunningProcess(
      .podget, ["adopt", "old", listener.podcast, "--json"] + arguments,
      environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
    #expect(try result.values("status") == ["adopted", "unmatched"])
    #expect(listener.files == [listener.path(of: episodes[0])])
    #expect(listener.folder.contains("old/Number 2.mp3"))
  }

  @Test func `addresses with other queries are other episodes`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    try listener.folder.write("old/a.mp3", episodes[0].bytes)
    try listener.folder.write(
      "old/a.info.json", #"{"url":"\#(listener.server.origin)/1.mp3?episode=9"}"#)
    #expect(try await adopt(listener)["a.mp3"]?.status == "unmatched")
  }

  @Test func `a hostile folder is searched without a delay`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    let folder = listener.folder
    try folder.write("old/Number 1.mp3", episodes[0].bytes)
    #expect(mkfifo(folder.path("old/Number 1.info.json"), 0o644) == 0)
    #expect(mkfifo(folder.path("old/Number 2.mp3"), 0o644) == 0)
    try folder.write("old/Number 2 (huge).mp3", episodes[1].bytes)
    try folder.write("old/Number 2 (huge).info.json", "{")
    #expect(truncate(folder.path("old/Number 2 (huge).info.json"), 1 << 35) == 0)
    try folder.write("elsewhere/Number 3.mp3", episodes[2].bytes)
    for (target, name) in [
      ("/", "root"), (".", "loop"), ("../elsewhere", "outside"), ("/dev/zero", "zero.mp3"),
      ("../elsewhere/Number 3.mp3", "Number 3.mp3"), ("nowhere", "broken.mp3"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("old/\(name)"), withDestinationPath: target)
    }
    var deep = "old"
    for _ in 0..<80 { deep += "/d" }
    try folder.write("\(deep)/Number 3.mp3", episodes[2].bytes)
    let name = (Array(folder.path("old/").utf8) + [0xFF, 65, 0]).map(
      CChar.init(truncatingIfNeeded:))
    close(open(name, O_CREAT | O_WRONLY, 0o644))
    let closed = folder.path("old/closed")
    try FileManager.default.createDirectory(
      atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0])
    defer { chmod(closed, 0o755) }
    let files = try await adopt(listener)
    #expect(files["Number 1.mp3"]?.status == "adopted")
    #expect(files["Number 2 (huge).mp3"] != nil)
    #expect(files["Number 3.mp3"] == nil && files["Number 2.mp3"] == nil)
    #expect(files["zero.mp3"] == nil && files["broken.mp3"] == nil)
    #expect(files["d"]?.reason.contains("deeper than 64 levels") == true)
    #expect(files[#"\xFFA"#]?.reason.hasPrefix("The name is not UTF-8") == true)
    if geteuid() != 0 { #expect(files["closed"]?.reason.contains("Permission denied") == true) }
    #expect(listener.files == [listener.path(of: episodes[0])])
  }
}
