import Foundation
import Synchronization
import TestSupport
import Testing

extension Reliability {
  /// podget on disks that fail one call, or all calls from one on.
  @Suite(.serialized) struct DiskFaults {
    @Test func `no refused call creates a wrong file or loses received bytes`() async throws {
      let podcast = try await TrialPodcast()
      let tried = Mutex((faults: 0, failures: 0))
      try await Reliability.forEach(DiskFault.all.indices) { index in
        let fault = DiskFault.all[index]
        var misses = 0
        // The short form tries each fault at a place or two, once or from there on.
        let isFrequent = ["open", "write", "pwrite", "fsync", "rename"].contains(fault.call)
        let places = [1 + index % 3] + (isFrequent ? [4 + index % 5] : [])
        let points = Reliability.isSoak ? Array(1...200) : places
        for point in points where misses < 3 {
          for step in Reliability.isSoak ? [0, 1] : [point % 2] {
            let outcome = try await attempt(fault, at: point, step: step, podcast)
            if outcome == .missed {
              misses += 1
            } else {
              tried.withLock {
                $0.faults += 1
                $0.failures += outcome == .failed ? 1 : 0
              }
            }
          }
        }
      }
      let (faults, failures) = tried.withLock { $0 }
      #expect(faults > 40 && failures > 20)
      Reliability.report(
        "\(faults) disk faults of \(DiskFault.all.count) kinds: \(failures) told, "
          + "\(faults - failures) survived")
    }

    private enum Outcome {
      /// There was no such call.
      case missed
      case survived
      case failed
    }

    private func attempt(
      _ fault: DiskFault, at point: Int, step: Int, _ podcast: TrialPodcast
    ) async throws -> Outcome {
      let rule = "\(fault.call):\(point)\(step > 0 ? "+1" : ""):\(fault.action)"
      let what: Comment = "\(fault.surroundings)\(rule)"
      let trial = try Trial(podcast)
      let result = try await trial.run("download", faults: "\(fault.surroundings)\(rule)")
      #expect([.exited(0), .exited(1)].contains(result.status), "\(what): \(result.error)")
      let events = try result.events()
      #expect(events.last?.name == "summary", what)
      for failed in events where failed.name == "failed" {
        #expect(failed.code == fault.code, "\(what): \(failed)")
      }
      let isFailed = events.contains { $0.name == "failed" }
      #expect(isFailed == (result.status == .exited(1)), what)
      let audit = trial.audit
      // After a failed sync the file may be correct, but podget must not report it as finished.
      #expect(audit.contradictions() == [], what)
      let finished = Set(events.filter { $0.name == "finished" }.compactMap(\.title))
      #expect(finished.isSubset(of: audit.complete), what)
      let failed = Set(events.filter { $0.name == "failed" }.compactMap(\.title))
      #expect(failed.isDisjoint(with: audit.complete), "\(what): told as failed, and on record")

      let parts = audit.parts
      let resumption = try await trial.complete(after: "\(what)")
      if fault.action != "lose", fault.call != "fsync", fault.call != "fdatasync" {
        for event in try resumption.events() where event.name == "started" {
          let size = parts[event.title ?? ""] ?? 0
          #expect(event["resumedFrom"] == size, "\(what): \(event)")
        }
      }
      return !trial.isMarked ? .missed : isFailed ? .failed : .survived
    }
  }
}
