import FoundationEssentials
import PodcastModel
import Synchronization

/// When the downloads of a run failed. In a run of rounds, a server that answers 503 is not asked for an
/// episode again in each of them.
final class FailedDownloads: Sendable {
  private let times = Mutex<[String: (first: Date, last: Date)]>([:])

  /// Notes how a download ended.
  func note(_ event: DownloadEvent, at now: Date) {
    switch event.kind {
    case .failed:
      times.withLock { times in
        times[event.plan.key] = (times[event.plan.key]?.first ?? now, now)
      }
    case .finished, .skipped: times.withLock { $0[event.plan.key] = nil }
    default: break
    }
  }

  /// The keys of the episodes that are not to be tried again yet.
  func resting(at now: Date) -> Set<String> {
    times.withLock { times in
      Set(
        times.filter { _, time in
          // However long it has been failing, it is tried again: another server may be down.
          let first = max(time.first, time.last.addingTimeInterval(-FailedDownloadPace.longest))
          return !FailedDownloadPace.isDue(failedAt: time.last, failingSince: first, now: now)
        }.keys)
    }
  }
}
