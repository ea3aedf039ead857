import Foundation
import TestSupport
import Testing

/// Media files that are symbolic links, as git-annex and rdfind make them.
@Suite(.serialized) struct LinkedFilesTests {
  private let listener: Listener
  private let one = PodcastServer.Episode(1, "Number 1")
  private let two = PodcastServer.Episode(2, "Number 2")

  /// The path of an episode's file below the library.
  private var file: String { listener.path(of: one) }

  init() async throws {
    listener = try Listener(PodcastServer([two, one]))
    #expect(try await listener.run("download", listener.podcast).status == .exited(0))
  }

  private func path(_ name: String) -> String { listener.folder.path("library/\(name)") }

  /// Moves the file of the first episode into a folder of objects and leaves a link.
  private func annex(target: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(".objects"), withIntermediateDirectories: false)
    try FileManager.default.moveItem(atPath: path(file), toPath: path(".objects/one"))
    try #require(symlink(target, path(file)) == 0)
  }

  private var targets: [String] { ["../.objects/one", path(".objects/one")] }

  private func link(_ name: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path(name))
  }

  @Test(arguments: 0...1) func `a link counts as the file that it leads to`(
    target: Int
  ) async throws {
    try annex(target: targets[target])
    for _ in 0..<2 {
      let list = try await listener.run("list", "--json")
      #expect(try list.values("status") == ["complete", "complete"])
      #expect(Set(try list.values("bytes")).isSubset(of: [one, two].map { "\($0.bytes.count)" }))
    }
    let verify = try await listener.run("verify", "--json")
    #expect(verify.status == .exited(0), "\(verify.output)")
    #expect(try verify.values("status") == ["ok", "ok"])
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(try again.events().outcomes == ["Number 1": "skipped", "Number 2": "skipped"])

    // What the link leads to changes without the folder of the link.
    try listener.folder.write("library/.objects/one", "other")
    #expect(try await listener.run("verify").status == .exited(1))
    try FileManager.default.removeItem(atPath: path(".objects/one"))
    let list = try await listener.run("list", "--json")
    #expect(Set(try list.values("status")) == ["complete", "missing"])
    let gone = try await listener.run("verify", "--json")
    #expect(Set(try gone.values("status")) == ["ok", "missing"])
    #expect(link(file) != nil)
  }

  @Test(arguments: 0...1) func `a link is removed, and restored`(target: Int) async throws {
    try annex(target: targets[target])
    #expect(try await listener.run("remove", "Number 1").status == .exited(0))
    #expect(link(file) == nil && !listener.folder.contains("library/\(file)"))
    #expect(try listener.folder.read("library/.objects/one") == one.bytes)
    let restored = try await listener.run("restore", "Number 1")
    #expect(restored.status == .exited(0), "\(restored.error)")
    #expect(link(file) == targets[target])
    #expect(try listener.folder.read("library/\(file)") == one.bytes)
    #expect(!listener.folder.files.contains { $0.hasPrefix("library/.podget/trash/") })
    #expect(try await listener.run("remove", "Number 1", "--now").status == .exited(0))
    #expect(link(file) == nil)
    #expect(try listener.folder.read("library/.objects/one") == one.bytes)
  }

  @Test(arguments: ["{title}.{ext}", "{podcast}/{title}.{ext}", "a/{podcast}/b/{title}.{ext}"])
  func `a renamed link leads to the same file`(template: String) async throws {
    var seen: Set<String> = []
    for target in 0...1 {
      if target == 0 {
        try annex(target: targets[0])
      } else {
        try FileManager.default.removeItem(atPath: path(file))
        try #require(symlink(targets[1], path(file)) == 0)
      }
      let renamed = try await listener.run("rename", "--template", template, "--json")
      #expect(renamed.status == .exited(0), "\(renamed.output) \(renamed.error)")
      let paths = try await listener.run("list", "--json").values("path")
      let moved = try #require(paths.first { $0.contains("Number 1") })
      #expect(moved != file && link(file) == nil && link(moved) != nil)
      #expect(link(moved)?.hasPrefix("/") == (target == 1))
      #expect(try listener.folder.read("library/\(moved)") == one.bytes)
      #expect(try await listener.run("verify").status == .exited(0))
      let lists = try FileManager.default.contentsOfDirectory(atPath: path(".podget/renames"))
      let list = try #require(lists.first { !seen.contains($0) })
      let undone = try await listener.run("rename", "--undo", path(".podget/renames/\(list)"))
      #expect(undone.status == .exited(0), "\(undone.error)")
      seen = Set(try FileManager.default.contentsOfDirectory(atPath: path(".podget/renames")))
      #expect(link(file) == targets[target])
      #expect(try listener.folder.read("library/\(file)") == one.bytes)
    }
  }

  @Test func `a repair takes the link that it replaces into the trash`() async throws {
    try annex(target: targets[0])
    try listener.folder.write("library/.objects/one", "other")
    let repaired = try await listener.run("verify", "--repair")
    #expect(repaired.status == .exited(0), "\(repaired.output) \(repaired.error)")
    #expect(link(file) == nil)
    #expect(try listener.folder.read("library/\(file)") == one.bytes)
    #expect(try listener.folder.read("library/.objects/one") == Array("other".utf8))
    let kept = try FileManager.default.contentsOfDirectory(atPath: path(".podget/trash"))
    #expect(kept.contains { link(".podget/trash/\($0)")?.hasSuffix("/.objects/one") == true })
  }

  @Test func `only links to regular files are followed`() async throws {
    try FileManager.default.removeItem(atPath: path(file))
    try #require(symlink("/dev/zero", path(file)) == 0)
    let list = try await listener.run("list", "--json")
    #expect(Set(try list.values("status")) == ["complete", "missing"])
    let verify = try await listener.run("verify", "--json")
    #expect(Set(try verify.values("status")) == ["ok", "missing"])
  }
}
