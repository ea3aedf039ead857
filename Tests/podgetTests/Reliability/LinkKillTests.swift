import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each call that changes the disk while it removes or restores an episode whose
  /// file is a link, as git-annex makes them: the link is there or in the trash, and leads to the file.
  @Suite(.serialized) struct LinkKills {
    @Test(arguments: ["remove", "restore"])
    func `a kill before any call loses no link`(command: String) async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let original = try Trial(podcast)
      _ = try await original.run("download")
      let path = "\(original.library)/\(podcast.expected[0].path)"
      let target = original.folder.path("annex")
      try FileManager.default.moveItem(atPath: path, toPath: target)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      if command == "restore" { _ = try await original.run("remove", more: ["Number 1"]) }
      let plan = try await Trial(copying: original).killPlan(command, more: ["Number 1"])
      try await plan.kill { try await kill(at: $0, command, target, podcast, original) }
      Reliability.report("\(plan.calls.count) kills of a link's \(command)")
    }

    private func kill(
      at point: Int, _ command: String, _ target: String, _ podcast: TrialPodcast,
      _ original: Trial
    ) async throws -> Bool {
      let trial = try Trial(copying: original)
      let path = podcast.expected[0].path
      let what = "any:\(point):kill \(command)"
      let requests = podcast.server.downloads.count
      let first = try await trial.run(
        command, faults: "any:\(point):kill", more: ["Number 1"])
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      let there = try links(trial, to: target)
      #expect(there.contains { $0 == path || isTrashed($0) }, "lost by \(what)")

      let second = try await trial.run(command, more: ["Number 1"])
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      let download = try await trial.run("download")
      #expect(
        try download.events().first("skipped")?["reason"]
          == (command == "remove" ? "removed" : "alreadyDownloaded"), "after \(what)")
      let left = try links(trial, to: target)
      #expect(left.contains(path) == (command == "restore"), "after \(what): \(left)")
      #expect(command == "restore" || left.contains(where: isTrashed), "after \(what): \(left)")
      let restored = try await trial.run("restore", more: ["Number 1"])
      #expect(restored.status == .exited(0), "after \(what): \(restored.error)")
      #expect(try links(trial, to: target).contains(path), "after \(what)")
      #expect(trial.audit.contradictions() == [], "after \(what)")
      #expect(podcast.server.downloads.count == requests, "after \(what)")
      return first.status == .signalled(SIGKILL)
    }

    private func isTrashed(_ path: String) -> Bool { path.hasPrefix(".podget/trash/") }

    /// The paths of the links in a library that lead to a file.
    private func links(_ trial: Trial, to target: String) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: trial.library).filter {
        let link = "\(trial.library)/\($0)"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == target
      }
    }
  }
}
