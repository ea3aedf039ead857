import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget rename killed before each of its calls that change the disk.
  @Suite(.serialized) struct RenameKills {
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
      let kills = try await Reliability.countKills(through: 200, every: 4) { point in
        try await kill(at: point, surroundings, podcast, whole)
      }
      #expect(kills > Reliability.rounds(15, soak: 60))
      #expect(podcast.server.downloads.count == fetched)
      Reliability.report("\(kills) kills of rename, file system [\(surroundings)]")
    }

    private func kill(
      at point: Int, _ surroundings: String, _ podcast: TrialPodcast, _ whole: Trial
    ) async throws -> Bool {
      let trial = try Trial(podcast)
      try FileManager.default.copyItem(atPath: whole.library, toPath: trial.library)
      let what = "\(surroundings)any:\(point):kill"
      let template = ["--template", "{date:%d}/{podcast}/{title}.{ext}"]
      let first = try await trial.run("rename", faults: what, more: template)
      let list = try await trial.run("list")
      #expect(
        try list.values("status") == Array(repeating: "complete", count: 3), "after \(what)")
      let second = try await trial.run(
        "rename", faults: surroundings.isEmpty ? nil : surroundings, more: template)
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
      // A copy that remains after a kill is no loss.
      let visible = trial.folder.files.filter { $0.hasSuffix(".mp3") && !$0.contains("/.") }
      #expect(visible.count <= (surroundings.isEmpty ? 3 : 4), "after \(what): \(visible)")
      let download = try await trial.run("download")
      #expect(Set(try download.events().outcomes.values) == ["skipped"], "after \(what)")
      return first.status == .signalled(SIGKILL)
    }
  }
}
