import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget edit --folder killed before each of its calls that change the disk.
  @Suite(.serialized) struct EditKills {
    private static let edit = [String(PodcastServer.id), "--folder", "Fruit"]

    @Test func `a kill before any call loses no file, and the same command finishes the move`()
      async throws
    {
      let podcast = try await TrialPodcast(episodes: 2, size: 20_000)
      let whole = try Trial(podcast)
      _ = try await whole.run("download")
      let fetched = podcast.server.downloads.count
      let plan = try await Trial(copying: whole).killPlan("edit", more: Self.edit)
      // What a person said is on the disk before the first file moves.
      #expect(
        plan.steps.prefix(4) == [
          "+TIME.ndjson:0", "TIME.ndjson:2", "+podcasts.ndjson:0", "podcasts.ndjson:1",
        ])
      try await plan.kill { try await kill(at: $0, podcast, whole) }
      #expect(podcast.server.downloads.count == fetched)
      Reliability.report("\(plan.calls.count) kills of edit --folder")
    }

    private func kill(
      at point: Int, _ podcast: TrialPodcast, _ whole: Trial
    ) async throws -> Bool {
      let trial = try Trial(copying: whole)
      let what = "any:\(point):kill"
      let first = try await trial.run("edit", faults: what, more: Self.edit)
      let list = try await trial.run("list")
      #expect(try list.values("status") == ["complete", "complete"], "after \(what)")
      let second = try await trial.run("edit", more: Self.edit)
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      for episode in podcast.expected {
        let name = episode.path.split(separator: "/")[1]
        #expect(try trial.folder.read("library/Fruit/\(name)") == episode.bytes, "after \(what)")
      }
      let undone = try await trial.run("edit", more: [String(PodcastServer.id), "--undo"])
      #expect(undone.status == .exited(0), "after \(what): \(undone.error)")
      for episode in podcast.expected {
        #expect(try trial.folder.read("library/\(episode.path)") == episode.bytes, "after \(what)")
      }
      let download = try await trial.run("download")
      #expect(Set(try download.events().outcomes.values) == ["skipped"], "after \(what)")
      return first.status == .signalled(SIGKILL)
    }
  }
}
