import Foundation
import LoopbackServer
import TestSupport
import Testing

extension Reliability {
  /// podget killed at random moments of a slow download.
  @Suite(.serialized) struct RandomKills {
    private static let block: Int64 = 256 << 10
    private static let overlap: Int64 = 64 << 10

    @Test func `no kill at any moment loses or repeats many bytes`() async throws {
      let podcast = try await TrialPodcast(episodes: 3, size: 1_000_000)
      podcast.server.rate = 4 << 20
      let wanted = Reliability.rounds(30, soak: 1000)
      var randomness = SeededGenerator(seed: Reliability.seed)
      var (kills, trials, repeated) = (0, 0, 0 as Int64)
      while kills < wanted {
        trials += 1
        let trial = try Trial(podcast)
        let earlier = podcast.server.downloads.count
        var killsHere = 0
        while true {
          let sizes = trial.audit.parts
          let before = podcast.server.downloads.count
          let process = try trial.start("download")
          let limit = Int64.random(in: 0..<900_000, using: &randomness)
          // The moment depends on the received bytes, so that a slow machine makes no difference.
          try await waitUntil("so much has come", seen: { process.error }) {
            !process.isRunning || sentBytes(podcast, from: before) > limit
          }
          process.signal(SIGKILL)
          let result = try await process.waitForExit()
          try await podcast.server.settle()
          try check(podcast, from: before, against: sizes)
          #expect(trial.audit.contradictions() == [], "seed \(Reliability.seed), kill \(kills)")
          checkProgress(process, trial)
          if result.status == .exited(0) { break }
          #expect(result.status == .signalled(SIGKILL), "\(result.error)")
          killsHere += 1
        }
        kills += killsHere
        try await trial.complete(after: "\(killsHere) kills")
        let all = podcast.expected.reduce(0) { $0 + Int64($1.bytes.count) }
        let more = sentBytes(podcast, from: earlier) - all
        repeated += more
        // The server has sent more than podget has read: as much as the buffers of a socket each time.
        let files = Int64(podcast.expected.count)
        let allowed = (Self.block + Self.overlap + Self.block) * files * Int64(killsHere + 1)
        #expect(more <= allowed, "\(more) bytes more than needed after \(killsHere) kills")
      }
      Reliability.report(
        "\(kills) kills at random moments of \(trials) downloads, seed \(Reliability.seed): "
          + "\(repeated / 1024 / Int64(max(1, kills))) KiB fetched again a kill")
    }

    private func sentBytes(_ podcast: TrialPodcast, from first: Int) -> Int64 {
      podcast.server.downloads[first...].reduce(0) { $0 + $1.bytesSent }
    }

    /// Every request continues where the part file ended, less the overlap; a complete file needs none.
    private func check(
      _ podcast: TrialPodcast, from first: Int, against sizes: [String: Int64]
    ) throws {
      for (episode, expected) in zip(podcast.server.episodes, podcast.expected) {
        let size = sizes[expected.title] ?? 0
        let requests = podcast.server.downloads[first...].filter { $0.path == episode.path }
        #expect(requests.count <= (size == expected.bytes.count ? 0 : 1))
        if let start = requests.first.map({ $0.request.rangeStart ?? 0 }) {
          #expect(start == size - min(size, Self.overlap))
        }
      }
    }

    /// At most the block in memory is lost of what podget reported as received.
    private func checkProgress(_ process: RunningProcess, _ trial: Trial) {
      let audit = trial.audit
      let (parts, complete) = (audit.parts, audit.complete)
      for event in process.events where event.name == "progress" {
        guard let title = event.title, !complete.contains(title), let size = parts[title]
        else { continue }
        #expect(size + Self.block >= event["received"] ?? 0)
      }
    }
  }
}
