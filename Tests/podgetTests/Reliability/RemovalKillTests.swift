import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each call of a removal that changes the disk: the episode is there or it
  /// is removed, and is neither downloaded again nor lost from the trash.
  @Suite(.serialized) struct RemovalKills {
    /// Into the trash; for good; into the trash from a folder that is a mount; on a full disk.
    @Test(
      arguments: [
        ("", []), ("", ["--now"]), ("rename:1+1:mount,rename2:1+1:mount,", []),
        ("write:1:28,", ["--now"]),
      ] as [(String, [String])])
    func `a kill before any call of a removal`(
      surroundings: String, options: [String]
    ) async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let original = try Trial(podcast)
      _ = try await original.run("download")
      let plan = try await Trial(copying: original).killPlan(
        "remove", faults: surroundings, more: ["Number 1"] + options)
      #expect(plan.steps == Self.steps(surroundings, options))
      try await plan.kill { try await kill(at: $0, surroundings, options, podcast, original) }
      Reliability.report(
        "\(plan.calls.count) kills of a removal \(options), file system [\(surroundings)]")
    }

    /// The changes that a removal makes. The record comes first, except on a full disk, where the file
    /// makes room for it.
    private static func steps(_ surroundings: String, _ options: [String]) -> [String] {
      let (file, record) = ("2024-01-01 - Number 1.mp3", ".podget.ndjson:3")
      let trash = ["+trash.json:0", "trash.json"]
      let steps: [String] =
        switch (surroundings, options) {
        case ("", []): [record, "-\(file) +TIME-KEY.mp3", "-KEY.part:0"] + trash
        case ("", _): [record, "-\(file)", "-KEY.part:0"]
        case (_, []):
          [
            record, "+.podget-copy-ID.part:0", ".podget-copy-ID.part:262144",
            ".podget-copy-ID.part:300094", "-.podget-copy-ID.part:300094 +TIME-KEY.mp3",
            "-\(file)", "-KEY.part:0",
          ] + trash
        default: ["-\(file)", record, "-KEY.part:0"]
        }
      return ["+KEY.part:0"] + steps
    }

    private func kill(
      at point: Int, _ surroundings: String, _ options: [String], _ podcast: TrialPodcast,
      _ original: Trial
    ) async throws -> Bool {
      let trial = try Trial(copying: original)
      let episode = podcast.expected[0]
      let what = "\(surroundings)any:\(point):kill \(options)"
      let first = try await trial.run(
        "remove", faults: "\(surroundings)any:\(point):kill", more: ["Number 1"] + options)
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      let copies = files(trial).filter { $0.hasSuffix(".mp3") && !$0.contains("/.2") }
      let whole = copies.filter { read($0, trial) == episode.bytes }
      if options.isEmpty { #expect(!whole.isEmpty, "lost by \(what)") }
      #expect(copies.contains(episode.path) == whole.contains(episode.path), "torn by \(what)")

      // Whatever it was, it is removed in the end, once, and not fetched again.
      let requests = podcast.server.downloads.count
      // A mount stays one; a disk does not stay full.
      let faults = surroundings.contains("mount") ? surroundings : nil
      let second = try await trial.run("remove", faults: faults, more: ["Number 1"] + options)
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      let download = try await trial.run("download")
      #expect(try download.events().first("skipped")?["reason"] == "removed", "after \(what)")
      #expect(podcast.server.downloads.count == requests)
      let left = files(trial).filter {
        !$0.hasSuffix(".podget.ndjson") && !$0.hasPrefix(".podget/library.sqlite")
          && $0 != ".podget/trash.json"
      }
      #expect(left.count == (options.isEmpty ? 1 : 0), "left by \(what): \(left)")
      if options.isEmpty {
        #expect(left.allSatisfy { $0.hasPrefix(".podget/trash/") })
        let restored = try await trial.run("restore", faults: faults, more: ["Number 1"])
        #expect(restored.status == .exited(0), "after \(what): \(restored.error)")
        #expect(trial.audit.contradictions() == [], "after \(what)")
      }
      return first.status == .signalled(SIGKILL)
    }

    private func files(_ trial: Trial) -> [String] {
      trial.folder.files.filter { $0.hasPrefix("library/") }.map { String($0.dropFirst(8)) }
    }

    private func read(_ name: String, _ trial: Trial) -> [UInt8]? {
      try? trial.folder.read("library/\(name)")
    }
  }
}
