import Foundation
import PodcastFeeds
import PodcastKit
import TestSupport
import Testing

/// What `publish` must not do: show what is private, take away what is published, or touch files of others.
@Suite("Publishing does no harm") struct PublishSafetyTests {
  private let run: CommandRun
  private var folder: TemporaryFolder { run.folder }
  private let files = FileManager.default

  init() throws {
    run = try CommandRun()
    try run.addFinished("One", date: "2024-03-05T12:00:00Z", podcast: "News", guid: "tag:1")
    try run.addFinished("Two", date: "2024-03-06T12:00:00Z", podcast: "News", bytes: 2000)
  }

  private func publish(
    _ more: String..., to target: String = "public", input: String? = nil
  ) async throws -> RunningProcess.Result {
    try await run.podget(
      ["publish", folder.path(target), "--base-url", "https://example.org/p"] + more, input: input)
  }

  /// The path of the one podcast's folder.
  private func show() throws -> String {
    let name = try files.contentsOfDirectory(atPath: folder.path("public")).first {
      $0.hasPrefix("news-")
    }
    return "public/\(try #require(name))"
  }

  private func file(_ title: String) throws -> String {
    "\(try show())/\(CommandRun.key("News", title)).mp3"
  }

  private func feed(_ show: String) throws -> FeedDocument {
    guard case .feed(let document) = try FeedReader.read(folder.read("\(show)/feed.xml"))
    else { throw PodgetError(.decoding, "It is no feed.") }
    return document
  }

  private func published() throws -> [String: [UInt8]] {
    var content: [String: [UInt8]] = [:]
    for path in folder.files where path.hasPrefix("public/") {
      content[path] = try folder.read(path)
    }
    return content
  }

  @Test func `a library without its disk takes nothing out of the feeds`() async throws {
    _ = try await publish()
    let before = try published()
    try files.moveItem(atPath: folder.path("library"), toPath: folder.path("away"))
    try files.createDirectory(
      atPath: folder.path("library"), withIntermediateDirectories: false)
    let empty = try await publish()
    #expect(empty.status == .exited(1))
    let library = folder.path("library")
    #expect(
      empty.error
        == "podget: The library \(library) has no complete episode: its disk may not be mounted; "
        + "--allow-empty publishes all the same, and removes the rest.\n")
    #expect(try published() == before)
    try files.removeItem(atPath: library)
    #expect(try await publish("--allow-empty").status == .exited(1))
    #expect(try published() == before)
    try files.moveItem(atPath: folder.path("away"), toPath: library)
    let none = try await publish("-", input: "")
    #expect(none.status == .exited(1) && none.error.contains("no source on standard input"))
    #expect(try published() == before)
    #expect(try await publish("-", "--allow-empty", input: "").status == .exited(0))
    #expect(
      folder.files.filter { $0.hasPrefix("public/") } == [
        "public/.podget-publish", "public/index.html", "public/subscriptions.opml",
      ])
  }

  @Test func `an episode that cannot be read for the moment stays`() async throws {
    _ = try await publish()
    let before = try published()
    let path = folder.path("library/News/Two.mp3")
    try files.removeItem(atPath: path)
    try files.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere/Two.mp3")
    let result = try await publish()
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains(
        "\(path): the file that the link leads to is not there; what was published"),
      "\(result.error)")
    #expect(try published() == before)
    // One that a person deleted goes.
    try files.removeItem(atPath: path)
    #expect(try await publish().status == .exited(0))
    #expect(try feed(show()).episodes.map(\.title) == ["One"])
  }

  @Test(arguments: ["folder", "link", "fifo"])
  func `something else in the place of an episode leaves only that one out`(kind: String)
    async throws
  {
    _ = try await publish()
    let path = folder.path(try file("Two"))
    try files.removeItem(atPath: path)
    switch kind {
    case "folder": try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "link": try files.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
    default: #expect(mkfifo(path, 0o644) == 0)
    }
    try run.addFinished("Three", date: "2024-03-07T12:00:00Z", podcast: "News")
    let result = try await publish()
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains("\(path) has changed since podget wrote it, and stays."),
      "\(result.error)")
    #expect(try feed(show()).episodes.map(\.title) == ["Three", "One"])
    #expect(try await publish().status == .exited(1))
    try files.removeItem(atPath: path)
    #expect(try await publish().status == .exited(0))
    #expect(try feed(show()).episodes.map(\.title) == ["Three", "Two", "One"])
  }

  @Test func `a list that was changed gives no right to files of others`() async throws {
    _ = try await publish()
    let show = try show()
    let mine = "\(show)/\(String(repeating: "ab", count: 16)).mp3"
    for path in ["public/other/index.html", mine, "public/talk.html", "outside/feed.xml"] {
      try folder.write(path, "mine")
    }
    try files.createSymbolicLink(
      atPath: folder.path("public/link"), withDestinationPath: folder.path("outside"))
    let record = String(decoding: try folder.read("public/.podget-publish"), as: UTF8.self)
    let names = [
      "other/index.html", String(mine.dropFirst(7)), "talk.html", "link/feed.xml",
      "../outside/feed.xml",
    ]
    let lines = names.map {
      "file \($0) 4,1,-,-\nfile \($0) 4,-,\(String(repeating: "0", count: 64)),-\n"
    }
    try folder.write("public/.podget-publish", record + lines.joined())
    let result = try await publish()
    for path in ["public/other/index.html", mine, "public/talk.html", "outside/feed.xml"] {
      #expect(try folder.read(path) == Array("mine".utf8), "\(path)")
    }
    #expect(
      result.error.contains("has changed since podget wrote it, and stays."), "\(result.error)")
  }

  @Test func `a page that somebody changed is neither replaced nor removed`() async throws {
    _ = try await publish()
    let page = "\(try show())/index.html"
    try folder.write(page, "mine")
    let result = try await publish("--index")
    #expect(result.status == .exited(1))
    #expect(
      result.error
        == "podget: \(folder.path(page)) has changed since podget wrote it; move it away.\n")
    try run.addFinished("Three", date: nil, podcast: "Other")
    let other = try await publish("Other", "--allow-empty")
    #expect(other.status == .exited(1), "\(other.error)")
    #expect(try folder.read(page) == Array("mine".utf8))
    #expect(
      other.error.contains("\(folder.path(page)) has changed since podget wrote it, and stays."))
  }

  @Test func `after a failure the list names only what is there`() async throws {
    _ = try await publish()
    let record = try folder.read("public/.podget-publish")
    try run.addFinished("Three", date: nil, podcast: "Other")
    guard let far = try FarFolder(from: folder) else {
      try Test.cancel("There is no other file system.")
    }
    // Its episode cannot be linked, after the list was written.
    try files.copyItem(atPath: folder.path("library/Other"), toPath: "\(far.path)/Other")
    try files.removeItem(atPath: folder.path("library/Other"))
    try files.createSymbolicLink(
      atPath: folder.path("library/Other"), withDestinationPath: "\(far.path)/Other")
    let result = try await publish()
    #expect(result.status == .exited(1))
    #expect(result.error.hasSuffix("; --copy copies the files.\n"), "\(result.error)")
    let lines = try folder.read("public/.podget-publish").split(separator: 0x0A)
    let file = Array("file ".utf8)
    #expect(
      lines.filter { $0.starts(with: file) }
        == record.split(separator: 0x0A).filter { $0.starts(with: file) })
    #expect(try await publish("--copy").status == .exited(0))
  }

  @Test func `copies follow their files, and damaged ones are replaced`() async throws {
    let (source, time) = (folder.path("library/News/Two.mp3"), Date(timeIntervalSince1970: 1e9))
    func setTime(_ path: String, _ date: Date) throws {
      try files.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
    try setTime(source, time)
    _ = try await publish("--copy")
    let copy = folder.path(try file("Two"))
    let whole = try folder.read("library/News/Two.mp3")
    // The source was damaged when it was copied, and is replaced by one of its length and its time.
    let repaired = [UInt8](repeating: 2, count: whole.count)
    try Data(repaired).write(to: URL(filePath: source))
    try setTime(source, time)
    #expect(try await publish("--copy").error.contains("1 file written"))
    #expect(try folder.read(file("Two")) == repaired)
    #expect(try await publish("--copy").error.contains("0 files written"))
    // The copy is damaged, and nothing shows it but its bytes.
    try Data(whole).write(to: URL(filePath: copy))
    try setTime(copy, time)
    #expect(try await publish("--copy", "--verify").error.contains("1 file written"))
    #expect(try folder.read(file("Two")) == repaired)
    #expect(try await publish("--verify").error.contains("0 files written"))
    // Something was done to the source, but its bytes are the same.
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: source)
    #expect(try await publish("--copy").error.contains("0 files written"))
  }

  @Test func `everybody can read what is published, but not the list`() async throws {
    func mode(_ path: String) throws -> Int {
      try #require(files.attributesOfItem(atPath: folder.path(path))[.posixPermissions] as? Int)
    }
    try files.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.path("library/News/Two.mp3"))
    let linked = try await publish()
    #expect(linked.status == .exited(0))
    #expect(linked.error.contains("1 episode can be read by some users only"), "\(linked.error)")
    #expect(try mode(file("Two")) == 0o600)
    let copied = try await publish("--copy")
    #expect(!copied.error.contains("some users only"))
    for path in [try file("Two"), "\(try show())/feed.xml", "public/index.html"] {
      #expect(try mode(path) == 0o644)
    }
    #expect(try mode(show()) == 0o755 && mode("public") == 0o755)
    #expect(try mode("public/.podget-publish") == 0o600)
    #expect(try mode("library/News/Two.mp3") == 0o600)
  }

  @Test(arguments: ["elsewhere", "elsewhere/News", "elsewhere/News/public"])
  func `a podcast that is a link elsewhere is not served with its records`(target: String)
    async throws
  {
    try files.createDirectory(atPath: folder.path("elsewhere"), withIntermediateDirectories: false)
    try files.moveItem(
      atPath: folder.path("library/News"), toPath: folder.path("elsewhere/News"))
    try files.createSymbolicLink(
      atPath: folder.path("library/News"), withDestinationPath: folder.path("elsewhere/News"))
    let before = folder.files.filter { $0.hasPrefix("elsewhere/") }
    let result = try await publish(to: target)
    #expect(result.status == .exited(1))
    #expect(result.error.contains("it is a library, or in one or above one"), "\(result.error)")
    #expect(folder.files.filter { $0.hasPrefix("elsewhere/") } == before)
    #expect(try await publish().status == .exited(0))
  }

  @Test(arguments: [".podget.ndjson", "../../page.html", "../.podget/partial/x.part"])
  func `a name that leads to something else is not published`(target: String) async throws {
    try folder.write("page.html", "<html>secret</html>")
    try folder.write("library/.podget/partial/x.part", [UInt8](repeating: 1, count: 2000))
    let path = folder.path("library/News/Two.mp3")
    try files.removeItem(atPath: path)
    try files.createSymbolicLink(atPath: path, withDestinationPath: target)
    let result = try await publish()
    #expect(result.status == .exited(1), "\(result.error)")
    #expect(result.error.contains("Cannot publish \(path): it "), "\(result.error)")
    #expect(try feed(show()).episodes.map(\.title) == ["One"])
    #expect(folder.files.count { $0.hasPrefix("public/") && $0.hasSuffix(".mp3") } == 1)
  }

  @Test func `an address stays when the title changes, and equal names are numbered`() async throws
  {
    let records = "library/News/.podget.ndjson"
    let feeds = ["https://example.com/news?token=abc", "https://example.com/news?token=def"]
    let text = String(decoding: try folder.read(records), as: UTF8.self)
    func title(_ title: String, _ place: Int) -> String {
      text.replacing(
        "{\"title\":\"News\"}", with: "{\"title\":\"\(title)\",\"feedUrl\":\"\(feeds[place])\"}"
      ).replacing("\\/", with: "/")
    }
    try folder.write(records, title("News", 0))
    let first = try await publish("--json").values("feed")
    try folder.write(records, title("Other news", 0))
    #expect(try await publish("--json").values("feed") == first)
    #expect(try await publish("--json").values("podcast", "title") == ["Other news"])
    let record = String(decoding: try folder.read("public/.podget-publish"), as: UTF8.self)
    #expect(!record.contains("abc") && !record.contains("example"))
    // Another private feed of the same address and title.
    try folder.write(records, title("News", 0))
    for name in ["One.mp3", "Two.mp3"] {
      try folder.write("library/News two/\(name)", folder.read("library/News/\(name)"))
    }
    let keys = ["One", "Two"].map { CommandRun.key("News", $0) }
    try folder.write(
      "library/News two/.podget.ndjson",
      title("News", 1).replacing(keys[0], with: CommandRun.key("Old", "One"))
        .replacing(keys[1], with: CommandRun.key("Old", "Two")))
    let both = try await publish("--json")
    let name = try #require(first.first).replacing("/feed.xml", with: "")
    #expect(try both.values("feed") == [first[0], "\(name)-2/feed.xml"], "\(both.error)")
    #expect(try await publish("--json").values("feed") == both.values("feed"))
  }
}
