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
      let kills = try await Reliability.countKills(through: 100, every: 3) { point in
        // The next command may be another adoption, or a download of the same episode.
        let isAdopted = point % 2 == 0 || surroundings.contains("rename2")
        return try await kill(at: point, surroundings, podcast, thenAdopting: isAdopted)
      }
      #expect(kills >= Reliability.rounds(9, soak: 27))
      Reliability.report("\(kills) kills of adopt --move, file system [\(surroundings)]")
    }

    private func kill(
      at point: Int, _ surroundings: String, _ podcast: TrialPodcast, thenAdopting: Bool
    ) async throws -> Bool {
      let trial = try Trial(podcast)
      let episode = podcast.expected[0]
      let source = try trial.folder.write("old/1.mp3", episode.bytes)
      let arguments = [trial.folder.path("old"), String(PodcastServer.id), "--move"]
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
