import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What a sync knows of its library: read when the first feed has changed, and then kept.
actor SyncLibrary {
  /// What makes two episodes of different feeds one: all of it.
  private struct Item: Hashable {
    var guid: String?
    var url: String
    var title: String
  }

  private let library: Library
  private let disk: DiskPool
  /// Reads the library; nil when the run was cancelled, or the library cannot be used.
  private let load: @Sendable (EpisodeQuery) async -> KnownEpisodes?
  /// Whether only one podcast's episodes matter.
  private let hasOneFeed: Bool
  private var known: KnownEpisodes?
  private var knowsAll = false
  /// The episodes planned in this run: two feeds may be of one podcast.
  private var planned: Set<Item> = []
  /// Whether the library cannot be used, or the run was cancelled.
  private(set) var isUnusable = false

  /// Reads nothing yet.
  init(
    _ library: Library, disk: DiskPool, hasOneFeed: Bool,
    load: @escaping @Sendable (EpisodeQuery) async -> KnownEpisodes?
  ) {
    self.library = library
    self.disk = disk
    self.hasOneFeed = hasOneFeed
    self.load = load
  }

  /// What was planned for these podcasts and is not finished, and for feeds that want it, what is
  /// missing; nil if there is nothing.
  ///
  /// - Parameters:
  ///   - busy: the keys of episodes to leave out.
  ///   - resting: the keys of episodes that are not due.
  ///   - options: say whether what is missing of a podcast is wanted.
  ///   - retriesAll: whether failures that a retry does not fix are tried again, however recent.
  ///   - now: the time of day.
  func unfinished(
    of list: FollowedList, besides busy: Set<String>, resting: Set<String>,
    _ options: SyncOptions, retriesAll: Bool, now: Date
  ) async -> (
    downloads: [(subscription: Subscription, downloads: [HeldDownloads.Download])],
    known: KnownEpisodes
  )? {
    let library = library
    guard let unfinished = await disk.look({ library.unfinished() }) else { return nil }
    let isRefetching =
      options.refetchesMissing ?? (options.usuallyRefetchesMissing || list.refetchesMissing)
    if unfinished.isEmpty, !isRefetching { return nil }
    let subscribed = list.places
    var found: [Int: [HeldDownloads.Download]] = [:]
    for download in unfinished where !busy.contains(download.plan.key) {
      // An earlier address is enough: the user wanted the episode of another show that is there too.
      guard retriesAll || !download.isEndless,
        let place = subscribed.likelyPlace(of: download.plan.podcast)
      else { continue }
      let pace = FailedDownloadPace.self
      let isDue =
        retriesAll
        || !resting.contains(download.plan.key)
          && pace.isDue(
            failedAt: download.failedAt, failingSince: download.failingSince, now: now)
      let isLast = !retriesAll && pace.isLastTime(failingSince: download.failingSince, now: now)
      found[place, default: []].append(
        HeldDownloads.Download(plan: download.plan, isDue: isDue, isLastTime: isLast))
    }
    let keys = found.values.joined().map(\.plan.episodeKey)
    guard !keys.isEmpty || isRefetching,
      let known = await load(isRefetching ? .all : .keys(keys))
    else { return nil }
    if isRefetching {
      let given = busy.union(found.values.joined().map(\.plan.key))
      for episode in known.reading.episodes
      where episode.status == .missing && !given.contains(episode.key)
        && known.reading.obstacle(to: episode.plan.file) == nil
      {
        guard let place = subscribed.likelyPlace(of: episode.podcast),
          options.refetchesMissing(of: list.chosen[place])
        else { continue }
        found[place, default: []].append(
          HeldDownloads.Download(plan: episode.plan, isDue: true, isLastTime: false))
      }
    }
    guard !found.isEmpty else { return nil }
    return (found.sorted { $0.key < $1.key }.map { (list.chosen[$0.key], $0.value) }, known)
  }

  /// The listing of a feed, looked up in the library; nil when the run was cancelled, or the library
  /// cannot be used.
  func identify(
    _ document: FeedDocument, of subscription: Subscription
  ) async -> IdentifiedListing? {
    var listing = document.listing
    listing.podcast.id = listing.podcast.id ?? subscription.id
    listing.podcast.feedURL = subscription.podcast.feedURL
    if known == nil { known = await load(hasOneFeed ? .podcast(listing.podcast) : .all) }
    guard let known else {
      isUnusable = true
      return nil
    }
    return await disk.look { [listing] in known.index.identify(listing) }
  }

  /// The plans of chosen episodes of a feed, without those that another feed has had planned, and the
  /// state of the library when they were made; nil when the run was cancelled.
  ///
  /// - Parameter reportsKnown: whether episodes count that the library has.
  /// - Throws: a ``PodgetError`` with the code `disk`.
  func plans(
    for chosen: [Episode], of identified: IdentifiedListing, _ feed: FollowedFeed,
    reportsKnown: Bool
  ) async throws(PodgetError) -> PlannedBatch? {
    while let known {
      let result = await disk.look {
        Result { () throws(PodgetError) in
          try DownloadPlanner.plans(for: chosen, of: identified, template: feed.template, known)
        }
      }
      guard let result else { return nil }
      if let plans = try result.get() {
        let wanted = plans.filter { plan in
          // Its owner deleted the file; what is to come back anyway comes as unfinished.
          if known.index.local(for: plan)?.status == .missing { return false }
          return reportsKnown || known.finished(plan)?.skipReason(for: plan, isForced: false) == nil
        }
        return PlannedBatch(withoutRepetitions(wanted), known: known)
      }
      // A new name is needed, and not all of the library is known.
      guard !knowsAll, let all = await load(.all) else { return nil }
      knowsAll = true
      self.known = all
    }
    return nil
  }

  /// The plans that no other feed has had. Within one feed the identity of episodes has decided.
  private func withoutRepetitions(_ plans: [DownloadPlan]) -> [DownloadPlan] {
    func item(_ plan: DownloadPlan) -> Item {
      Item(
        guid: plan.episode.guid, url: plan.episode.enclosure.url, title: plan.episode.title)
    }
    let new = plans.filter { !planned.contains(item($0)) }
    planned.formUnion(new.map(item))
    return new
  }
}
