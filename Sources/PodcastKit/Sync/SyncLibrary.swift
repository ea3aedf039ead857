import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What a round of a sync knows of its library.
///
/// The first feeds that have changed are looked up one by one, as in a watch only a few have; then all of
/// the library is read, and kept.
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
  private let load: @Sendable (EpisodeQuery, MadePlans) async -> KnownEpisodes?
  /// How many feeds are looked up one by one.
  private static let mostSingle = 64
  /// What is known of podcasts that were looked up alone.
  private var single: [Podcast: KnownEpisodes] = [:]
  private var all: KnownEpisodes?
  /// The plans of the round.
  private var made = MadePlans()
  /// The episodes planned in this run: two feeds may be of one podcast.
  private var planned: Set<Item> = []
  /// Whether the library cannot be used, or the run was cancelled.
  private(set) var isUnusable = false

  /// Reads nothing yet.
  init(
    _ library: Library, disk: DiskPool,
    load: @escaping @Sendable (EpisodeQuery, MadePlans) async -> KnownEpisodes?
  ) {
    self.library = library
    self.disk = disk
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
      let known = await read(isRefetching ? .all : .keys(keys))
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
    let isSingle = all == nil && single.count < Self.mostSingle
    let found = isSingle ? await read(.podcast(listing.podcast)) : all
    if found == nil, !isSingle { _ = await read(.all) }
    guard let known = found ?? all else {
      isUnusable = true
      return nil
    }
    guard let identified = await disk.look({ [listing] in known.index.identify(listing) }) else {
      return nil
    }
    if all == nil { single[identified.listing.podcast] = known }
    return identified
  }

  /// Reads a part of the library, or all of it, which is kept.
  private func read(_ query: EpisodeQuery) async -> KnownEpisodes? {
    let known = await load(query, made)
    made.names = made.names ?? known?.names
    made.moment = known?.reading.moment ?? made.moment
    if let known, known.reading.areAll { all = known }
    return known
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
    guard let known = single[identified.listing.podcast] ?? all else { return nil }
    let result = await disk.look {
      Result { () throws(PodgetError) in
        try DownloadPlanner.plans(for: chosen, of: identified, template: feed.template, known)
      }
    }
    guard let result else { return nil }
    let wanted = try result.get().filter { plan in
      // Its owner deleted the file; what is to come back anyway comes as unfinished.
      if known.index.local(for: plan)?.status == .missing { return false }
      return reportsKnown || known.finished(plan)?.skipReason(for: plan, isForced: false) == nil
    }
    made.keys.formUnion(
      wanted.lazy.filter { identified.locals[$0.episode] == nil }.map(\.key))
    return PlannedBatch(withoutRepetitions(wanted), known: known)
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
