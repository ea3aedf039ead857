import Foundation
import TestSupport
import Testing

@testable import PodcastModel

/// Records, plans and links as an attacker may put them into a library or folder that others copy.
@Suite("Planted records", .timeLimit(.minutes(5))) struct HostileRecordsTests {
  private let listener: Listener
  private let episode: PodcastServer.Episode
  private let key = "0123456789abcdef0123456789abcdef"

  init() throws {
    episode = PodcastServer.Episode(7, "Psalms")
    listener = try Listener(try PodcastServer([episode]))
    try listener.folder.write("victim.mp3", "mine")
    try listener.folder.write("library/.podget/partial/readme", "")
  }

  private func plan(_ changes: [String: Any]) throws -> Data {
    var record: [String: Any] = [
      "version": 1, "key": key, "podcast": ["id": PodcastServer.id, "title": "The Symbolic World"],
      "episode": ["id": 7, "title": "Psalms", "url": listener.server.origin + episode.path],
      "folder": "The Symbolic World", "stem": "Psalms", "announcedExtension": "mp3",
    ]
    record.merge(changes) { $1 }
    return try JSONSerialization.data(withJSONObject: record)
  }

  private func fact(_ changes: [String: Any]) throws -> [UInt8] {
    var record: [String: Any] = [
      "fact": "finished", "version": 1, "key": key, "bytes": 4,
      "podcast": ["id": PodcastServer.id, "title": "The Symbolic World"],
      "episode": ["id": 7, "title": "Psalms", "url": listener.server.origin + episode.path],
      "file": "Psalms.mp3", "downloadedAt": "2024-03-01T10:00:00Z",
    ]
    record.merge(changes) { $1 }
    return Array(try JSONSerialization.data(withJSONObject: record)) + [0x0A]
  }

  /// What is outside the library.
  private var outside: [String] {
    listener.folder.files.filter { !$0.hasPrefix("library/") }
  }

  private func state(_ changes: [String: Any]) -> [String: Any] {
    ["generation": 1, "validator": [String: String](), "durableLength": 0, "inode": 1]
      .merging(changes) { $1 }
  }

  @Test(
    "a plan that leads elsewhere is refused with one line, and the others continue",
    arguments: [
      ["folder": ".."], ["folder": "/tmp"], ["folder": "A/../.."], ["folder": ".podget"],
      ["stem": "../../victim"], ["stem": ".podget"], ["announcedExtension": "x/../../../victim"],
      ["finalName": "../victim.mp3"], ["replaces": "../victim.mp3"], ["key": "../../../victim"],
      ["folder": "A\u{0}B"], ["stem": ""],
    ])
  func plans(change: [String: String]) async throws {
    let planned = "library/.podget/partial/\(key).json"
    try listener.folder.write(planned, try plan(change))
    let other = "fedcba9876543210fedcba9876543210"
    try listener.folder.write(
      "library/.podget/partial/\(other).json", try plan(["key": other, "stem": "Other"]))
    let before = try listener.folder.read(planned)

    let run = try await listener.run("resume")

    #expect(run.status == .exited(1))
    let lines = run.error.split(separator: "\n").filter { $0.contains("refused") }
    #expect(lines.count == 1 && lines.allSatisfy { $0.contains("\(key).json") }, "\(run.error)")
    #expect(outside == ["victim.mp3"])
    #expect(try listener.folder.read("victim.mp3") == Array("mine".utf8))
    #expect(try listener.folder.read(planned) == before)
    #expect(listener.files == ["The Symbolic World/Other.mp3"])
  }

  @Test("numbers that podget never writes in a plan are refused, and stop nothing")
  func numbers() async throws {
    for change in [
      ["generation": Int64.max], ["durableLength": Int64(-1)], ["total": Int64.min],
    ] {
      try listener.folder.write(
        "library/.podget/partial/\(key).json", try plan(["state": state(change)]))
      let run = try await listener.run("resume")
      #expect(run.status == .exited(1))
      #expect(run.error.contains("refused"), "\(run.error)")
    }
    // The largest that is accepted is no trap either.
    try listener.folder.write(
      "library/.podget/partial/\(key).json",
      try plan([
        "state": state(["total": Int64.max, "durableLength": Int64.max, "inode": Int64.max])
      ]))
    #expect(try await listener.run("resume").status == .exited(0))
  }

  @Test("a plan removes no other episode's file") func replaces() async throws {
    try listener.folder.write("library/Other/Mine.mp3", "mine")
    try listener.folder.write(
      "library/.podget/partial/\(key).json", try plan(["replaces": "Other/Mine.mp3"]))
    #expect(try await listener.run("resume").status == .exited(0))
    #expect(try listener.read("Other/Mine.mp3") == Array("mine".utf8))
  }

  @Test("a plan replaces no foreign file, however its path is spelled") func spelled()
    async throws
  {
    // To Swift the slash and the mark after it are one character.
    let victim = "Show/\u{903}victim.mp3"
    let path = listener.folder.path("library/\(victim)")
    try FileManager.default.createDirectory(
      atPath: listener.folder.path("library/Show"), withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
    try listener.folder.write(
      "library/.podget/partial/\(key).json",
      try plan(["folder": "Show", "stem": "\u{903}victim", "replaces": victim]))
    #expect(try await listener.run("resume").status == .exited(0))
    #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    #expect(listener.files.count == 2)
  }

  @Test("a record without any line that can be read is one line, and a failure")
  func noReadableLine() async throws {
    try listener.folder.write("library/Show/.podget.ndjson", "{broken\n")
    try listener.folder.write("library/Show/Other.mp3", "othe")
    for _ in 0..<2 {
      let run = try await listener.run("list", "--json")
      #expect(run.status == .exited(1))
      #expect(run.error.contains("Show/.podget.ndjson: no line of it can be read"), "\(run.error)")
    }
    let verify = try await listener.run("verify")
    #expect(verify.status == .exited(1))
    #expect(verify.output.contains("no line of it can be read"), "\(verify.output)")
  }

  @Test(
    "lines that lead elsewhere are refused by every command, and touch nothing",
    arguments: [
      ["file": ".podget.ndjson"], ["file": "../victim.mp3"], ["file": "../../victim.mp3"],
      ["key": "../../../victim"], ["key": "short"], ["file": ".."], ["file": ""],
    ])
  func lines(change: [String: String]) async throws {
    let record = "library/The Symbolic World/.podget.ndjson"
    let other = try fact(["key": "fedcba9876543210fedcba9876543210", "file": "Other.mp3"])
    try listener.folder.write("library/The Symbolic World/Other.mp3", "othe")
    try listener.folder.write("library/victim.mp3", "mine")
    try listener.folder.write(record, try fact(change) + other)
    let before = try listener.folder.read(record)
    for _ in 0..<2 {
      let run = try await listener.run("list", "--json")
      #expect(run.status == .exited(1))
      #expect(try run.values("path") == ["The Symbolic World/Other.mp3"])
      #expect(run.error.contains("line 1 is refused"), "\(run.error)")
      #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
    }
    for command in [
      ["verify", "--repair"], ["prune", "--older-than", "1d", "--now"],
      ["prune", "--older-than", "1d"],
    ] {
      let run = try await RunningProcess(
        .podget, command, environment: listener.variables, folder: listener.folder.path
      ).waitForExit()
      #expect(run.status != .exited(0))
      #expect(outside == ["victim.mp3"])
      #expect(try listener.folder.read("library/victim.mp3") == Array("mine".utf8))
      #expect(try listener.folder.read(record).starts(with: before))
    }
  }

  @Test(
    "what replaces a record is not read, and podget does not hang",
    arguments: [
      "The Symbolic World/.podget.ndjson", ".podget/partial/0123456789abcdef0123456789abcdef.json",
    ])
  func special(path: String) async throws {
    let place = listener.folder.path("library/\(path)")
    try listener.folder.write("library/The Symbolic World/x.mp3", "x")
    func plant(_ make: () throws -> Void) async throws {
      try? FileManager.default.removeItem(atPath: place)
      try make()
      for command in [["list"], ["resume"], ["verify"], ["download", listener.podcast]] {
        let run = try await RunningProcess(
          .podget, command, environment: listener.variables, folder: listener.folder.path
        ).waitForExit()
        // Only the requested episode blocks a download: one with another key does not.
        if command[0] != "download", command[0] != "resume" || path.hasPrefix(".podget") {
          #expect(run.status == .exited(1), "\(command) \(run.error)")
          #expect((run.error + run.output).contains(path), "\(command) \(run.error)")
        }
      }
    }
    try await plant { #expect(mkfifo(place, 0o600) == 0) }
    try await plant {
      try FileManager.default.createSymbolicLink(
        atPath: place, withDestinationPath: "/dev/zero")
    }
    try await plant {
      let huge = open(place, O_CREAT | O_WRONLY, 0o600)
      #expect(ftruncate(huge, 1 << 40) == 0)
      close(huge)
    }
  }

  @Test("a file in the place of podget's own folder is named", arguments: ["", "/partial"])
  func noFolder(name: String) async throws {
    let place = listener.folder.path("library/.podget\(name)")
    try? FileManager.default.removeItem(atPath: place)
    #expect(mkfifo(place, 0o600) == 0)
    let download = try await listener.run("download", listener.podcast)
    #expect(download.status == .exited(1))
    #expect(download.error.contains("/.podget\(name) is not a folder"), "\(download.error)")
  }

  @Test("podget's own folders must not be links", arguments: ["", "/partial", "/trash"])
  func ownFolders(name: String) async throws {
    try listener.folder.write("elsewhere/keep", "mine")
    let place = listener.folder.path("library/.podget\(name)")
    try? FileManager.default.removeItem(atPath: place)
    try FileManager.default.createSymbolicLink(
      atPath: place, withDestinationPath: listener.folder.path("elsewhere"))
    let download = try await listener.run("download", listener.podcast)
    if name != "/trash" {
      #expect(download.status == .exited(1))
      #expect(download.error.contains("symbolic link"), "\(download.error)")
    } else {
      #expect(try await listener.run("remove", "Psalms").status == .exited(1))
    }
    _ = try await listener.run("list")
    #expect(listener.folder.files.filter { $0.hasPrefix("elsewhere/") } == ["elsewhere/keep"])
  }

  @Test("a link on the way to a folder is not followed") func deepLink() async throws {
    try FileManager.default.createDirectory(
      atPath: listener.folder.path("library/Show"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: listener.folder.path("elsewhere"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: listener.folder.path("library/Show/2024"),
      withDestinationPath: listener.folder.path("elsewhere"))
    let run = try await listener.run(
      "download", listener.podcast, "--template", "Show/2024/{title}.{ext}")
    #expect(run.status == .exited(1))
    #expect(run.error.contains("symbolic link on the way"), "\(run.error)")
    #expect(outside == ["victim.mp3"])
  }

  @Test("a podcast's folder may be a link to another one") func linkedFolder() async throws {
    try FileManager.default.createDirectory(
      atPath: listener.folder.path("disk/World"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: listener.folder.path("library/The Symbolic World"),
      withDestinationPath: "../disk/World")
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    #expect(listener.holds(episode))
    for _ in 0..<2 {
      let list = try await listener.run("list", "--json")
      #expect(try list.values("path") == [listener.path(of: episode)])
      #expect(try list.values("status") == ["complete"])
    }
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.output.contains("alreadyDownloaded"))
    #expect(try await listener.run("verify").status == .exited(0))
    #expect(try await listener.run("remove", "Psalms").status == .exited(0))
    #expect(!listener.holds(episode))
    #expect(try await listener.run("restore", "Psalms").status == .exited(0))
    #expect(listener.holds(episode))
  }

  @Test("links to the library and into it list nothing twice") func loops() async throws {
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    for (name, target) in [
      ("Self", "."), ("Above", ".."), ("Twice", "The Symbolic World"), ("Nowhere", "nowhere"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: listener.folder.path("library/\(name)"), withDestinationPath: target)
    }
    let list = try await listener.run("list", "--json")
    #expect(list.status == .exited(0))
    #expect(try list.values("path") == [listener.path(of: episode)])
    #expect(try await listener.run("verify").status == .exited(0))
  }
}
