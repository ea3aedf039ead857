import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget rename killed before each of its calls that change the disk.
  @Suite(.serialized) struct RenameKills {
    private static let template = ["--template", "{date:%d}/{podcast}/{title}.{ext}"]
    private static let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)

    /// Renames within one file system, and copies where a folder is a mount of its own.
    @Test(arguments: ["", "rename2:1+1:mount,"])
    func `a kill before any call loses no file`(surroundings: String) async throws {
      let podcast = try await TrialPodcast(episodes: 3, size: 20_000)
      let whole = try Trial(podcast)
      _ = try await whole.run("download", more: ["--no-checksum"])
      // What a tag editor changed is neither of the recorded length nor of the recorded checksum.
      let edited = podcast.expected[1]
      try whole.folder.write("library/\(edited.path)", edited.bytes + Self.tag)
      let fetched = podcast.server.downloads.count
      let plan = try await Trial(copying: whole).killPlan(
        "rename", faults: surroundings, more: Self.template)
      var steps = ["+TIME.ndjson:0", "TIME.ndjson:3"]
      for number in 1...3 { steps += Self.steps(number, isCopied: !surroundings.isEmpty) }
      #expect(plan.steps == steps + ["-.podget.ndjson:9", "TIME.ndjson:4"])
      try await plan.kill { try await kill(at: $0, surroundings, podcast, whole) }
      #expect(podcast.server.downloads.count == fetched)
      Reliability.report("\(plan.calls.count) kills of rename, file system [\(surroundings)]")
    }

    /// The changes that the rename of an episode makes.
    private static func steps(_ number: Int, isCopied: Bool) -> [String] {
      let (old, new) = ("2024-01-0\(number) - Number \(number).mp3", "Number \(number).mp3")
      let isEdited = number == 2
      // The record of the old folder: 4 lines at first, then one or two for each episode.
      let lines = [5, 6, 8][number - 1]
      let (copy, size) = (".podget-copy-ID.part", isEdited ? 20_190 : 20_062)
      var steps = ["+KEY.part:0"]
      if !isEdited { steps.append(".podget.ndjson:\(lines)") }
      if isCopied {
        steps += ["+\(copy):0", "\(copy):\(size)", "-\(copy):\(size) +\(new)"]
      } else {
        steps.append("-\(old) +\(new)")
      }
      steps += ["+.podget.ndjson:0", ".podget.ndjson:2", ".podget.ndjson:\(lines + 1)"]
      if isCopied { steps.append("-\(old)") }
      return steps + ["-KEY.part:0"]
    }

    private func kill(
      at point: Int, _ surroundings: String, _ podcast: TrialPodcast, _ whole: Trial
    ) async throws -> Bool {
      let trial = try Trial(copying: whole)
      let what = "\(surroundings)any:\(point):kill"
      let first = try await trial.run("rename", faults: what, more: Self.template)
      let list = try await trial.run("list")
      #expect(
        try list.values("status") == Array(repeating: "complete", count: 3), "after \(what)")
      let second = try await trial.run(
        "rename", faults: surroundings.isEmpty ? nil : surroundings, more: Self.template)
      #expect(second.status == .exited(0), "after \(what): \(second.error)")
      let local = try await trial.run("list").objects
      for episode in podcast.expected {
        let path = try #require(
          local.first {
            ($0["episode"] as? [String: Any])?["title"] as? String == episode.title
          }?["path"] as? String)
        let day = episode.path.split(separator: "-")[2].prefix(2)
        #expect(path.hasPrefix("\(day)/The Symbolic World/\(episode.title)"), "after \(what)")
        let bytes = episode.bytes + (episode.title == podcast.expected[1].title ? Self.tag : [])
        #expect(try trial.folder.read("library/\(path)") == bytes, "after \(what)")
      }
      let visible = trial.folder.files.filter { $0.hasSuffix(".mp3") && !$0.contains("/.") }
      #expect(visible.count == 3, "after \(what): \(visible)")
      let download = try await trial.run("download")
      #expect(Set(try download.events().outcomes.values) == ["skipped"], "after \(what)")
      return first.status == .signalled(SIGKILL)
    }
  }
}
