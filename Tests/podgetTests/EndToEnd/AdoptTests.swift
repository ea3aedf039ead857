import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What other tools downloaded, added to a library.
@Suite(.serialized) struct AdoptTests {
  private let episodes = (1...6).map { PodcastServer.Episode(Int64($0), "Number \($0)") }

  /// A listener with files as several tools name them; the sixth episode has no file.
  private func listener() throws -> Listener {
    let listener = try Listener(PodcastServer(episodes))
    let folder = listener.folder
    try folder.write("old/Number 1 [x].mp3", episodes[0].bytes)
    try folder.write("old/Number 1 [x].info.json", #"{"title":"Number 1","id":"x"}"#)
    try folder.write("old/The Symbolic World/2024-01-02 - Number 2.mp3", episodes[1].bytes)
    try folder.write("old/bash/3.mp3", episodes[2].bytes)
    try folder.write("old/tagged.mp3", MP3Maker.bytes(seed: 4, length: 9000, title: "Number 4"))
    try folder.write("old/strange.mp3", MP3Maker.bytes(seed: 50, length: 9000))
    try folder.write("old/2020-01-01 - Number 5.mp3", episodes[4].bytes)
    try folder.write("old/cover.txt", "no media")
    return listener
  }

  private func outcomes(_ result: RunningProcess.Result) throws -> [String: String] {
    try result.objects.reduce(into: [:]) { outcomes, object in
      let file = (object["file"] as? String ?? "").split(separator: "/").last ?? ""
      outcomes[String(file)] = object["status"] as? String
    }
  }

  private let expected = [
    "Number 1 [x].mp3": "adopted", "2024-01-02 - Number 2.mp3": "adopted", "3.mp3": "adopted",
    "tagged.mp3": "adopted", "strange.mp3": "unmatched", "2020-01-01 - Number 5.mp3": "unmatched",
  ]

  @Test(arguments: [false, true])
  func `a certain match is adopted and not downloaded again`(moving: Bool) async throws {
    let listener = try listener()
    let before = listener.folder.files.filter { $0.hasPrefix("old/") }
    var arguments = ["adopt", "old", listener.podcast, "--json"]
    if moving { arguments.append("--move") }
    let result = try await RunningProcess(
      .podget, arguments, environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
    #expect(result.status == .exited(1))
    #expect(try outcomes(result) == expected)
    for episode in episodes[..<3] { #expect(listener.holds(episode)) }
    let left = listener.folder.files.filter { $0.hasPrefix("old/") }
    #expect(moving ? left.count == before.count - 4 : left == before)
    #expect(listener.partials.isEmpty)

    let verified = try await listener.run("verify", "--json")
    #expect(verified.status == .exited(0))
    #expect(try verified.values("status") == ["ok", "ok", "ok", "ok"])
    let download = try await listener.run("download", listener.podcast, "--all", "--json")
    #expect(download.status == .exited(0))
    #expect(Set(listener.server.downloads.map(\.path)) == ["/5.mp3", "/6.mp3"])
    let path = listener.path(of: episodes[0])
    let attributes = try FileManager.default.attributesOfItem(
      atPath: listener.library + "/" + path)
    let date = attributes[.modificationDate] as? Date
    #expect(date == ISO8601DateFormatter().date(from: "2024-01-01T06:00:00Z"))

    let again = try await listener.run("adopt", "old", "--json")
    let statuses = Set(try outcomes(again).values)
    #expect(statuses == (moving ? ["unmatched"] : ["known", "unmatched"]))
  }

  @Test func `a dry run changes nothing`() async throws {
    let listener = try listener()
    let before = listener.folder.files
    let result = try await listener.run("adopt", "old", listener.podcast, "--dry-run")
    #expect(result.status == .exited(1))
    #expect(result.output.contains("planned    old/bash/3.mp3 -> The Symbolic World/"))
    #expect(result.output.contains("unmatched  old/strange.mp3: No listed episode has"))
    #expect(result.error == "4 planned, 2 unmatched\n")
    #expect(listener.folder.files == before)
  }

  @Test func `files inside the library are recorded where they are`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    try listener.folder.write("library/mine/Number 2.mp3", episodes[1].bytes)
    let result = try await listener.run("adopt", "library", listener.podcast, "--json")
    #expect(result.status == .exited(0))
    #expect(try result.values("path") == ["mine/Number 2.mp3"])
    #expect(listener.files == ["mine/Number 2.mp3"])
    let list = try await listener.run("list", "--json")
    let sum = try await sha256(episodes[1].bytes)
    #expect(try list.values("status") == ["complete"] && list.values("sha256") == [sum])
    _ = try await listener.run("download", listener.podcast, "--all", "--json")
    #expect(listener.server.downloads(of: episodes[1]).isEmpty)
  }

  @Test func `a cut file, a second copy and a name in the way`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    let first = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 32)
    let announcing = first + Array("Info".utf8) + [0, 0, 0, 1, 0, 0, 1, 0xF4]
    let frame = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0x55, count: 413)
    let cut = announcing + [UInt8](repeating: 0, count: 369) + frame + frame + frame.prefix(99)
    try listener.folder.write("old/Number 1.mp3", cut)
    try listener.folder.write("old/Number 2.mp3", episodes[1].bytes)
    try listener.folder.write("old/again/Number 2.mp3", episodes[1].bytes)
    let inTheWay = "library/" + listener.path(of: episodes[1])
    try listener.folder.write(inTheWay, "somebody's")
    let result = try await listener.run("adopt", "old", listener.podcast, "--json")
    #expect(result.status == .exited(1))
    #expect(try outcomes(result)["Number 1.mp3"] == "unmatched")
    let reasons = try result.values("reason")
    #expect(reasons.contains { $0.hasPrefix("It has ") && $0.hasSuffix("that it announces.") })
    #expect(
      reasons.contains("Another file is the same episode: old/Number 2.mp3.")
        || reasons
          .contains("Another file is the same episode: old/again/Number 2.mp3.")
    )
    #expect(try listener.folder.read(inTheWay) == Array("somebody's".utf8))
    #expect(listener.files.count == 2)
  }

  @Test func `a folder that cannot be read fails in one sentence`() async throws {
    let listener = try Listener(PodcastServer([]))
    let result = try await listener.run("adopt", "nowhere", listener.podcast, "--json")
    #expect(result.status == .exited(1) && result.output == "")
    #expect(result.error == "podget: There is no folder nowhere.\n")
    try listener.folder.write("old/a.mp3", MP3Maker.bytes(seed: 1, length: 5000))
    let unknown = try await listener.run("adopt", "old", "99", "--json")
    #expect(unknown.status == .exited(1) && unknown.output == "")
    let nothing = try await listener.run("adopt", "old")
    #expect(nothing.output.hasPrefix("unmatched  old/a.mp3: No podcast is known for it"))
  }
}
