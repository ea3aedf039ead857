import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each of its calls that change the disk, one after the other until a run
  /// completes, and in the middle of each write.
  @Suite(.serialized) struct KillPoints {
    /// The ways to a final name: a rename that replaces nothing; links, where renames know no flags;
    /// a placeholder, where there are no links either; a copy, where the folder is a mount.
    @Test(arguments: [
      "", "rename2:1+1:22,", "rename2:1+1:22,link:1+1:1,", "rename2:1+1:mount,",
    ])
    func `a kill before any call loses nothing`(surroundings: String) async throws {
      let podcast = try await TrialPodcast()
      let points = try await countPoints("any", "kill", surroundings, podcast)
      #expect(points > Reliability.rounds(10, soak: 100))
      Reliability.report("\(points) kill points, file system [\(surroundings)]")
    }

    @Test(arguments: ["write", "pwrite"])
    func `a kill in the middle of a write loses nothing`(call: String) async throws {
      let points = try await countPoints(call, "tear", "", try await TrialPodcast())
      #expect(points >= Reliability.rounds(3, soak: 5))
      Reliability.report("\(points) kills inside \(call)")
    }

    /// Kills at the first call, the second and so on, and returns how many kills there were.
    private func countPoints(
      _ call: String, _ action: String, _ surroundings: String, _ podcast: TrialPodcast
    ) async throws -> Int {
      // The steps to a final name come late; before them all file systems behave the same.
      let isPlain = surroundings.isEmpty
      return try await Reliability.countKills(
        from: isPlain ? 1 : Reliability.rounds(28, soak: 1), through: 400, every: isPlain ? 2 : 6,
        survivals: 3
      ) { point in
        try await kill(at: point, call, action, surroundings, podcast)
      }
    }

    private func kill(
      at point: Int, _ call: String, _ action: String, _ surroundings: String,
      _ podcast: TrialPodcast
    ) async throws -> Bool {
      let what = "\(surroundings)\(call):\(point):\(action)"
      let trial = try Trial(podcast)
      let first = try await trial.run("download", faults: what)
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      #expect(trial.audit.contradictions() == [], "just after \(what)")
      // A kill while an earlier one is being repaired.
      var randomness = SeededGenerator(seed: Reliability.seed &+ UInt64(point) &* 7919)
      if Reliability.isSoak || Bool.random(using: &randomness) {
        let second = "\(surroundings)any:\(Int.random(in: 1...30, using: &randomness)):kill"
        let result = try await trial.run("resume", faults: second)
        #expect([.exited(0), .signalled(SIGKILL)].contains(result.status), "\(what), \(second)")
        #expect(trial.audit.contradictions() == [], "just after \(what), \(second)")
      }
      try await trial.complete(after: what, faults: surroundings.isEmpty ? nil : surroundings)
      return first.status == .signalled(SIGKILL)
    }
  }
}
