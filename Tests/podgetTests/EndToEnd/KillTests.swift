import Foundation
import LoopbackServer
import TestSupport
import Testing

/// podget killed at twenty random moments while five episodes of 20 MB arrive.
@Suite(.serialized) struct KillTests {
  private static let block: Int64 = 256 << 10
  /// What may wait for a slow disk at once.
  private static let queue: Int64 = 2 << 20
  private static let overlap: Int64 = 64 << 10

  private let episodes = (1...5).map {
    PodcastServer.Episode($0, "Number \($0)", size: 20_000_000)
  }

  @Test func `no kill costs more than a block of each file`() async throws {
    let listener = try Listener(PodcastServer(episodes))
    let all = episodes.reduce(0) { $0 + Int64($1.bytes.count) }
    listener.server.rate = 5 << 20
    var randomness = SeededGenerator(seed: 20_230_216)
    var left: [Int64: Int64] = [:]
    for step in 1...20 as ClosedRange<Int64> {
      // A random moment within the step's share of the bytes.
      let moment = all / 21 * step - Int64.random(in: 0..<all / 25, using: &randomness)
      let earlier = listener.server.downloads.count
      // However late the kill comes, no file is complete by then.
      listener.server.hold = moment / 5 + 2 * Self.block
      let process = try listener.start("download", listener.podcast, "--json", "--jobs", "5")
      try await waitUntil("\(moment) bytes are there", seen: { process.output }) {
        arrivedBytes(listener) >= moment
      }
      process.signal(SIGKILL)
      let result = try await process.waitForExit()
      #expect(result.status == .signalled(SIGKILL))
      check(Array(listener.server.downloads[earlier...]), against: left)
      left = try partSizes(listener)
      let events = process.events
      for episode in episodes {
        let received = events.of(episode).compactMap { $0["received"] as Int64? }.max()
        if let received { #expect(left[episode.id] ?? 0 >= received - Self.queue) }
      }
    }
    #expect(left.values.contains { $0 > 0 })

    listener.server.hold = nil
    let earlier = listener.server.downloads.count
    let last = try await listener.run("download", listener.podcast, "--json", "--jobs", "5")
    #expect(last.status == .exited(0))
    check(Array(listener.server.downloads[earlier...]), against: left)
    for episode in episodes { #expect(listener.holds(episode)) }
    #expect(listener.files == episodes.map(listener.path))
    #expect(listener.partials.isEmpty)
    let record = String(
      decoding: try listener.read("The Symbolic World/.podget.ndjson"), as: UTF8.self)
    let lines = record.split(separator: "\n")
    for episode in episodes {
      #expect(lines.count { $0.contains("\"title\":\"\(episode.title)\"") } == 1)
    }

    let asked = listener.server.downloads.count
    let again = try await listener.run("download", listener.podcast, "--json")
    #expect(again.status == .exited(0) && listener.server.downloads.count == asked)
    #expect(try again.events().last?["skipped"] == 5)
  }

  /// Every request continues at the end of the part file, or at most the overlap before it.
  private func check(_ requests: [LoggedRequest], against left: [Int64: Int64]) {
    for episode in episodes {
      let own = requests.filter { $0.path == episode.path }
      #expect(own.count <= 1)
      guard let request = own.first?.request else { continue }
      let size = left[episode.id] ?? 0
      let start = request.rangeStart ?? 0
      #expect((size - Self.overlap...size).contains(start) || size == 0 && start == 0)
    }
  }

  /// The bytes in the library, in finished files and in others.
  private func arrivedBytes(_ listener: Listener) -> Int64 {
    let finished = listener.files.reduce(0 as Int64) { sum, name in
      let path = listener.folder.path("library/\(name)")
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
      return sum + (size ?? 0)
    }
    return finished + listener.partSizes.reduce(0, +)
  }

  /// The sizes of the part files by the ids of their episodes, which their records name.
  private func partSizes(_ listener: Listener) throws -> [Int64: Int64] {
    var sizes: [Int64: Int64] = [:]
    for name in listener.partials where name.hasSuffix(".json") {
      let text = String(
        decoding: try listener.read(".podget/partial/\(name)"), as: UTF8.self)
      let episode = try #require(episodes.first { text.contains("\"title\":\"\($0.title)\"") })
      let part = listener.folder.path("library/.podget/partial/\(name.dropLast(5)).part")
      let size = try? FileManager.default.attributesOfItem(atPath: part)[.size] as? Int64
      sizes[episode.id] = size ?? 0
    }
    return sizes
  }
}
