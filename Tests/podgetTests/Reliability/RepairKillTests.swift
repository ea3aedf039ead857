import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each call of a repair that changes the disk: the old file is never lost, and
  /// the new one is complete.
  @Suite(.serialized) struct RepairKills {
    /// Where the old file gets a second name; without links, it moves; on another disk, it is copied.
    @Test(
      arguments: ["", "rename2:1+1:22,link:1+1:1,", "rename2:1+1:mount,link:1+1:mount,"])
    func `a kill before any call of a repair`(surroundings: String) async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let original = try Trial(podcast)
      _ = try await original.run("download")
      let edited = podcast.expected[0].bytes + Array("what its owner added".utf8)
      try original.folder.write("library/\(podcast.expected[0].path)", edited)
      let plan = try await Trial(copying: original).killPlan(
        "verify", faults: surroundings, more: ["--repair"])
      #expect(!plan.calls.isEmpty)
      try await plan.kill { try await kill(at: $0, surroundings, podcast, original, edited) }
      Reliability.report("\(plan.calls.count) kills of a repair, file system [\(surroundings)]")
    }

    private func kill(
      at point: Int, _ surroundings: String, _ podcast: TrialPodcast, _ original: Trial,
      _ edited: [UInt8]
    ) async throws -> Bool {
      let trial = try Trial(copying: original)
      let episode = podcast.expected[0]
      let what = "\(surroundings)any:\(point):kill"
      let first = try await trial.run("verify", faults: what, more: ["--repair"])
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      let named = read(episode.path, trial)
      let isMoved = surroundings.contains("link:1+1:1,")
      #expect(
        named == edited || named == episode.bytes || named == nil && isMoved, "torn by \(what)")
      #expect(named == edited || kept(trial) == [edited], "lost by \(what)")

      // Whatever it was, the file is repaired in the end, and the old one is kept once.
      let faults = surroundings.isEmpty ? nil : surroundings
      let second = try await trial.run("verify", faults: faults, more: ["--repair"])
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      let third = try await trial.run("resume", faults: faults)
      #expect(third.status == .exited(0), "after \(what): \(third.error)")
      #expect(read(episode.path, trial) == episode.bytes, "after \(what)")
      #expect(kept(trial) == [edited], "after \(what)")
      #expect(trial.audit.partials.isEmpty, "after \(what)")
      return first.status == .signalled(SIGKILL)
    }

    /// What the files in the trash contain.
    private func kept(_ trial: Trial) -> [[UInt8]] {
      trial.folder.files.filter {
        $0.hasPrefix("library/.podget/trash/") && $0.hasSuffix(".mp3")
      }.compactMap { try? trial.folder.read($0) }
    }

    private func read(_ name: String, _ trial: Trial) -> [UInt8]? {
      try? trial.folder.read("library/\(name)")
    }
  }
}
