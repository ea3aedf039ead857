import Foundation
import PodcastKit
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

extension Reliability {
  /// podget killed before each of its calls that change the disk, while files beside an episode go where
  /// it goes.
  @Suite(.serialized) struct BelongingKills {
    private static let texts = ["vtt": "WEBVTT", "jpg": "image"]

    /// A library with an episode and two files beside it.
    private func library() async throws -> Trial {
      let podcast = try await TrialPodcast(episodes: 1, size: 20_000)
      let trial = try Trial(podcast)
      _ = try await trial.run("download")
      let library = try #require(try Library.open(trial.library, creating: false))
      let local = try #require(library.episodes().first)
      let stored = try BelongingStore(library).store(
        [
          .init(.transcript, bytes: Array("WEBVTT".utf8), ending: ".vtt"),
          .init(.artwork, bytes: Array("image".utf8), ending: ".jpg"),
        ], of: local.plan.episodeKey, at: try #require(RelativePath(local.path)))
      #expect(stored.count == 2)
      return trial
    }

    /// Checks that both files are beside the episode's, on record, and as they were.
    private func check(_ trial: Trial, _ stem: String, _ what: String) throws {
      for (ending, text) in Self.texts {
        let bytes = try? trial.folder.read("library/\(stem).\(ending)")
        #expect(bytes == Array(text.utf8), "\(ending) after \(what): \(visible(trial))")
      }
      #expect(visible(trial).count == 3, "after \(what): \(visible(trial))")
      let library = try #require(try Library.open(trial.library, creating: false))
      let files = library.belongings(of: library.episodes()).values.joined().map(\.path)
      #expect(Set(files) == ["\(stem).vtt", "\(stem).jpg"], "after \(what)")
    }

    private func visible(_ trial: Trial) -> [String] {
      trial.folder.files.filter { $0.hasPrefix("library/") && !$0.contains("/.") }
    }

    @Test(arguments: ["", "rename2:1+1:mount,"])
    func `a kill of a rename loses nothing that is beside an episode`(
      surroundings: String
    ) async throws {
      let template = ["--template", "{date:%d}/{podcast}/{title}.{ext}"]
      let whole = try await library()
      let plan = try await Trial(copying: whole).killPlan(
        "rename", faults: surroundings, more: template)
      try await plan.kill { point in
        let trial = try Trial(copying: whole)
        let what = "\(surroundings)any:\(point):kill"
        let first = try await trial.run("rename", faults: what, more: template)
        let second = try await trial.run(
          "rename", faults: surroundings.isEmpty ? nil : surroundings, more: template)
        #expect(second.status == .exited(0), "after \(what): \(second.error)")
        try check(trial, "01/The Symbolic World/Number 1", what)
        return first.status == .signalled(SIGKILL)
      }
      Reliability.report("\(plan.calls.count) kills of rename with files beside episodes")
    }

    @Test(arguments: ["remove", "restore"])
    func `a kill of a removal or of a restoration loses nothing that is beside an episode`(
      command: String
    ) async throws {
      let whole = try await library()
      if command == "restore" { _ = try await whole.run("remove", more: ["Number 1"]) }
      let plan = try await Trial(copying: whole).killPlan(command, more: ["Number 1"])
      try await plan.kill { point in
        let trial = try Trial(copying: whole)
        let what = "\(command) any:\(point):kill"
        let first = try await trial.run(command, faults: "any:\(point):kill", more: ["Number 1"])
        if command == "remove" {
          let second = try await trial.run("remove", more: ["Number 1"])
          #expect(second.status == .exited(0), "after \(what): \(second.error)")
          #expect(visible(trial).isEmpty, "after \(what): \(visible(trial))")
        }
        _ = try await trial.run("restore", more: ["Number 1"])
        try check(trial, "The Symbolic World/2024-01-01 - Number 1", what)
        return first.status == .signalled(SIGKILL)
      }
      Reliability.report("\(plan.calls.count) kills of \(command) with files beside episodes")
    }
  }
}
