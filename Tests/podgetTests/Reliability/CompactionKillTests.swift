import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each call of a command whose line lets podget compact a folder's record:
  /// the record is the long one or the short one, never less.
  @Suite(.serialized) struct CompactionKills {
    /// Once the file grows past this it is looked through.
    private static let step = 64 * 1024

    @Test func `a kill before any call of a compaction, or in the middle of a write`() async throws
    {
      let podcast = try await TrialPodcast(episodes: 2, size: 300_000)
      let original = try Trial(podcast)
      try await original.complete(after: "nothing")
      let record = try #require(original.folder.files.first { $0.hasSuffix("/.podget.ndjson") })
      try await swell(record, of: original)
      let plan = try await Trial(copying: original).killPlan("star", more: ["Number 1"])
      #expect(
        plan.steps == [
          ".podget.ndjson:76", "+.podget.ndjson.new:0", ".podget.ndjson.new:4",
          "-.podget.ndjson.new:4 .podget.ndjson:4",
        ])
      try await plan.kill { try await star(at: "any:\($0):kill", record, podcast, original) }
      let torn = try await Reliability.countKills(through: 60) { point in
        try await star(at: "write:\(point):tear", record, podcast, original)
      }
      #expect(torn >= 2)
      Reliability.report("\(plan.calls.count) kills and \(torn) torn writes of a compaction")
    }

    /// Appends superseded lines until one more line makes the record long enough.
    private func swell(_ record: String, of trial: Trial) async throws {
      for command in ["star", "unstar"] {
        #expect(try await trial.run(command, more: ["Number 1"]).status == .exited(0))
      }
      let lines = try trial.folder.read(record)
      let newline = UInt8(ascii: "\n")
      let last = try #require(lines.dropLast().split(separator: newline).last) + [newline]
      let count = (Self.step - 1 - lines.count) / last.count
      try trial.folder.write(record, lines + Array(repeatElement(last, count: count).joined()))
    }

    private func star(
      at what: String, _ record: String, _ podcast: TrialPodcast, _ original: Trial
    ) async throws -> Bool {
      let trial = try Trial(copying: original)
      let before = try trial.folder.read(record)
      let first = try await trial.run("star", faults: what, more: ["Number 1"])
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      #expect(try await trial.run("list").values("status") == ["complete", "complete"], "\(what)")
      #expect(trial.audit.contradictions() == [], "just after \(what)")
      if first.status == .exited(0) {
        #expect(try trial.folder.read(record).count < before.count / 4, "it was compacted")
      }
      let second = try await trial.run("star", more: ["Number 1"])
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      let starred = try await trial.run("list").values("starred")
      #expect(starred.count { $0 == "1" || $0 == "true" } == 1, "after \(what): \(starred)")
      let download = try await trial.run("download")
      #expect(try download.events().outcomes.values.allSatisfy { $0 == "skipped" }, "\(what)")
      return first.status == .signalled(SIGKILL)
    }
  }
}
