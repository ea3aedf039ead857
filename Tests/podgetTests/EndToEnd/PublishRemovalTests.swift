import Foundation
import TestSupport
import Testing

/// What `publish` takes away, and where and how it makes its folder.
@Suite("Publishing takes away only what is meant") struct PublishRemovalTests {
  private let trial: PublishTrial
  private var folder: TemporaryFolder { trial.folder }

  init() throws {
    trial = try PublishTrial()
    try trial.run.addFinished("Three", date: nil, podcast: "Other")
  }

  @Test(arguments: [false, true])
  func `a disk that is away takes nothing out of the feeds, whatever the index knows`(
    isLink: Bool
  ) async throws {
    _ = try await trial.publish()
    let before = try trial.published()
    try trial.move("library/Other", to: "away")
    for path in folder.files where path.contains("library.sqlite") { try trial.remove(path) }
    if isLink {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("library/Other"), withDestinationPath: folder.path("disk"))
    } else {
      try trial.createFolder("library/Other")
    }
    let result = try await trial.publish()
    #expect(result.status == .exited(1))
    #expect(
      result.error
        == "podget: The folder \(folder.path("library"))/Other is empty, and the library does not know 1 "
        + "episode in \(folder.path("public")): mount the disk that it is on, or remove the folder; "
        + "--allow-empty publishes all the same, and removes the rest.\n")
    #expect(try trial.published() == before)
    try trial.remove("library/Other")
    #expect(try await trial.publish().status == .exited(0))
    #expect(folder.files.count { $0.hasPrefix("public/") && $0.hasSuffix(".mp3") } == 2)
  }

  @Test func `another library takes nothing away unless told`() async throws {
    _ = try await trial.publish()
    let before = try trial.published()
    // It has two of the three.
    try FileManager.default.createDirectory(
      atPath: folder.path("small"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      atPath: folder.path("library/News"), toPath: folder.path("small/News"))
    let result = try await trial.publish(library: "small")
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains(
        "\(folder.path("public")) was published from another library, and \(folder.path("small")) does "
          + "not have 1 episode of it; --allow-empty "), "\(result.error)")
    #expect(try trial.published() == before)
    #expect(try await trial.publish("--allow-empty", library: "small").status == .exited(0))
    // By now it is the one, and the other has all that it has.
    #expect(try await trial.publish(library: "small").error.contains("0 files written"))
    #expect(try await trial.publish().status == .exited(0))
    try trial.move("library", to: "moved")
    #expect(try await trial.publish(library: "moved").status == .exited(0))
    #expect(!(try trial.record().contains(folder.path)))
  }

  @Test func `most of what is published goes only if podget removed it, or when told`()
    async throws
  {
    _ = try await trial.publish()
    let before = try trial.published()
    let result = try await trial.publish("Other")
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains(
        "Of 3 episodes in \(folder.path("public")), 2 would go that podget did not remove; "
          + "--allow-empty "), "\(result.error)")
    #expect(try trial.published() == before)
    _ = try await trial.run.podget(["remove", "One"])
    #expect(try await trial.publish("Other").status == .exited(0))
    #expect(try await trial.publish().status == .exited(0))
    #expect(try await trial.publish("Other", "--allow-empty").status == .exited(0))
  }

  @Test func `a guid stays with its episode, whenever podget is killed`() async throws {
    let titles = ["Four", "Five"].sorted {
      CommandRun.key("News", $0) < CommandRun.key("News", $1)
    }
    try trial.run.addFinished(titles[1], date: nil, podcast: "News", guid: "tag:2")
    _ = try await trial.publish()
    // Its key would decide if no feed had the guid.
    try trial.run.addFinished(titles[0], date: nil, podcast: "News", guid: "tag:2")
    for point in 1...100 {
      let result = try await trial.publish(faults: "any:\(point):kill")
      #expect(try trial.guid(of: titles[1]) == "tag:2", "\(point)")
      if result.status == .exited(0) { break }
      #expect(result.status == .signalled(SIGKILL), "\(result.error)")
    }
    #expect(try trial.guid(of: titles[0]) == CommandRun.key("News", titles[0]))
    #expect(try trial.guid(of: titles[1]) == "tag:2")
  }

  @Test(arguments: 1...8) func `a guid stays with its episode after a failure`(point: Int)
    async throws
  {
    // The last key is that of the first episode, and files are placed in the order of the keys.
    let titles = ["Four", "Five", "Six", "Seven"].sorted {
      CommandRun.key("News", $0) > CommandRun.key("News", $1)
    }
    try trial.run.addFinished(titles[0], date: nil, podcast: "News", guid: "tag:2")
    _ = try await trial.publish()
    for title in titles.dropFirst() {
      try trial.run.addFinished(title, date: nil, podcast: "News", guid: "tag:2")
    }
    let result = try await trial.publish(faults: "rename:\(point):\(EIO)")
    #expect(result.status == .exited(1))
    #expect(try trial.guid(of: titles[0]) == "tag:2")
    #expect(try await trial.publish().status == .exited(0))
    #expect(try trial.guid(of: titles[0]) == "tag:2")
  }

  @Test(arguments: ["nope/../public", "nope/../../public", "nope/.."])
  func `no folder is made to go back from it`(target: String) async throws {
    let result = try await trial.publish(after: "true", to: target)
    #expect(result.status == .exited(1))
    #expect(
      result.error == "podget: Cannot open \(folder.path(target)): No such file or directory.\n")
    #expect(!folder.contains("nope") && !folder.contains("public"))
    try trial.createFolder("there")
    #expect(try await trial.publish(after: "true", to: "there/../public").status == .exited(0))
    #expect(folder.contains("public/index.html"))
  }

  @Test func `everybody can read what is published, whatever the umask`() async throws {
    let result = try await trial.publish(after: "umask 077", to: "www/x/public/")
    #expect(result.status == .exited(0), "\(result.error)")
    for path in ["www", "www/x", "www/x/public"] {
      #expect(try trial.mode(path) == 0o755, "\(path)")
    }
    for path in folder.files where path.hasPrefix("www/") && !path.hasSuffix(".mp3") {
      let mode = path.hasSuffix(".podget-publish") ? 0o600 : 0o644
      #expect(try trial.mode(path) == mode, "\(path)")
      #expect(try trial.mode(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])) == 0o755)
    }
  }

  @Test func `more podcasts than descriptors are published`() async throws {
    for number in 1...80 {
      try trial.run.addFinished("A", date: nil, podcast: "Podcast \(number)")
    }
    let result = try await trial.publish(after: "ulimit -n 64", to: "public")
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(folder.files.count { $0.hasPrefix("public/") && $0.hasSuffix(".mp3") } == 83)
    let again = try await trial.publish(after: "ulimit -n 64", to: "public")
    #expect(again.error.contains("82 podcasts: 0 files written, 0 removed"), "\(again.error)")
  }
}
