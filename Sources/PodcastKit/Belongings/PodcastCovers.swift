import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Keeps the images in the folders of podcasts up to date in a run.
final class PodcastCovers: Sendable {
  /// How long it counts that one was looked up, in seconds.
  private static let pause: TimeInterval = 86_400

  private let library: Library
  private let requests: BelongingRequests
  private let disk: DiskPool
  private let now: @Sendable () -> Date
  private let report: @Sendable (RunEvent) -> Void
  /// When images were looked up in this run; a watch may run for months.
  private let covered = Mutex<[Podcast: Date]>([:])

  /// Creates one that has looked up nothing yet.
  init(
    _ library: Library, _ requests: BelongingRequests, disk: DiskPool,
    now: @escaping @Sendable () -> Date, report: @escaping @Sendable (RunEvent) -> Void
  ) {
    (self.library, self.requests, self.disk) = (library, requests, disk)
    (self.now, self.report) = (now, report)
  }

  /// Brings the image of a podcast up to date, if it was not looked up in the last day.
  ///
  /// - Parameter folder: the folder of one of its episodes.
  func update(_ podcast: Podcast, beside folder: RelativePath) async {
    let (library, now) = (library, now())
    guard let url = podcast.artworkURL, case let offer = PlannedBelonging(.artwork, url: url),
      !requests.isSlow(offer), isDue(podcast, at: now)
    else { return }
    do throws(PodgetError) {
      let cover = await disk.perform {
        Result { () throws(DiskError) in
          try PodcastCover(of: podcast, beside: folder, in: library, now: now)
        }.mapError(\.podgetError)
      }
      guard let cover = try cover.get() else { return }
      let (bytes, ending) = try await requests.content(of: offer, podcast)
      let stored = await disk.perform {
        Result { () throws(DiskError) in try cover.store(bytes, ending: ending, now: now) }
          .mapError(\.podgetError)
      }
      try stored.get()
    } catch {
      guard !Task.isCancelled else { return }
      report(.note("Warning: \(podcast.shownTitle): no cover: \(error.message)"))
    }
  }

  /// Whether an image is to be looked up now, which is noted.
  private func isDue(_ podcast: Podcast, at now: Date) -> Bool {
    covered.withLock { covered in
      if let last = covered[podcast], last <= now, now.timeIntervalSince(last) < Self.pause {
        return false
      }
      covered[podcast] = now
      return true
    }
  }
}
