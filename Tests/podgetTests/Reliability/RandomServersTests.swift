import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// podget against hosts that misbehave and change their files at random.
///
/// Each batch is a podcast of 25 episodes, each on a host of its own. `PODGET_SOAK=1` runs 400 batches
/// instead of 8; `PODGET_SEED=N` runs batch N alone; a failure names it.
@Suite(.serialized) struct RandomServersTests {
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["PODGET_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(0..<(environment["PODGET_SOAK"] == "1" ? 400 : 8))
  }()
  private static let done = Mutex(0)

  @Test(.timeLimit(.minutes(5)), arguments: seeds)
  func `a final file is one complete version, and partial files continue`(
    seed: UInt64
  ) async throws {
    let podcast = try RandomPodcast(seed: seed, count: 25)
    let folder = try TemporaryFolder()
    let rerun = "PODGET_SEED=\(seed) swift test --filter RandomServersTests"
    for round in 0..<3 {
      // In the last round all hosts behave, and everything must arrive.
      if round == 2 { podcast.hosts.forEach { $0.behaveWell() } }
      let result = try await RunningProcess(
        .podget,
        ["download", "1", "--all", "--json", "--jobs", "6", "--retries", "\(podcast.retries)"],
        environment: [
          "PODGET_ITUNES_URL": podcast.origin, "PODGET_LIBRARY": folder.path("library"),
          "PODGET_RETRY_DELAY": "0", "HOME": folder.path, "LANG": "C.UTF-8",
        ]
      ).waitForExit()
      let events = try result.events()
      for host in podcast.hosts {
        let told = events.filter { $0.title == host.title && $0.name != "progress" }
        let story = "\(rerun): \(told.map(\.name)); \(host.told)"
        #expect(told.count(where: \.isTerminal) == 1, "\(story)")
        let path = "library/Random/\(host.title).mp3"
        switch told.last?.name {
        case "finished", "skipped":
          // Compared outside of the expectation, which would print all the bytes.
          let isOneVersion = host.versions.contains(try folder.read(path))
          #expect(isOneVersion, "\(story)")
        case "failed":
          #expect(round < 2, "\(story): \(told.last?.message ?? "")")
          #expect(!folder.contains(path), "\(story)")
          #expect(told.last?.message?.hasSuffix(".") == true, "\(story)")
        default: Issue.record("\(story)")
        }
        #expect(host.needless == [], "\(story)")
      }
      let hasFailed = events.contains { $0.name == "failed" }
      #expect(result.status == .exited(hasFailed ? 1 : 0), "\(rerun): \(result.error)")
    }
    let left = folder.files.filter { $0.hasPrefix("library/.podget/partial/") }
    #expect(left == [], "\(rerun)")
    let batches = Self.done.withLock { done in
      done += 1
      return done
    }
    if batches == Self.seeds.count {
      Reliability.report("\(batches * podcast.hosts.count) random servers from \(batches) seeds")
    }
  }
}

/// A directory with one podcast of random episodes.
private struct RandomPodcast {
  let hosts: [RandomHost]
  let retries: Int
  var origin: String { directory.origin }
  private let servers: [LoopbackServer]
  private let directory: LoopbackServer

  init(seed: UInt64, count: Int) throws {
    var random = SeededGenerator(seed: seed &* 7919 &+ 17)
    retries = Int.random(in: 0...4, using: &random)
    let hosts = (1...count).map { RandomHost(title: "Number \($0)", using: &random) }
    self.hosts = hosts
    // Hosts of their own: podget stops asking one for ranges that keeps changing its files.
    let servers = try hosts.map { host in try LoopbackServer { host.answer($0, on: $1) } }
    self.servers = servers
    let episodes: [[String: Any]] = zip(hosts, servers).enumerated().map { number, pair in
      [
        "wrapperType": "podcastEpisode", "kind": "podcast-episode", "trackId": number + 10,
        "collectionId": 1, "collectionName": "Random", "trackName": pair.0.title,
        "episodeUrl": pair.1.origin + "/a.mp3", "episodeFileExtension": "mp3",
      ]
    }
    let show: [String: Any] = [
      "wrapperType": "track", "kind": "podcast", "collectionId": 1, "collectionName": "Random",
    ]
    let body = try JSONSerialization.data(withJSONObject: [
      "resultCount": count + 1, "results": [show] + episodes,
    ])
    directory = try LoopbackServer { $1.respond(body: body) }
  }
}
