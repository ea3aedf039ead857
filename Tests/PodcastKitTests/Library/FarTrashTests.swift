import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("The trash of a folder on another disk") struct FarTrashTests {
  private let folders: LibraryFolders
  private let far: FarFolder
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let day = 86_400.0
  private var library: Library { folders.library }

  init() throws {
    folders = try LibraryFolders()
    guard let far = try FarFolder(from: folders.folder) else {
      try Test.cancel("There is no other file system.")
    }
    self.far = far
    try mkdir("Deep")
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path("Far"), withDestinationPath: far.path)
    try folders.add("a", to: "Far/Deep")
    try folders.add("near", to: "P")
  }

  private func mkdir(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(far.path)/\(path)", withIntermediateDirectories: true)
  }

  private func remove(_ keys: String..., days: Double? = 7) -> [EpisodeRemover.Outcome] {
    EpisodeRemover(
      library: library, removesStarred: false, keptUntil: days.map { now + $0 * day }, now: now
    ).remove(episodes(keys))
  }

  private func episodes(_ keys: [String]) -> [LocalEpisode] {
    let all = library.episodes()
    return keys.compactMap { key in all.first { $0.plan.episodeKey == EpisodeKey(named: key) } }
  }

  private func inode(_ path: String) -> ino_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : nil
  }

  private func names(_ path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  private var farTrash: [String] { names("\(far.path)/.podget/trash") }
  private var firstTrash: [String] { names(folders.folder.path(".podget/trash")) }

  @Test("files stay on their disk, in its topmost folder, and are restored from there")
  func stays() throws {
    let before = inode("\(far.path)/Deep/a.mp3")
    #expect(remove("a", "near") == [.removed, .removed])
    #expect(farTrash.count == 1 && firstTrash.count == 1)
    #expect(inode("\(far.path)/.podget/trash/\(farTrash[0])") == before)
    #expect(
      Set(library.trashedFiles.map { LibraryPath.split($0.path).folder })
        == ["Far/.podget/trash", ".podget/trash"])
    #expect(library.absentTrash(at: now) == nil)
    let results = library.restore(episodes(["a", "near"]), at: now)
    #expect(results.compactMap { try? $0.get().path } == ["Far/Deep/a.mp3", "P/near.mp3"])
    #expect(inode("\(far.path)/Deep/a.mp3") == before && library.trashedFiles.isEmpty)
    #expect(names(far.path).sorted() == [".podget", "Deep"])
  }

  @Test("the index finds the folder when nothing remembers it") func forgotten() throws {
    _ = remove("a")
    try FileManager.default.removeItem(atPath: folders.folder.path(Trash.memory))
    _ = library.reading()
    #expect(library.trashedFiles.map(\.key) == [EpisodeKey(named: "a")])
    // What is remembered needs no index.
    #expect(remove("near") == [.removed])
    _ = library.restore(episodes(["a"]), at: now)
    #expect(remove("a") == [.removed])
    try FileManager.default.removeItem(atPath: folders.folder.path(LibraryDatabase.name))
    #expect(Trash(of: library).contents.items.count == 2)
  }

  @Test("the terms of all folders end, and what is deleted at once is deleted in all")
  func terms() throws {
    #expect(remove("a", "near") == [.removed, .removed])
    library.emptyTrash(at: now + 20 * day)
    #expect(library.trashedFiles.count == 2)
    library.emptyTrash(at: now + 30 * day)
    #expect(library.trashedFiles.isEmpty && farTrash.isEmpty && firstTrash.isEmpty)
    try folders.add("b", to: "Far/Deep")
    #expect(remove("b") == [.removed])
    library.deleteFromTrash(episodes(["b"]))
    #expect(farTrash.isEmpty)
    try folders.add("c", to: "Far/Deep")
    #expect(remove("c") == [.removed])
    let files = library.trashedFiles
    #expect(files.count == 1 && library.deleteFromTrash(files) == files && farTrash.isEmpty)
  }

  @Test("what is replaced there is kept there, without a copy") func replaced() throws {
    let deep = try #require(RelativePath("Far/Deep"))
    let source = try OpenFile.folder(deep, in: library.root, creating: false)
    let folder = try Trash(of: library).folder(for: source, at: deep, keptUntil: now + day)
    try folder.keep("a.mp3", of: source, key: EpisodeKey(named: "a").text, keptUntil: now + day)
    #expect(farTrash.count == 1 && names("\(far.path)/Deep").contains("a.mp3"))
    #expect(inode("\(far.path)/.podget/trash/\(farTrash[0])") == inode("\(far.path)/Deep/a.mp3"))
  }

  @Test("without the disk nothing is lost, and one sentence says what cannot be restored")
  func absent() throws {
    #expect(remove("a", "near") == [.removed, .removed])
    let removed = episodes(["a"])
    let away = "\(far.path) away"
    try FileManager.default.moveItem(atPath: far.path, toPath: away)
    defer { try? FileManager.default.removeItem(atPath: away) }
    let sentence = try #require(library.absentTrash(at: now))
    #expect(sentence.contains("/Far is not there"))
    #expect(library.trashedFiles.map(\.key) == [EpisodeKey(named: "near")])
    let error = #expect(throws: PodgetError.self) { try library.restore(removed[0], at: now) }
    #expect(error?.message == sentence)
    library.emptyTrash(at: now + day)
    // When its files would be expired, there is nothing more to say.
    #expect(library.absentTrash(at: now + 60 * day) == nil)
    try FileManager.default.moveItem(atPath: away, toPath: far.path)
    #expect(library.absentTrash(at: now) == nil)
    #expect(try library.restore(removed[0], at: now).status == .complete)
  }

  /// What stands in the place of podget's folders on the other disk.
  enum Foreign: CaseIterable {
    case linkedFolder, linkedTrash, file, library, anotherOwner
  }

  @Test(
    "a trash there that is not podget's own is not used", arguments: Foreign.allCases,
    [false, true])
  func foreign(what: Foreign, isRemembered: Bool) throws {
    try mkdir("elsewhere")
    let own = "\(far.path)/.podget"
    switch what {
    case .linkedFolder:
      try FileManager.default.createSymbolicLink(
        atPath: own, withDestinationPath: "\(far.path)/elsewhere")
    case .linkedTrash:
      try mkdir(".podget")
      try FileManager.default.createSymbolicLink(
        atPath: "\(own)/trash", withDestinationPath: "\(far.path)/elsewhere")
    case .file:
      #expect(FileManager.default.createFile(atPath: own, contents: Data()))
    case .library:
      try mkdir(".podget/partial")
      try mkdir(".podget/trash")
    case .anotherOwner:
      guard geteuid() == 0 else { return }
      try mkdir(".podget/trash")
      try #require(chown("\(own)/trash", 12_345, 12_345) == 0)
    }
    let before = names(own).sorted()
    // A disk that was there before was used, and this one is there now.
    if isRemembered {
      try folders.folder.write(Trash.memory, #"["Far","2999-01-01T00:00:00Z"]"# + "\n")
    }
    #expect(library.trashedFiles.isEmpty)
    #expect(remove("a") == [.removed])
    #expect(names("\(far.path)/elsewhere").isEmpty && farTrash.isEmpty)
    #expect(firstTrash.count == 1 && names(own).sorted() == before)
    #expect(try library.restore(episodes(["a"])[0], at: now).status == .complete)
    #expect(names("\(far.path)/Deep").contains("a.mp3") && firstTrash.isEmpty)
    // A foreign file there is neither listed nor deleted.
    if what == .library {
      let foreign = "\(own)/trash/20200101T000000Z-\(EpisodeKey(named: "a")).mp3"
      #expect(FileManager.default.createFile(atPath: foreign, contents: Data("x".utf8)))
      for days in [20.0, 30] { library.emptyTrash(at: now + days * day) }
      #expect(library.trashedFiles.isEmpty && farTrash.count == 1)
    }
  }

  @Test("lines about folders that podget never writes are ignored") func hostileMemory() throws {
    try folders.folder.write(
      Trash.memory,
      """
      ["../elsewhere", "2999-01-01T00:00:00Z"]
      ["", "2999-01-01T00:00:00Z"]
      ["Far"]
      ["Far", "soon"]
      {"Far": 1}
      ["Far", "2999-01-0
      """)
    #expect(library.absentTrash(at: now) == nil)
    #expect(remove("a") == [.removed])
    #expect(library.trashedFiles.map(\.key) == [EpisodeKey(named: "a")])
    try FileManager.default.removeItem(atPath: folders.folder.path(LibraryDatabase.name))
    #expect(Trash(of: library).contents.items.count == 1)
  }
}
