import PodcastModel
import PodcastTransfer

/// Where episodes are now, by the directory or the feed, which is asked once for each podcast, however
/// many episodes want to know. A failure is shared as well: the next run asks again.
package actor CurrentAddresses {
  private let directory: ITunesDirectory
  private let feeds: FeedCatalog
  private var lookups: [Place: Task<PodcastListing?, Never>] = [:]
  private let gate: HostGate

  /// Makes one for a run; four podcasts are looked up at once.
  package init(_ directory: ITunesDirectory, feeds: FeedCatalog) {
    self.directory = directory
    self.feeds = feeds
    gate = HostGate(.init(total: 4, perHost: 4), clock: ContinuousClock())
  }

  /// Where a podcast's episodes are listed.
  private enum Place: Hashable {
    case directory(Int64)
    case feed(FeedURL)

  }

  /// The directory has one file of an episode; where another one may be preferred, the feed is asked.
  private func place(of podcast: Podcast) -> Place? {
    if let url = podcast.feedURL, podcast.id == nil || feeds.preference(for: podcast) != nil {
      return .feed(url)
    }
    return podcast.id.map(Place.directory)
  }

  /// The present address of a planned episode; nil where it is listed no more, or when the
  /// task is cancelled, which leaves the question to the others that wait for its answer.
  package func address(of plan: DownloadPlan) async -> String? {
    guard let place = place(of: plan.podcast) else { return nil }
    let lookup = lookups[place] ?? Task { await listing(place) }
    lookups[place] = lookup
    // Unlike the value of a task, a stream ends for who is cancelled.
    let (answers, answer) = AsyncStream.makeStream(of: PodcastListing?.self)
    Task {
      answer.yield(await lookup.value)
      answer.finish()
    }
    for await listing in answers {
      let enclosure = listing?.episode(of: plan)?.enclosure
      // The file at another address may be another one, which has not the announced hashes.
      let isSame = plan.episode.enclosure.integrity.map { $0 == enclosure?.integrity } ?? true
      return isSame ? enclosure?.url : nil
    }
    return nil
  }

  private func listing(_ place: Place) async -> PodcastListing? {
    let listing = await gate.withPlace(at: "directory") { () -> PodcastListing? in
      switch place {
      case .directory(let id): try? await directory.podcast(id: id)
      case .feed(let url): try? await feeds.feed(at: url).document.listing
      }
    }
    return listing ?? nil
  }
}
