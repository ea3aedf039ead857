import Foundation
import TestSupport
import Testing

/// Folders whose disks are gone, and names as other systems spell them.
@Suite("Folders of a library", .timeLimit(.minutes(5))) struct LibraryFoldersTests {
  private let listener: Listener
  private let episode = PodcastServer.Episode(7, "Café")
  private let world = "The Symbolic World"

  init() throws {
    listener = try Listener(try PodcastServer([episode]))
  }

  private func path(_ name: String) -> String { listener.folder.path("library/\(name)") }

  @Test("a folder whose disk is not mounted is not filled again") func unmounted() async throws {
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    #expect(try await listener.run("list").status == .exited(0))
    try FileManager.default.moveItem(atPath: path(world), toPath: listener.folder.path("disk"))
    try FileManager.default.createDirectory(
      atPath: path(world), withIntermediateDirectories: false)
    for _ in 0..<2 {
      let list = try await listener.run("list", "--json")
      #expect(try list.values("status") == ["missing"])
      #expect(list.error.contains("is empty, although its record lists 1 file"), "\(list.error)")
      #expect(list.error.split(separator: "\n").count == 1)
    }
    let download = try await listener.run("download", listener.podcast, "--json")
    #expect(download.status == .exited(1))
    #expect(download.output.contains(#""code":"disk""#), "\(download.output)")
    #expect(try await listener.run("star", "Café").status == .exited(1))
    #expect(try await listener.run("remove", "Café").status == .exited(1))
    #expect(try await listener.run("verify").status == .exited(1))
    let contents = try FileManager.default.contentsOfDirectory(atPath: path(world))
    #expect(contents.isEmpty)

    try FileManager.default.removeItem(atPath: path(world))
    try FileManager.default.moveItem(atPath: listener.folder.path("disk"), toPath: path(world))
    #expect(try await listener.run("list", "--json").values("status") == ["complete"])
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.output.contains("alreadyDownloaded"))
  }

  @Test(
    "an empty mount point gets no record through an unfinished episode", arguments: 1...2)
  func unmountedWithPartial(round: Int) async throws {
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    let key = "0123456789abcdef0123456789abcdef"
    let partial: [String: Any] = [
      "version": 1, "key": key, "podcast": ["id": PodcastServer.id, "title": world],
      "episode": ["id": 9, "title": "Unfinished", "url": "https://a.example/9.mp3"],
      // In the second round the plan spells the folder as it is not spelled on the disk.
      "folder": round == 1 ? world : "Caf\u{E9}", "stem": "Unfinished", "announcedExtension": "mp3",
    ]
    let folder = round == 1 ? world : "Cafe\u{301}"
    if round == 2 { #expect(rename(path(world), path(folder)) == 0) }
    try listener.folder.write(
      "library/.podget/partial/\(key).json", try JSONSerialization.data(withJSONObject: partial))
    try listener.folder.write("library/.podget/partial/\(key).part", "part")
    try listener.folder.write("old/Caf\u{E9}.mp3", episode.bytes)
    #expect(try await listener.run("list").status == .exited(0))
    #expect(rename(path(folder), listener.folder.path("disk")) == 0)
    #expect(mkdir(path(folder), 0o755) == 0)

    let template = round == 1 ? "\(world)/{title}.{ext}" : "Caf\u{E9}/{title}.{ext}"
    for arguments in [
      ["restore", "Café"], ["star", "Unfinished"], ["remove", "Unfinished"], ["star", "Café"],
      ["remove", "Café"],
      ["adopt", listener.folder.path("old"), listener.podcast, "--template", template],
    ] {
      let run = try await RunningProcess(
        .podget, arguments, environment: listener.variables, folder: listener.folder.path
      ).waitForExit()
      #expect(run.status == .exited(1), "\(arguments)")
      let told = run.error + run.output
      #expect(told.contains("is empty, although its record lists 1 file"), "\(arguments): \(told)")
      #expect(!told.contains("is there  "), "\(arguments): \(told)")
      let contents = try FileManager.default.contentsOfDirectory(atPath: path(folder))
      #expect(contents.isEmpty, "\(arguments): \(contents)")
    }
    let list = try await listener.run("list", "--json")
    #expect(list.error.contains("is empty, although its record lists 1 file"), "\(list.error)")
    #expect(Set(try list.values("status")) == ["missing", "partial"])
  }

  @Test("a folder that was removed is forgotten") func removed() async throws {
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    #expect(try await listener.run("list").status == .exited(0))
    try FileManager.default.removeItem(atPath: path(world))
    let list = try await listener.run("list", "--json")
    #expect(list.status == .exited(0) && list.output == "[]\n")
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    #expect(listener.holds(episode))
  }

  @Test("a file in another Unicode form is that file; both forms are two") func forms() async throws
  {
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    let name = listener.path(of: episode)
    let decomposed = name.replacing("é", with: "e\u{301}")
    #expect(rename(path(name), path(decomposed)) == 0)
    #expect(try await listener.run("list", "--json").values("status") == ["complete"])
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.output.contains("alreadyDownloaded"))
    #expect(try await listener.run("verify", "--json").values("status") == ["ok"])

    try listener.folder.write("library/\(name)", "a twin")
    #expect(rename(path(decomposed), listener.folder.path("kept")) == 0)
    #expect(rename(path(name), path(decomposed)) == 0)
    #expect(rename(listener.folder.path("kept"), path(name)) == 0)
    let verify = try await listener.run("verify", "--json")
    #expect(Set(try verify.values("status")) == ["ok", "untracked"])
    #expect(try await listener.run("remove", "Café").status == .exited(0))
    #expect(try listener.folder.read("library/\(decomposed)") == Array("a twin".utf8))
  }

  @Test("a folder in another Unicode form is that folder") func folderForms() async throws {
    let run = { (arguments: [String]) in
      try await RunningProcess(
        .podget, arguments + ["--template", "Café/{title}.{ext}"],
        environment: listener.variables, folder: listener.folder.path
      ).waitForExit()
    }
    try FileManager.default.createDirectory(
      atPath: listener.library, withIntermediateDirectories: false)
    #expect(mkdir(path("Cafe\u{301}"), 0o755) == 0)
    #expect(try await run(["download", listener.podcast]).status == .exited(0))
    let folders = try FileManager.default.contentsOfDirectory(atPath: listener.library)
      .filter { !$0.hasPrefix(".") }
    #expect(folders.map { Array($0.utf8) } == [Array("Cafe\u{301}".utf8)])
    #expect(try await listener.run("list", "--json").values("status") == ["complete"])
  }

  @Test("names that are not UTF-8 are reported") func invalidNames() async throws {
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
    let bytes = Array(path("\(world)/bad").utf8) + [0xFF, 0x2E, 0x6D, 0x70, 0x33, 0]
    let file = bytes.withUnsafeBufferPointer {
      $0.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o644) } ?? -1
      }
    }
    #expect(file >= 0)
    close(file)
    let verify = try await listener.run("verify", "--json")
    #expect(verify.output.contains(#"bad\\xFF.mp3"#), "\(verify.output)")
    #expect(try await listener.run("list", "--json").values("status") == ["complete"])
  }
}
