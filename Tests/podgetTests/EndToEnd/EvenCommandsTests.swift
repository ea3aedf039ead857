import Foundation
import TestSupport
import Testing

/// What holds for several commands of the built program alike.
@Suite struct EvenCommandsTests {
  private let listener: Listener

  init() throws {
    listener = try Listener(
      PodcastServer([PodcastServer.Episode(2, "Number 2"), PodcastServer.Episode(1, "Number 1")]))
  }

  private func podget(_ arguments: String..., status: Int32 = 0) async throws -> String {
    let result = try await listener.run(arguments)
    #expect(result.status == .exited(status), "\(arguments): \(result.output)\(result.error)")
    return result.output + result.error
  }

  /// Commands that find nothing to do without a library, or fail, with their status.
  private static let failing: [String: Int32] = [
    "resume": 0, "resume nosuch": 1, "resume --json": 0, "download nosuch": 1,
    "download http://127.0.0.1:1/feed --retries 0": 1, "subscribe nosuch": 1,
    "subscribe http://127.0.0.1:1/feed": 1, "subscribe --undo-move nosuch": 1,
    "import nosuch.opml": 1, "import no.opml": 1, "adopt nosuch": 1, "adopt files nosuch": 1,
    "sync": 1, "sync --dry-run": 1, "sync --watch": 1, "sync --json": 1, "status": 1, "trash": 1,
    "edit x --undo": 1,
  ]

  @Test(arguments: failing.keys.sorted())
  func `a command that does nothing creates no library, and one that needs it names it`(
    line: String
  ) async throws {
    try listener.folder.write("no.opml", "<opml version=\"2.0\"><body></body></opml>")
    try listener.folder.write("files/notes.txt", "no media")
    let words = line.split(separator: " ").map(String.init)
    let result = try await listener.run(words)
    let status = try #require(Self.failing[line])
    #expect(result.status == .exited(status), "\(result.output)\(result.error)")
    #expect(!FileManager.default.fileExists(atPath: listener.library))
    if ["sync", "status", "trash", "edit"].contains(words[0]) {
      #expect(result.error.contains(listener.library), "\(result.error)")
    }
  }

  @Test(arguments: ["show x", "status", "subscriptions", "export", "new", "list", "trash"])
  func `what cannot be used in a library is named with it`(line: String) async throws {
    // Also for root.
    try listener.folder.write("library/.podget", "a file")
    let result = try await listener.run(line.split(separator: " ").map(String.init))
    #expect(result.error.contains("\(listener.library)/.podget"), "\(result.error)")
    #expect(!result.error.contains("is empty") && !result.error.contains("no episodes yet"))
  }

  @Test func `a library that another program uses stays, and so does what was made in it`()
    async throws
  {
    // A folder of the user.
    try FileManager.default.createDirectory(
      atPath: listener.library, withIntermediateDirectories: true)
    _ = try await podget("download", "nosuch", status: 1)
    #expect(FileManager.default.fileExists(atPath: listener.library))
    try FileManager.default.removeItem(atPath: listener.library)
    _ = try await podget("download", listener.podcast, "nosuch", status: 1)
    #expect(listener.files.count == 2)
  }

  @Test(
    "files whose record is gone are untracked, and list says how they come back",
    arguments: [nil, "", "\n", "{broken\n"])
  func unrecorded(record: String?) async throws {
    _ = try await podget("download", listener.podcast)
    let path = "library/The Symbolic World/.podget.ndjson"
    // Other files than episodes are there too.
    try listener.folder.write("library/notes/todo.txt", "no media")
    try listener.folder.write("library/notes/paper.pdf", "%PDF-1.4\n%paper\n")
    try listener.folder.write("library/The Symbolic World/cover.jpg", "no media")
    let copy = "library/The Symbolic World/@eaDir/copy.mp3"
    try listener.folder.write(copy, try listener.folder.read("library/\(listener.files[0])"))
    for hasIndex in [true, false] {
      if !hasIndex {
        try FileManager.default.removeItem(atPath: listener.folder.path("library/.podget"))
      }
      if let record {
        try listener.folder.write(path, record)
      } else if listener.folder.contains(path) {
        try FileManager.default.removeItem(atPath: listener.folder.path(path))
      }
      let isBroken = record == "{broken\n"
      let verify = try await listener.run("verify", "--json")
      #expect(verify.status == .exited(isBroken ? 1 : 0))
      let found = zip(try verify.values("status"), try verify.values("path"))
      #expect(
        found.filter { $0.0 == "untracked" }.map(\.1).sorted()
          == listener.files.filter { $0.hasSuffix(".mp3") && "library/\($0)" != copy }.sorted())
      let list = try await listener.run("list")
      #expect(list.status == .exited(isBroken ? 1 : 0))
      #expect(list.error.contains(isBroken ? "no line of it" : "podget adopt "), "\(list.error)")
    }
    // A PDF may be an episode, but of no podcast here.
    try FileManager.default.removeItem(atPath: listener.folder.path("library/notes/paper.pdf"))
    #expect(
      try await podget("adopt", listener.library, listener.podcast, "--json", status: 0)
        .contains("\"adopted\""))
    #expect(try await podget("list").contains("2 episodes"))
  }

  @Test func `one lost record among several is told until its files are adopted`() async throws {
    _ = try await podget(
      "download", listener.podcast, "--template", "{title}/{title}.{ext}")
    let folder = "\(listener.library)/Number 1"
    _ = try await podget("list")
    try FileManager.default.removeItem(atPath: "\(folder)/.podget.ndjson")
    for arguments in [["list"], ["list", "--json"], ["prune", "--keep", "1", "--dry-run"]] {
      let said = try await listener.run(arguments)
      #expect(said.status == .exited(0))
      #expect(said.error.contains("1 file is not on record any more in \(folder); podget verify"))
    }
    #expect(try await podget("adopt", folder, listener.podcast).contains("1 adopted"))
    #expect(!(try await podget("list")).contains("on record"))
  }

  @Test func `the trash says what restore does not bring back, and where it is`() async throws {
    _ = try await podget("download", listener.podcast)
    let file = try #require(listener.files.first)
    try listener.folder.write("library/\(file)", [UInt8](repeating: 7, count: 70_000))
    _ = try await podget("verify", "--repair")
    let trash = try await podget("trash")
    let place = try #require(trash.firstMatch(of: /[^ ]*\/\.podget\/trash\/[^ ]*mp3/)?.output)
    #expect(FileManager.default.contents(atPath: String(place))?.count == 70_000)
    #expect(trash.contains("1 file is not of a removed episode"), "\(trash)")
    #expect(try await podget("restore", "--all", status: 1).contains("podget trash says"))
    #expect(try await podget("restore", "--last", status: 1).contains("podget trash says"))
    // What was removed comes back all the same.
    _ = try await podget("remove", "Number 2")
    #expect(try await podget("restore", "--all").contains("restored     Number 2"))
  }

  @Test func `commands that only read show all podcasts with a title, and say that`() async throws {
    for place in ["a", "b"] {
      let line = """
        {"fact":"finished","version":1,"key":"\(String(repeating: place, count: 32))","podcast":\
        {"title":"Talk","feedUrl":"https://\(place).example/feed"},"episode":{"guid":"\(place)",\
        "title":"Of \(place)","url":"https://\(place).example/1.mp3"},"file":"1.mp3","bytes":4,\
        "downloadedAt":"2024-03-01T10:00:00Z"}

        """
      try listener.folder.write("library/\(place)/.podget.ndjson", line)
      try listener.folder.write("library/\(place)/1.mp3", "mine")
    }
    let names = "https://a.example/feed, https://b.example/feed"
    for reading in [["list", "Talk"], ["verify", "Talk", "-v"]] {
      let result = try await listener.run(reading)
      #expect(result.status == .exited(0))
      #expect(result.error.contains("podget: Talk: 2 podcasts have this title"))
      #expect(result.error.contains(names), "\(result.error)")
      #expect(!result.output.contains("have this title"))
    }
    #expect(try await listener.run("list", "Talk", "--json").values("status").count == 2)
    for changing in [
      ["star", "--source", "Talk", "--all"], ["edit", "Talk", "--title", "x"],
      ["rename", "--template", "{title}.{ext}", "Talk"], ["prune", "--keep", "0", "Talk"],
      ["verify", "--accept", "Talk"],
    ] {
      let result = try await listener.run(changing)
      #expect(result.status == .exited(1) && result.output.isEmpty, "\(changing)")
      #expect(result.error.contains(names), "\(result.error)")
    }
  }

  @Test func `nothing to undo is a failure`() async throws {
    _ = try await podget("download", listener.podcast)
    for _ in 0..<2 {
      for name in ["Number 1", listener.podcast] {
        let nothing = try await podget("edit", name, "--undo", status: 1)
        #expect(nothing.contains("no corrections to take back"), "\(nothing)")
      }
      _ = try await podget("edit", "Number 1", "--title", "Other")
      _ = try await podget("edit", "Other", "--undo")
      _ = try await podget("edit", listener.podcast, "--folder", "Other")
      _ = try await podget("edit", listener.podcast, "--undo")
    }
    _ = try await podget("edit", "Number 1", "--all", "--undo", status: 64)
    let status = try await podget("status", status: 1)
    #expect(status.contains("podget subscribe follows one") && !status.contains("--allow-empty"))
  }
}
