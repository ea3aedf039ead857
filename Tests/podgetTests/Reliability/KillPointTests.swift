import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each of its calls that change the disk, and in the middle of each write.
  @Suite(.serialized) struct KillPoints {
    /// The ways to a final name: a rename that replaces nothing; links, where renames know no flags;
    /// a placeholder, where there are no links either; a copy, where the folder is a mount.
    private static let surroundings = [
      "", "rename2:1+1:22,", "rename2:1+1:22,link:1+1:1,", "rename2:1+1:mount,",
    ]
    /// How each of them names a whole part file.
    private static let naming = [
      ["-KEY.part:600189 +2024-01-01 - Number 1.mp3"],
      ["+2024-01-01 - Number 1.mp3", "-KEY.part:600189"],
      ["-KEY.part:600189 +2024-01-01 - Number 1.mp3"],
      [
        "+.podget-copy-ID.part:0", ".podget-copy-ID.part:262144", ".podget-copy-ID.part:524288",
        ".podget-copy-ID.part:600189", "-.podget-copy-ID.part:600189 +2024-01-01 - Number 1.mp3",
      ],
    ]

    @Test(arguments: surroundings)
    func `a kill before any call loses nothing`(surroundings: String) async throws {
      let podcast = try await TrialPodcast()
      let plan = try await Trial(podcast).killPlan("download", faults: surroundings)
      try await plan.kill { try await kill(at: $0, "any", "kill", surroundings, podcast) }
      Reliability.report("\(plan.calls.count) kill points, file system [\(surroundings)]")
    }

    @Test(arguments: zip(surroundings, naming))
    func `the steps of a download are in order`(
      surroundings: String, naming: [String]
    ) async throws {
      let podcast = try await TrialPodcast(episodes: 1)
      let plan = try await Trial(podcast).killPlan("download", faults: surroundings)
      var steps = ["+KEY.json:0", "KEY.json", "+KEY.part:0"]
      steps += ["KEY.part:262144", "KEY.part:524288", "KEY.part:600189"]
      steps += naming + ["+.podget.ndjson:0", ".podget.ndjson:2"]
      // A copy leaves the part file until the record is written.
      if naming.count > 2 { steps.append("-KEY.part:600189") }
      #expect(plan.steps == steps + ["-KEY.json"])
    }

    @Test(arguments: ["write", "pwrite"])
    func `a kill in the middle of a write loses nothing`(call: String) async throws {
      let podcast = try await TrialPodcast()
      let kills = try await Reliability.countKills(through: 400, survivals: 3) { point in
        try await kill(at: point, call, "tear", "", podcast)
      }
      #expect(kills >= Reliability.rounds(3, soak: 5))
      Reliability.report("\(kills) kills inside \(call)")
    }

    @Test func `a kill before any call that creates the index loses nothing`() async throws {
      let podcast = try await TrialPodcast()
      // A download into a new library leaves it without an index.
      let whole = try Trial(podcast)
      #expect(try await whole.run("download").status == .exited(0))
      #expect(!whole.folder.contains("library/.podget/library.sqlite"))
      let expected = try await Trial(copying: whole).run("list").output
      let kills = try await Reliability.countKills(through: 400, survivals: 3) { point in
        let trial = try Trial(copying: whole)
        let first = try await trial.run("list", faults: "any:\(point):kill")
        #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(point)")
        let second = try await trial.run("list")
        #expect(second.status == .exited(0), "\(point): \(second.error)")
        #expect(second.output == expected, "\(point)")
        return first.status == .signalled(SIGKILL)
      }
      #expect(kills >= 3)
      Reliability.report("\(kills) kills of the first list")
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
