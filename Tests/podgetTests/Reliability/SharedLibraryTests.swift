import Foundation
import LoopbackServer
import TestSupport
import Testing

extension Reliability {
  /// Two podgets that want the same episodes in one library at the same time.
  @Suite(.serialized) struct SharedLibrary {
    @Test func `each episode is fetched once and both succeed`() async throws {
      let podcast = try await TrialPodcast(episodes: 4)
      podcast.server.rate = 8 << 20
      let rounds = Reliability.rounds(10, soak: 100)
      for round in 1...rounds {
        let trial = try Trial(podcast)
        let before = podcast.server.downloads.count
        let processes = try (1...2).map { _ in try trial.start("download") }
        var finished: [String] = []
        for process in processes {
          let result = try await process.waitForExit()
          #expect(result.status == .exited(0), "round \(round): \(result.output)\(result.error)")
          finished += try result.events().filter { $0.name == "finished" }.compactMap(\.title)
        }
        #expect(finished.sorted() == podcast.expected.map(\.title), "round \(round)")
        let asked = podcast.server.downloads[before...].map(\.path).sorted()
        #expect(asked == podcast.server.episodes.map(\.path), "round \(round)")
        #expect(trial.audit.shortcomings() == [], "round \(round)")
      }
      Reliability.report("\(rounds) pairs on one library")
    }

    @Test func `the other process takes over from the one that was killed`() async throws {
      let podcast = try await TrialPodcast(episodes: 3)
      podcast.server.rate = 8 << 20
      let rounds = Reliability.rounds(10, soak: 100)
      var randomness = SeededGenerator(seed: Reliability.seed)
      var kills = 0
      for round in 1...rounds {
        let trial = try Trial(podcast)
        let point = Int.random(in: 5...70, using: &randomness)
        let doomed = try trial.start("download", faults: "any:\(point):kill")
        let survivor = try trial.start("download")
        let first = try await doomed.waitForExit()
        let second = try await survivor.waitForExit()
        #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(first.error)")
        #expect(
          second.status == .exited(0), "round \(round), call \(point): \(second.output)")
        if first.status == .signalled(SIGKILL) { kills += 1 }
        // The record of what the killed one finished may remain; the next run deletes it.
        try await trial.complete(after: "a kill of the other one at call \(point)")
      }
      #expect(kills > 0)
      Reliability.report("\(kills) of two podgets killed, seed \(Reliability.seed)")
    }
  }
}
