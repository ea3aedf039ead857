import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget adopt --move killed before each of its calls that change the disk: the file is where it
  /// was found, or complete in the library; in the end it is there once and recorded.
  @Suite(.serialized) struct AdoptionKills {
    /// On one file system; from another one; where files have one name only; into a folder that is a
    /// mount of its own.
    @Test(arguments: ["", "link:1+1:mount,", "link:1+1:1,", "rename2:1+1:mount,"])
    func `a kill before any call loses no file`(surroundings: String) async throws {
      let podcast = try await TrialPodcast(episodes: 1, size: 300_000)
      let trial = try adoptable(podcast)
      let plan = try await trial.killPlan("adopt", faults: surroundings, more: arguments(trial))
      #expect(plan.steps == Self.steps(surroundings))
      try await plan.kill { call in
        // The next command may be another adoption, or a download of the same episode.
        let isAdopted = call % 2 == 0 || surroundings.contains("rename2")
        return try await kill(at: call, surroundings, podcast, thenAdopting: isAdopted)
      }
      Reliability.report(
        "\(plan.calls.count) kills of adopt --move, file system [\(surroundings)]")
    }

    /// The changes that an adoption makes; copies where the file comes or goes by one.
    private static func steps(_ surroundings: String) -> [String] {
      let (file, isMount) = ("2024-01-01 - Number 1.mp3", surroundings.hasPrefix("rename2"))
      let copy = "KEY.adopted.part"
      var steps = ["+KEY.part:0"]
      if surroundings.hasPrefix("link") {
        steps += ["+\(copy):0", "\(copy):262144", "\(copy):300094"]
      } else {
        steps.append("+\(copy):300094")
      }
      steps += ["+KEY.adoption-ID.tmp:0", "KEY.adoption-ID.tmp"]
      steps.append("-KEY.adoption-ID.tmp +KEY.adoption")
      if isMount {
        steps += ["+.podget-copy-ID.part:0", ".podget-copy-ID.part:262144"]
        steps += [".podget-copy-ID.part:300094", "-.podget-copy-ID.part:300094 +\(file)"]
      } else {
        steps.append("-\(copy):300094 +\(file)")
      }
      steps += ["+.podget.ndjson:0", ".podget.ndjson:2"]
      if isMount { steps.append("-\(copy):300094") }
      return steps + ["-KEY.adoption", "-KEY.part:0"]
    }

    /// A trial with a file to adopt.
    private func adoptable(_ podcast: TrialPodcast) throws -> Trial {
      let trial = try Trial(podcast)
      try trial.folder.write("old/1.mp3", podcast.expected[0].bytes)
      return trial
    }

    private func arguments(_ trial: Trial) -> [String] {
      [trial.folder.path("old"), String(PodcastServer.id), "--move"]
    }

    private func kill(
      at point: Int, _ surroundings: String, _ podcast: TrialPodcast, thenAdopting: Bool
    ) async throws -> Bool {
      let trial = try adoptable(podcast)
      let arguments = arguments(trial)
      let episode = podcast.expected[0]
      let source = trial.folder.path("old/1.mp3")
      let what = "\(surroundings)any:\(point):kill"
      let first = try await trial.run("adopt", faults: what, more: arguments)
      #expect([.exited(0), .signalled(SIGKILL)].contains(first.status), "\(what): \(first.error)")
      let visible = trial.folder.files.filter { $0.hasSuffix(".mp3") && !$0.contains("/.") }
      #expect(!visible.isEmpty, "lost by \(what)")
      for name in visible {
        #expect(try trial.folder.read(name) == episode.bytes, "\(name) torn by \(what)")
      }

      let faults = surroundings.isEmpty ? nil : surroundings
      if thenAdopting {
        let second = try await trial.run("adopt", faults: faults, more: arguments)
        #expect(second.status == .exited(0), "after \(what): \(second.output)")
      }
      let download = try await trial.run("download", faults: faults)
      #expect(download.status == .exited(0), "after \(what): \(download.error)")
      if thenAdopting {
        #expect(Set(try download.events().outcomes.values) == ["skipped"], "after \(what)")
      }
      #expect(trial.audit.shortcomings() == [], "after \(what)")
      if FileManager.default.fileExists(atPath: source) {
        #expect(try trial.folder.read("old/1.mp3") == episode.bytes, "after \(what)")
      }
      return first.status == .signalled(SIGKILL)
    }
  }
}
