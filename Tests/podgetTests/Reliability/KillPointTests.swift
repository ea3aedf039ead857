import Foundation
import Synchronization
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each of its calls that change the disk, one after the other until a run
  /// comes through, and in the middle of each write.
  @Suite(.serialized) struct KillPoints {
    /// The ways to a final name: a rename that replaces nothing; links, where renames know no flags;
    /// a placeholder, where there are no links either; a copy, where the folder is a mount.
    @Test(arguments: [
      "", "rename2:1+1:22,", "rename2:1+1:22,link:1+1:1,", "rename2:1+1:mount,",
    ])
    func `a kill before any call loses nothing`(surroundings: String) async throws {
      let podcast = try await TrialPodcast()
      let points = try await countPoints("any", "kill", surroundings, podcast)
      #expect(points > 5)
      Reliability.report("\(points) kill points, file system [\(surroundings)]: all recovered")
    }

    @Test(arguments: ["write", "pwrite"])
    func `a kill in the middle of a write loses nothing`(call: String) async throws {
      let points = try await countPoints(call, "tear", "", try await TrialPodcast())
      #expect(points >= 5)
      Reliability.report("\(points) kills inside \(call): all recovered")
    }

    /// Kills at the first call, the second and so on, and returns how many kills there were.
    private func countPoints(
      _ call: String, _ action: String, _ surroundings: String, _ podcast: TrialPodcast
    ) async throws -> Int {
      let survivals = Mutex(0)
      let kills = Mutex(0)
      // Threads take turns anew in each run, so one that comes through need not be the last.
      try await Reliability.forEach(1...400) { point in
        if survivals.withLock({ $0 >= 3 }) { return }
        // The way to a final name begins late; before it all file systems are alike.
        if !Reliability.isSoak, !surroundings.isEmpty, point < 28 || point % 4 != 0 { return }
        let isKilled = try await kill(at: point, call, action, surroundings, podcast)
        if isKilled {
          kills.withLock { $0 += 1 }
        } else {
          survivals.withLock { $0 += 1 }
        }
      }
      return kills.withLock { $0 }
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
      var randomness = SeededGenerator(state: Reliability.seed &+ UInt64(point) &* 7919)
      if Reliability.isSoak || point % 4 == 0 {
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
