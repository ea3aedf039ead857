import Foundation
import TestSupport
import Testing

/// What `publish` does with files in its folder that it did not write, or that somebody changed.
@Suite("Publishing beside files of others") struct PublishOthersTests {
  private let trial: PublishTrial
  private var folder: TemporaryFolder { trial.folder }

  init() throws { trial = try PublishTrial() }

  @Test(arguments: [nil, "--copy", "--verify"])
  func `an episode's file that somebody changed is neither replaced nor removed`(option: String?)
    async throws
  {
    func publish() async throws -> RunningProcess.Result {
      guard let option else { return try await trial.publish() }
      return try await trial.publish(option)
    }
    _ = try await publish()
    let path = try trial.file("Two")
    // It has the length of what podget wrote.
    let mine = [UInt8](repeating: 7, count: 2000)
    try trial.remove(path)
    try folder.write(path, mine)
    let changed = "\(folder.path(path)) has changed since podget wrote it, and stays.\n"
    let result = try await publish()
    #expect(result.status == .exited(1) && result.error.contains(changed), "\(result.error)")
    #expect(try folder.read(path) == mine)
    #expect(try trial.titles() == ["Two", "One"])
    _ = try await trial.run.podget(["remove", "Two"])
    for _ in 0..<2 {
      let second = try await publish()
      #expect(second.status == .exited(1) && second.error.contains(changed), "\(second.error)")
      #expect(try folder.read(path) == mine)
      #expect(try trial.titles() == ["One"])
    }
    try trial.remove(path)
    #expect(try await publish().status == .exited(0))
    #expect(!(try trial.record().contains("\(CommandRun.key("News", "Two")).")))
  }

  @Test func `a link goes although the library's file was touched before it was removed`()
    async throws
  {
    _ = try await trial.publish()
    let path = try trial.file("Two")
    try trial.setTime("library/News/Two.mp3", Date(timeIntervalSince1970: 1_000_000_000))
    try trial.remove("library/News/Two.mp3")
    let result = try await trial.publish()
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(!folder.contains(path))
    #expect(!(try trial.record().contains("\(CommandRun.key("News", "Two")).")))
  }

  @Test func `a copy that was only touched is podget's`() async throws {
    _ = try await trial.publish("--copy")
    let path = try trial.file("Two")
    let inode = try trial.inode(path)
    try trial.setTime(path, Date(timeIntervalSince1970: 1_000_000_000))
    let result = try await trial.publish("--copy")
    #expect(result.error.contains("0 files written"), "\(result.error)")
    #expect(try trial.inode(path) == inode)
    _ = try await trial.run.podget(["remove", "Two"])
    #expect(try await trial.publish("--copy").status == .exited(0))
    #expect(!folder.contains(path))
  }

  @Test func `a check reads the copies' bytes, whatever the list says`() async throws {
    let time = Date(timeIntervalSince1970: 1_000_000_000)
    try trial.setTime("library/News/Two.mp3", time)
    _ = try await trial.publish("--copy")
    let path = try trial.file("Two")
    try Data(repeating: 9, count: 2000).write(to: URL(filePath: folder.path(path)))
    try trial.setTime(path, time)
    #expect(try await trial.publish("--copy").error.contains("0 files written"))
    let result = try await trial.publish("--copy", "--verify")
    #expect(
      result.status == .exited(0) && result.error.contains("1 file written"), "\(result.error)")
    #expect(try folder.read(path) == folder.read("library/News/Two.mp3"))
  }

  @Test(arguments: [(0o700, true), (0o710, false), (0o755, false)])
  func `a folder that only its owner can open is told`(mode: Int, isTold: Bool) async throws {
    try trial.createFolder("public")
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: folder.path("public"))
    let result = try await trial.publish()
    #expect(result.status == .exited(0))
    let note = "\(folder.path("public")) can be opened by its owner only"
    #expect(result.error.contains(note) == isTold, "\(result.error)")
    #expect(try trial.mode("public") == mode)
  }

  @Test func `artwork of somebody else is met before anything is written`() async throws {
    try folder.write("covers/News.png", TestPNG.bytes(width: 8, height: 8, color: [1, 2, 3]))
    _ = try await trial.publish()
    let artwork = "\(try trial.show())/artwork.png"
    try folder.write(artwork, "mine")
    try trial.run.addFinished("Three", date: "2024-03-07T12:00:00Z", podcast: "News")
    let before = try trial.published()
    let result = try await trial.publish("--artwork", folder.path("covers"))
    #expect(result.status == .exited(1))
    #expect(
      result.error
        == "podget: \(folder.path(artwork)) is not a file of podget; move it away, or choose another "
        + "folder.\n")
    #expect(try trial.published() == before)
  }

  @Test func `a title comes before a folder's name, which is not another podcast's title`()
    async throws
  {
    _ = try await trial.publish()
    let show = try trial.show()
    let name = String(show.dropFirst("public/".count))
    func artwork() throws -> [UInt8]? {
      let path = "\(show)/artwork.png"
      return folder.contains(path) ? try folder.read(path) : nil
    }
    let images = [1, 2].map { TestPNG.bytes(width: 8, height: 8, color: [$0, 0, 0, 255]) }
    try folder.write("covers/\(name).png", images[1])
    _ = try await trial.publish("--artwork", folder.path("covers"))
    #expect(try artwork() == images[1])
    try folder.write("covers/News.png", images[0])
    _ = try await trial.publish("--artwork", folder.path("covers"))
    #expect(try artwork() == images[0])
    // Somebody calls a podcast as the folder of this one.
    try trial.remove("covers/News.png")
    try trial.run.addFinished("Three", date: "2024-03-07T12:00:00Z", podcast: name)
    let result = try await trial.publish("--artwork", folder.path("covers"))
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(try artwork() == nil)
  }

  @Test(arguments: ["png", "jpg"])
  func `an image that breaks off does not replace the one that is published`(ending: String)
    async throws
  {
    let png = TestPNG.bytes(width: 8, height: 8, color: [1, 2, 3, 255])
    try folder.write("covers/News.png", png)
    _ = try await trial.publish("--artwork", folder.path("covers"))
    try trial.remove("covers/News.png")
    let start: [UInt8] = ending == "png" ? Array(png.prefix(40)) : [0xFF, 0xD8, 0xFF, 0xE0]
    let broken = try folder.write("covers/News.\(ending)", start)
    for _ in 0..<2 {
      let result = try await trial.publish("--artwork", folder.path("covers"))
      #expect(result.status == .exited(1))
      #expect(
        result.error.contains("\(broken) cannot be published: it is damaged."), "\(result.error)")
      #expect(try folder.read("\(trial.show())/artwork.png") == png)
      let feed = String(decoding: try folder.read("\(trial.show())/feed.xml"), as: UTF8.self)
      #expect(feed.contains("/artwork.png"))
    }
  }

  @Test func `a link in the place of an image or of a podcast's folder is told`() async throws {
    let files = FileManager.default
    try folder.write("own.png", TestPNG.bytes(width: 8, height: 8, color: [1, 2, 3]))
    try folder.write("covers/other.txt", "")
    let image = folder.path("covers/News.png")
    try files.createSymbolicLink(atPath: image, withDestinationPath: folder.path("own.png"))
    let result = try await trial.publish("--artwork", folder.path("covers"))
    #expect(result.status == .exited(1))
    #expect(result.error.contains("\(image) is a link; artwork is read from files only."))
    _ = try await trial.publish()
    let show = folder.path(try trial.show())
    try files.moveItem(atPath: show, toPath: folder.path("moved"))
    try files.createSymbolicLink(atPath: show, withDestinationPath: folder.path("moved"))
    let before = try files.contentsOfDirectory(atPath: folder.path("moved")).sorted()
    try trial.run.addFinished("Three", date: "2024-03-07T12:00:00Z", podcast: "News")
    let linked = try await trial.publish()
    #expect(linked.status == .exited(1))
    #expect(linked.error.contains("it is a link; remove it"), "\(linked.error)")
    #expect(try files.contentsOfDirectory(atPath: folder.path("moved")).sorted() == before)
  }

  @Test(arguments: ["--index", "--verify"])
  func `what cannot be read is told, and not taken for changed`(option: String) async throws {
    _ = try await trial.publish("--copy")
    let before = try trial.published()
    let inodes = try before.keys.map(trial.inode)
    var failures = 0
    for point in 1...60 {
      let result = try await trial.publish(
        "--copy", option, faults: "pread:\(point):\(EIO),rename:1+1:\(EIO)")
      #expect(!result.error.contains("changed"), "\(point): \(result.error)")
      #expect(try before.keys.map(trial.inode) == inodes, "\(point): \(result.error)")
      if result.error.contains("Cannot read \(folder.path("public"))") { failures += 1 }
    }
    #expect(failures > 1)
  }
}
