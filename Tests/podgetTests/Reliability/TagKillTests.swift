import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget tag and tag --undo killed before each of their calls that change the disk.
  @Suite(.serialized) struct TagKills {
    private static let undo = ["--undo"]

    @Test func `a kill before any call of tag leaves a file that verify knows and undo gives back`()
      async throws
    {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let original = try Trial(podcast)
      _ = try await original.run("download")
      let plan = try await Trial(copying: original).killPlan("tag")
      // What gives back the file is on the disk before the file changes, and the record follows.
      let steps = plan.steps.map { $0.replacing(#/\.part:\d+/#, with: ".part") }
      #expect(
        steps.suffix(6) == [
          "-KEY.tmp +KEY.new", "-.podget-copy-ID.part", ".podget.ndjson:3", "-KEY.new +KEY.undo",
          "-KEY.copy", "-KEY.part",
        ])
      try await plan.kill { try await kill("tag", [], at: $0, podcast, original) }
      Reliability.report("\(plan.calls.count) kills of tag")
    }

    @Test func `a kill before any call of tag --undo loses no byte`() async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let original = try Trial(podcast)
      _ = try await original.run("download")
      _ = try await original.run("tag")
      let plan = try await Trial(copying: original).killPlan("tag", more: Self.undo)
      try await plan.kill { try await kill("tag", Self.undo, at: $0, podcast, original) }
      Reliability.report("\(plan.calls.count) kills of tag --undo")
    }

    private func kill(
      _ command: String, _ more: [String], at point: Int, _ podcast: TrialPodcast,
      _ original: Trial
    ) async throws -> Bool {
      let trial = try Trial(copying: original)
      let episode = podcast.expected[0]
      let what = "any:\(point):kill \(more)"
      let first = try await trial.run(command, faults: "any:\(point):kill", more: more)
      // A player finds a complete file at any moment.
      let found = try trial.folder.read("library/\(episode.path)")
      #expect(found.suffix(episode.bytes.count) == episode.bytes[...], "torn by \(what)")
      let verified = try await trial.run("verify")
      #expect(verified.status == .exited(0), "after \(what): \(verified.output)")
      #expect(try verified.values("status") == ["ok"], "after \(what): \(verified.output)")
      // Nothing is left for later, although no tags were written since.
      #expect(leftCopies(in: trial) == [], "left by \(what)")
      // It is not fetched again.
      let requests = podcast.server.downloads.count
      _ = try await trial.run("download")
      #expect(podcast.server.downloads.count == requests, "after \(what)")
      let second = try await trial.run(command, more: more)
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      if more.isEmpty {
        #expect(try trial.folder.read("library/\(episode.path)") != episode.bytes)
        let undone = try await trial.run("tag", more: Self.undo)
        #expect(undone.output.contains("\"status\":\"restored\""), "after \(what)")
      }
      #expect(try trial.folder.read("library/\(episode.path)") == episode.bytes, "after \(what)")
      #expect(try await trial.run("verify").values("status") == ["ok"], "after \(what)")
      let left = trial.folder.files.filter {
        $0.contains("/.podget/tags/") || $0.contains("podget-copy") || $0.contains("/partial/")
      }
      #expect(left == [], "left by \(what)")
      return first.status == .signalled(SIGKILL)
    }

    /// Copies, and files that say that there are some.
    private func leftCopies(in trial: Trial) -> [String] {
      trial.folder.files.filter {
        $0.contains("podget-copy") || $0.contains("/.podget/tags/") && !$0.hasSuffix(".undo")
      }
    }

    @Test(arguments: [false, true])
    func `after a kill of download --tag before any call the file gets its tags`(
      isForced: Bool
    ) async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let episode = podcast.expected[0]
      let original = try Trial(podcast)
      if isForced { _ = try await original.run("download") }
      @Sendable func copy() throws -> Trial {
        isForced ? try Trial(copying: original) : try Trial(podcast)
      }
      let more = isForced ? ["--force", "--tag"] : ["--tag"]
      let plan = try await copy().killPlan("download", more: more)
      try await plan.kill { point in
        let trial = try copy()
        let first = try await trial.run("download", faults: "any:\(point):kill", more: more)
        let what = "any:\(point):kill of download \(more)"
        let again = try await trial.run("download", more: more)
        #expect(again.status == .exited(0), "after \(what): \(again.error)")
        #expect(try await trial.run("verify").values("status") == ["ok"], "after \(what)")
        #expect(leftCopies(in: trial) == [], "left by \(what)")
        // The file is not given its name before it has them.
        let found = try trial.folder.read("library/\(episode.path)")
        #expect(found.starts(with: "ID3".utf8) && found != episode.bytes, "after \(what)")
        let undone = try await trial.run("tag", more: Self.undo)
        #expect(undone.output.contains("\"status\":\"restored\""), "after \(what)")
        #expect(try trial.folder.read("library/\(episode.path)") == episode.bytes, "after \(what)")
        let files = trial.folder.files.filter { $0.hasSuffix(".mp3") && !$0.contains("/.podget/") }
        #expect(files.count == 1, "after \(what): \(files)")
        return first.status == .signalled(SIGKILL)
      }
    }
  }
}
