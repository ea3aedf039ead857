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
  private let keptFree: Int64?
  private let requests: BelongingRequests
  private let disk: DiskPool
  private let now: @Sendable () -> Date
  private let report: @Sendable (RunEvent) -> Void
  /// When images were looked up in this run; a watch may run for months.
  private let covered = Mutex<[Podcast: Date]>([:])

  /// Creates one that has looked up nothing yet.
  ///
  /// - Parameter keptFree: how many bytes stay free on the disk; nil for no limit.
  init(
    _ library: Library, keptFree: Int64?, _ requests: BelongingRequests, disk: DiskPool,
    now: @escaping @Sendable () -> Date, report: @escaping @Sendable (RunEvent) -> Void
  ) {
    (self.library, self.keptFree, self.requests) = (library, keptFree, requests)
    (self.disk, self.now, self.report) = (disk, now, report)
  }

  /// Brings the image of a podcast up to date, if it was not looked up in the last day.
  ///
  /// - Parameters:
  ///   - folder: the folder of one of its episodes.
  ///   - isAsked: whether a person asks for it now.
  /// - Returns: whether the disk had room for it.
  func update(_ podcast: Podcast, beside folder: RelativePath, isAsked: Bool) async -> Bool {
    let (library, keptFree, now) = (library, keptFree, now())
    guard let url = podcast.artworkURL, case let offer = PlannedBelonging(.artwork, url: url),
      !requests.isSlow(offer), isDue(podcast, at: now)
    else { return true }
    do throws(PodgetError) {
      let cover = await disk.perform {
        Result { () throws(DiskError) in
          try PodcastCover(of: podcast, beside: folder, in: library, isAsked: isAsked, now: now)
        }.mapError(\.podgetError)
      }
      guard let cover = try cover.get() else { return true }
      let hasRoom = await disk.perform { library.hasRoom(for: 0, keeping: keptFree) }
      guard hasRoom else { return false }
      let content: (bytes: [UInt8], ending: String)
      do throws(PodgetError) {
        content = try await requests.content(of: offer, podcast)
      } catch {
        if !Task.isCancelled { _ = await disk.perform { try? cover.noteFailure(now: now) } }
        throw error
      }
      let stored = await disk.perform {
        Result { () throws(DiskError) -> Bool in
          guard library.hasRoom(for: content.bytes.count, keeping: keptFree) else { return false }
          try cover.store(content.bytes, ending: content.ending, now: now)
          return true
        }.mapError(\.podgetError)
      }
      return try stored.get()
    } catch {
      if !Task.isCancelled {
        report(.note("Warning: \(podcast.shownTitle): no cover: \(error.message)"))
      }
      return true
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
