import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What was removed is not downloaded again, unless it is named.
@Suite(.serialized) struct RemovalTests {
  private let one = PodcastServer.Episode(1, "Number 1")
  private let two = PodcastServer.Episode(2, "Number 2")

  @Test func `a removed episode is skipped until it is named`() async throws {
    let listener = try Listener(PodcastServer([two, one]))
    _ = try await listener.run("download", listener.podcast)
    _ = try await listener.run("remove", "Number 1")
    for arguments in [[], ["--dry-run"]] {
      let process = try RunningProcess(
        .podget, ["download", listener.podcast, "--json"] + arguments,
        environment: listener.variables)
      let result = try await process.waitForExit()
      let skipped = try result.events().of(one).first("skipped")
      #expect(skipped?["reason"] == "removed" && skipped?["path"] == listener.path(of: one))
      #expect(result.status == .exited(0))
    }
    #expect(listener.server.downloads(of: one).count == 1 && !listener.holds(one))

    let named = try await listener.run("download", listener.podcast, "--episode", "1", "--json")
    #expect(try named.events().outcomes == ["Number 1": "finished"])
    #expect(listener.holds(one) && listener.files.count == 2)
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(try again.events().of(one).first("skipped")?["reason"] == "alreadyDownloaded")
  }

  @Test func `force fetches removed episodes`() async throws {
    let listener = try Listener(PodcastServer([one]))
    _ = try await listener.run("download", listener.podcast)
    _ = try await listener.run("remove", "Number 1", "--now")
    let forced = try await listener.run("download", listener.podcast, "--force", "--json")
    #expect(try forced.events().outcomes == ["Number 1": "finished"])
    #expect(listener.holds(one) && listener.partials.isEmpty)
  }

  @Test func `a removed partial episode does not come back, a named one continues`() async throws {
    let half = PodcastServer.Episode(1, "Number 1", size: 1 << 20) { _ in
      .cut(.reset, .afterBody(400_000))
    }
    let listener = try Listener(PodcastServer([half]))
    _ = try await listener.run("download", listener.podcast, "--retries", "0")
    #expect(listener.partSizes.contains { $0 > 0 })
    #expect(try await listener.run("remove", "Number 1").status == .exited(0))
    #expect(listener.partials.isEmpty)
    let resumed = try await listener.run("resume", "--json")
    #expect(try resumed.events().names == ["summary"])
    let skipped = try await listener.run("download", listener.podcast, "--json")
    #expect(try skipped.events().outcomes == ["Number 1": "skipped"])

    // Named, interrupted again, and finished by resume: the earlier removal does not count any more.
    _ = try await listener.run("download", listener.podcast, "--episode", "1", "--retries", "0")
    #expect(listener.partSizes.contains { $0 > 0 })
    var whole = half
    whole.behaviour = { _ in Behaviour() }
    listener.server.episodes = [whole]
    let finished = try await listener.run("resume", "--json")
    #expect(try finished.events().outcomes == ["Number 1": "finished"])
    let isWhole = listener.holds(whole)
    #expect(isWhole)
  }

  @Test func `a running download is not removed`() async throws {
    let busy = PodcastServer.Episode(1, "Number 1", size: 1 << 20)
    let listener = try Listener(PodcastServer([busy]))
    listener.server.hold = 512 << 10
    let download = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("it has begun") { listener.partSizes.contains { $0 > 0 } }
    let removal = try await listener.run("remove", "Number 1")
    #expect(removal.status == .exited(1))
    #expect(removal.error.contains("podget: Number 1: Another podget is downloading it"))
    listener.server.hold = nil
    #expect(try await download.waitForExit().status == .exited(0))
    #expect(listener.holds(busy))
  }

  @Test func `two removals at once both succeed`() async throws {
    let listener = try Listener(PodcastServer([two, one]))
    _ = try await listener.run("download", listener.podcast)
    let removals = try (1...2).map { _ in try listener.start("prune", "--keep", "0", "--json") }
    for removal in removals {
      let result = try await removal.waitForExit()
      #expect(result.status == .exited(0), "\(result.error)")
    }
    #expect(listener.files.isEmpty && listener.partials.isEmpty)
    let trash = listener.folder.files.filter { $0.hasPrefix("library/.podget/trash/") }
    #expect(trash.count == 2)
  }

  @Test(arguments: ["remove", "prune"])
  func `a file that was moved by hand is removed where it is`(command: String) async throws {
    let listener = try Listener(PodcastServer([one]))
    _ = try await listener.run("download", listener.podcast)
    let library = listener.folder.path("library")
    try FileManager.default.createDirectory(
      atPath: "\(library)/Mine", withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: "\(library)/\(listener.path(of: one))", toPath: "\(library)/Mine/1.mp3")
    let named = command == "remove" ? ["Number 1"] : ["--keep", "0"]
    let dry = try await listener.run([command] + named + ["--dry-run"])
    #expect(dry.status == .exited(0) && listener.files == ["Mine/1.mp3"])
    let removed = try await listener.run([command] + named)
    #expect(removed.status == .exited(0) && removed.error.contains("restore brings back"))
    #expect(listener.files.isEmpty)
    #expect(try await listener.run("restore", "Number 1").status == .exited(0))
    #expect(listener.files == ["Mine/1.mp3"])
  }

  @Test func `both copies of an episode in two folders are removed, and restored`() async throws {
    let listener = try Listener(PodcastServer([one]))
    _ = try await listener.run("download", listener.podcast)
    let library = listener.folder.path("library")
    let podcast = listener.path(of: one).split(separator: "/")[0]
    try FileManager.default.copyItem(
      atPath: "\(library)/\(podcast)", toPath: "\(library)/\(podcast) copy")
    let before = listener.files
    #expect(before.count == 2)
    let dry = try await listener.run("remove", "Number 1", "--dry-run")
    #expect(dry.lines.count == 2 && dry.error.isEmpty && listener.files == before)
    let removed = try await listener.run("remove", "Number 1")
    #expect(removed.status == .exited(0))
    #expect(removed.lines.count == 2 && removed.error.split(separator: "\n").count == 1)
    #expect(listener.files.isEmpty)
    #expect(try await listener.run("list", "--json").output == "[]\n")
    let restored = try await listener.run("restore", "Number 1")
    #expect(restored.status == .exited(0) && listener.files == before)
    #expect(try await listener.run("verify").status == .exited(0))
  }
}
