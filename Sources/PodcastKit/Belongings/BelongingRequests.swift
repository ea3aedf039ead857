package import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
package import PodcastTransfer
import Synchronization

/// Gets what belongs to episodes, for the files beside them and for their tags: from what the feed has
/// itself, or from servers.
///
/// Each answer has a deadline, an image that many episodes have is requested once, and a host that does
/// not answer in time is left alone for a while.
package final class BelongingRequests: Sendable {
  /// How long one answer may take, with redirects, retries and waits.
  static let limit = Duration.seconds(30)

  private let feeds: FeedCatalog
  private let clock: any Clock<Duration>
  private let disk: DiskPool
  private let now: @Sendable () -> Date
  private let note: @Sendable (String) -> Void
  /// The last images: many episodes have that of their podcast.
  private let images = Mutex<[(url: String, bytes: [UInt8], ending: String)]>([])
  private static let mostImages = 4
  /// The images that are being requested.
  private let requesting = ImageRequests()
  /// What became of requests in this run.
  private let answers = BelongingAnswers()

  /// Creates one that asks nothing yet.
  ///
  /// - Parameters:
  ///   - feeds: performs the requests, with the logins of podcasts.
  ///   - clock: measures deadlines.
  ///   - disk: reads what came.
  ///   - now: the time of day (UTC).
  ///   - note: gets sentences for the user.
  package init(
    _ feeds: FeedCatalog, clock: any Clock<Duration> = ContinuousClock(), disk: DiskPool,
    now: @escaping @Sendable () -> Date = { Date() }, note: @escaping @Sendable (String) -> Void
  ) {
    (self.feeds, self.clock, self.disk, self.now, self.note) = (feeds, clock, disk, now, note)
  }

  /// Whether the host of an offer is left alone, because it did not answer in time.
  func isSlow(_ offer: PlannedBelonging) -> Bool {
    offer.host.map { answers.isSlow($0, at: now()) } ?? false
  }

  /// What is to be stored, in the form in which it is stored, and the ending of its name with the dot.
  ///
  /// - Throws: a ``PodgetError`` with the code `timeout` after ``limit``, or why the server sent nothing
  ///   that can be used.
  func content(
    of offer: PlannedBelonging, _ podcast: Podcast
  ) async throws(PodgetError) -> (bytes: [UInt8], ending: String) {
    if let text = offer.text {
      return (Array(text.utf8), BelongingContent.ending(ofText: offer.kind))
    }
    guard let url = offer.url.flatMap(FeedURL.init) else {
      throw PodgetError(.notFound, "The podcast names no address for it.")
    }
    guard offer.kind == .artwork else { return try await answer(offer, at: url, podcast) }
    repeat {
      if let known = images.withLock({ $0.last { $0.url == offer.url } }) {
        return (known.bytes, known.ending)
      }
      if let error = answers.failure(of: url.text, at: now()) { throw error }
      if Task.isCancelled { throw PodgetError(.network, "The request was cancelled.") }
    } while await !requesting.begin(url.text)
    defer { requesting.end(url.text) }
    // The one before may have ended between the look and the begin.
    if let known = images.withLock({ $0.last { $0.url == offer.url } }) {
      return (known.bytes, known.ending)
    }
    return try await answer(offer, at: url, podcast)
  }

  /// The same from a server, whose failures are noted.
  private func answer(
    _ offer: PlannedBelonging, at url: FeedURL, _ podcast: Podcast
  ) async throws(PodgetError) -> (bytes: [UInt8], ending: String) {
    do throws(PodgetError) {
      return try await requested(offer, at: url, podcast)
    } catch {
      guard !Task.isCancelled else { throw error }
      if offer.kind == .artwork { answers.note(error, of: url.text, at: now()) }
      if error.code == .timeout, let host = offer.host, answers.noteTimeout(of: host, at: now()) {
        note(
          "Warning: \(host) does not answer in time. What else it has for episodes is requested later."
        )
      }
      throw error
    }
  }

  /// What a server sends.
  private func requested(
    _ offer: PlannedBelonging, at url: FeedURL, _ podcast: Podcast
  ) async throws(PodgetError) -> (bytes: [UInt8], ending: String) {
    let feeds = feeds
    let (result, isLate) = await Deadline.run(Self.limit, clock: clock) {
      () async -> Result<FeedCatalog.Document, PodgetError> in
      do throws(PodgetError) {
        return .success(
          try await feeds.document(
            at: url, of: podcast, maximumBytes: BelongingLimits.bytes(offer.kind)))
      } catch {
        // People cannot do anything about it.
        var error = error
        error.remedy = nil
        return .failure(error)
      }
    }
    if case .failure = result, isLate {
      throw PodgetError(
        .timeout, "The answer took longer than \(Self.limit.components.seconds) seconds.")
    }
    let document = try result.get()
    let stored = await disk.perform {
      Result { () throws(PodgetError) in try BelongingContent.stored(document, as: offer) }
    }
    let (bytes, ending) = try stored.get()
    if offer.kind == .artwork {
      images.withLock { images in
        images = images.suffix(Self.mostImages - 1) + [(offer.url ?? "", bytes, ending)]
      }
    }
    return (bytes, ending)
  }
}
