import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Who may read the files that podget creates.
@Suite("Modes of files", .timeLimit(.minutes(5))) struct LibraryModesTests {
  private let listener: Listener
  private let episode = PodcastServer.Episode(7, "Psalms")

  init() throws {
    var cut = PodcastServer.Episode(8, "Cut")
    cut.behaviour = { _ in .cut(.reset, .afterBody(30_000)) }
    listener = try Listener(try PodcastServer([episode, cut]))
  }

  private func modes() -> [String: String] {
    var modes: [String: String] = [:]
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: listener.library)) ?? []
    for path in paths {
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: "\(listener.library)/\(path)")
      let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
      let ending = path.split(separator: ".").last.map(String.init) ?? path
      modes[ending.contains("/") || ending.contains(" ") ? path : ending] = String(mode, radix: 8)
    }
    return modes
  }

  private func download(umask: String) async throws {
    let script = "umask \(umask); \"$0\" download \"$1\"; \"$0\" list; true"
    let result = try await RunningProcess(
      "/bin/sh", ["-c", script, BuiltBinary.podget.path, listener.podcast],
      environment: listener.variables.merging(["PODGET_RETRIES": "0"]) { $1 },
      folder: listener.folder.path
    ).waitForExit()
    #expect(result.error.contains("1 finished"), "\(result.error)")
  }

  @Test(
    "files with addresses are for the user only, and media follow the umask",
    arguments: [("022", "644", "755"), ("077", "600", "700"), ("002", "664", "775")])
  func own(umask: String, media: String, folder: String) async throws {
    try await download(umask: umask)
    let modes = modes()
    #expect(modes["mp3"] == media)
    #expect(modes["The Symbolic World"] == folder)
    for name in ["ndjson", "json", "part", "sqlite"] { #expect(modes[name] == "600", "\(name)") }
    #expect(modes["podget"] == "700" && modes[".podget/partial"] == "700", "\(modes)")
  }

  @Test("a library whose folder a group may write is shared with it") func shared() async throws {
    try FileManager.default.createDirectory(
      atPath: listener.library, withIntermediateDirectories: false)
    #expect(chmod(listener.library, 0o2775) == 0)
    try await download(umask: "022")
    let modes = modes()
    #expect(modes["mp3"] == "644")
    #expect(modes["The Symbolic World"] == "2775")
    for name in ["ndjson", "json", "part", "sqlite"] { #expect(modes[name] == "660", "\(name)") }
    #expect(modes["podget"] == "2770" && modes[".podget/partial"] == "2770", "\(modes)")
  }
}
