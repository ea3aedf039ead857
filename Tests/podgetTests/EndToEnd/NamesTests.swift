import Foundation
import LoopbackServer
import TestSupport
import Testing

/// How files are named, and how podget recognizes episodes that a publisher or user has changed.
@Suite(.serialized) struct NamesTests {
  private let listener: Listener
  private let episodes = (1...3).map { PodcastServer.Episode($0, "Number \($0)") }

  init() throws {
    listener = try Listener(PodcastServer(episodes))
  }

  private func download(_ arguments: String...) async throws -> [String: String] {
    let result = try await RunningProcess(
      .podget, ["download", listener.podcast, "--json"] + arguments,
      environment: listener.variables, folder: listener.folder.path
    ).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    return try result.events().outcomes
  }

  private func listed(_ member: String) async throws -> [String] {
    try await listener.run("list", "--json", "--sort", "title").values(member)
  }

  private var allSkipped: [String: String] {
    Dictionary(uniqueKeysWithValues: episodes.map { ($0.title, "skipped") })
  }

  @Test func `a template names new files, and recorded names stay`() async throws {
    _ = try await download("--episode", "1")
    _ = try await download(
      "--episode", "2", "--template", "{podcast}/{date:%Y}/{id:.9} {title} S{season|0}.{ext}")
    var variable = listener
    variable.environment["PODGET_TEMPLATE"] = "{title} [{id}].{ext}"
    _ = try await variable.run("download", listener.podcast, "--json")
    let paths = [
      "Number 3 [3].mp3", listener.path(of: episodes[0]),
      "The Symbolic World/2024/2 Number 2 S0.mp3",
    ]
    #expect(listener.files == paths)
    #expect(try await download("--template", "{id}.{ext}") == allSkipped)
    // A file that is gone comes back to its own name.
    try FileManager.default.removeItem(atPath: "\(listener.library)/\(paths[2])")
    _ = try await download("--template", "{id}.{ext}")
    #expect(listener.files == paths)
  }

  @Test(arguments: [
    ("{name}.{ext}", "{name} in the template is not a field"), ("{title}", "must end in .{ext}"),
    ("../{title}.{ext}", "inside the library"), ("{date:%Q}.{ext}", "{date:%Q}"),
  ])
  func `a wrong template is reported in a sentence and ends with 64`(
    template: String, words: String
  ) async throws {
    var variable = listener
    variable.environment["PODGET_TEMPLATE"] = template
    for result in [
      try await listener.run("download", listener.podcast, "--template", template),
      try await variable.run("download", listener.podcast),
      try await listener.run("rename", "--template", template),
    ] {
      #expect(result.status == .exited(64) && result.output.isEmpty)
      #expect(result.error.contains(words))
    }
    #expect(!listener.folder.contains("library") && listener.server.lookups.isEmpty)
  }

  @Test func `an episode that got another id is not fetched again`() async throws {
    _ = try await download()
    listener.server.episodes = episodes.map { episode in
      var episode = episode
      episode.id += 100
      return episode
    }
    #expect(try await download() == allSkipped)
    #expect(listener.server.downloads.count == 3)
    let show = try await listener.run("show", listener.podcast, "--json")
    #expect(try show.values("status") == Array(repeating: "complete", count: 3))
  }

  @Test func `a partial file continues under another id and address`() async throws {
    var large = PodcastServer.Episode(1, "Large", size: 2_000_000)
    listener.server.episodes = [large]
    listener.server.hold = 512 << 10
    let process = try listener.start("download", listener.podcast, "--json")
    try await waitUntil("a block has arrived") { (listener.partSizes.first ?? 0) >= 256 << 10 }
    process.signal(SIGINT)
    _ = try await process.waitForExit()
    listener.server.hold = nil
    large.id = 9
    large.path = "/moved/1.mp3"
    listener.server.episodes = [large]
    #expect(try await download() == ["Large": "finished"])
    #expect(listener.server.downloads(of: large).first?.request.rangeStart ?? 0 > 0)
    #expect(listener.files == [listener.path(of: large)] && listener.partials.isEmpty)
  }

  @Test func `a file that its owner moved is found again and not fetched`() async throws {
    _ = try await download()
    let paths = episodes.map { listener.path(of: $0) }
    let new = ["The Symbolic World/mine.mp3", "Best/of/all.MP3", paths[2]]
    try FileManager.default.createDirectory(
      atPath: "\(listener.library)/Best/of", withIntermediateDirectories: true)
    for (old, new) in zip(paths, new) where old != new {
      try FileManager.default.moveItem(
        atPath: "\(listener.library)/\(old)", toPath: "\(listener.library)/\(new)")
    }
    // The same length is not enough.
    try listener.folder.write("library/Best/other.mp3", episodes[0].bytes.reversed())
    let dry = try await listener.run("download", listener.podcast, "--dry-run", "--json")
    #expect(try dry.events().outcomes == allSkipped)
    #expect(!listener.folder.contains("library/Best/of/.podget.ndjson"))
    #expect(try await download() == allSkipped)
    #expect(try await listed("path") == new)
    #expect(try await listed("status") == Array(repeating: "complete", count: 3))
    #expect(listener.server.downloads.count == 3)
    // It is recorded now, and not searched again.
    try FileManager.default.removeItem(atPath: "\(listener.library)/Best/of/all.MP3")
    #expect(try await listed("status") == ["complete", "missing", "complete"])
    #expect(try await listed("path")[1] == "Best/of/all.MP3")
  }
}
