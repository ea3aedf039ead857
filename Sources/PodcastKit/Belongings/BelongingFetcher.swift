import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Downloads what belongs beside episodes, while a run downloads the episodes.
///
/// It never makes an episode fail, and holds nothing up: a few servers are asked at once, each answer
/// has a deadline, and what does not come is asked for again by a later run.
package final class BelongingFetcher: Sendable {
  /// An episode that is there and may lack something.
  struct Job: Sendable {
    var key: EpisodeKey
    var podcast: Podcast
    var episode: Episode
    /// The path of its file.
    var path: RelativePath
    /// What the feed offers; nil for what is on record as wanted.
    var offers: [PlannedBelonging]?
    /// What the feed has itself of what is on record as wanted.
    var texts: [PlannedBelonging] = []
    /// What is to be stored.
    var kinds = Belongings.all
    /// Whether its file has just been recorded with what it lacks.
    var isNew = false
    /// Whether a person asks for it now.
    var isAsked = false
    /// How many of what is on record as wanted may be requested; nil for no limit.
    var retries: RequestBudget?
  }

  /// How many episodes are served at once.
  private static let atOnce = 4
  /// How many episodes of a podcast are asked for again in a run.
  static let mostRetries = 50
  /// How long a run goes on storing after its downloads have ended.
  static let limitAfterDownloads = Duration.seconds(60)

  private let store: BelongingStore
  /// Gets what is to be stored.
  let requests: BelongingRequests
  private let covers: PodcastCovers
  private let now: @Sendable () -> Date
  private let report: @Sendable (RunEvent) -> Void
  private let disk = DiskPool(threads: 2)
  private let said = SaidOnce()
  private let wasCancelled = Mutex(false)
  private let jobs: AsyncStream<Job>
  private let job: AsyncStream<Job>.Continuation

  /// Creates one that asks nothing yet.
  ///
  /// - Parameter keptFree: how many bytes stay free on the disk; nil for no limit.
  init(
    _ library: Library, keptFree: Int64? = nil, feeds: FeedCatalog, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Date, report: @escaping @Sendable (RunEvent) -> Void
  ) {
    store = BelongingStore(library, keptFree: keptFree)
    (self.now, self.report) = (now, report)
    requests = BelongingRequests(feeds, clock: clock, disk: disk, now: now) { report(.note($0)) }
    covers = PodcastCovers(
      library, keptFree: keptFree, requests, disk: disk, now: now, report: report)
    // Unbounded: one element an episode that ended, as its event is.
    (jobs, job) = AsyncStream.makeStream(of: Job.self)
  }

  /// Takes an episode; it never blocks.
  func add(_ new: Job) {
    if new.offers?.isEmpty != true { job.yield(new) }
  }

  /// Takes an episode whose download has ended, if its file is there.
  func add(_ event: DownloadEvent, isAsked: Bool) {
    let plan = event.plan
    guard !plan.belongings.isEmpty else { return }
    var isNew = false
    let path: String
    switch event.kind {
    case .finished(let file): (path, isNew) = (file.path, true)
    case .skipped(let there, .alreadyDownloaded): path = there
    default: return
    }
    guard let path = RelativePath(path) else { return }
    add(
      Job(
        key: plan.episodeKey, podcast: plan.podcast, episode: plan.episode, path: path,
        offers: plan.belongings, isNew: isNew, isAsked: isAsked))
  }

  /// Takes the episodes of a podcast that lack what earlier runs could not get: those that were tried
  /// longest ago first. Of those for which it is time again not too many are asked for.
  ///
  /// - Parameter texts: what the feed has itself for them, by their keys.
  func retry(
    _ episodes: [LocalEpisode], _ kinds: Belongings, texts: [String: [PlannedBelonging]] = [:]
  ) {
    let now = now()
    let waiting = episodes.filter { $0.status == .complete && $0.mayBeDue(at: now) }
      .sorted { ($0.triedAt ?? .distantPast, $0.key) < ($1.triedAt ?? .distantPast, $1.key) }
    let budget = RequestBudget(Self.mostRetries)
    for local in waiting {
      guard let path = RelativePath(local.path) else { continue }
      add(
        Job(
          key: local.plan.episodeKey, podcast: local.podcast, episode: local.episode, path: path,
          offers: nil, texts: texts[local.key] ?? [], kinds: kinds, retries: budget))
    }
  }

  /// Takes a podcast that a run has read: its image is kept up to date, also if it has no new episode.
  func keepCover(of listed: IdentifiedListing, _ kinds: Belongings, isAsked: Bool) {
    let podcast = listed.listing.podcast
    let offers = kinds.kinds.isDisjoint(with: [.artwork, .cover]) ? .none : Belongings([.cover])
    let locals = listed.listing.episodes.lazy.compactMap { listed.locals[$0] }
    guard offers != .none,
      let local = locals.first(where: { $0.status == .complete }),
      let path = RelativePath(local.path)
    else { return }
    add(
      Job(
        key: local.plan.episodeKey, podcast: podcast, episode: local.episode, path: path,
        offers: BelongingOffers.list(offers, of: local.episode, in: podcast, nil),
        isAsked: isAsked))
  }

  /// Whether the work was cancelled before its end.
  var isUnfinished: Bool { wasCancelled.withLock { $0 } }

  /// Takes no more; ``run()`` returns when all is done.
  func end() { job.finish() }

  /// Works until the end. Cancelling the task ends all requests at once.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      for await job in jobs {
        if running >= Self.atOnce {
          await group.next()
          running -= 1
        }
        running += 1
        group.addTask {
          await self.serve(job)
          await self.updateCover(job)
        }
      }
      await group.waitForAll()
      if Task.isCancelled { wasCancelled.withLock { $0 = true } }
    }
  }
}

extension BelongingFetcher {
  private func serve(_ job: Job) async {
    guard !Task.isCancelled else { return }
    let (store, now) = (store, now())
    let offers = job.offers?.filter { $0.kind != .cover }
    if offers?.isEmpty == true { return }
    let hasRoom = await disk.perform { store.hasRoom }
    var needed = offers ?? []
    do throws(DiskError) {
      if !job.isNew {
        needed = try await disk.run { () throws(DiskError) in
          try store.needed(
            offers, texts: job.texts, job.kinds, of: job.key, at: job.path, isAsked: job.isAsked,
            now: now, hasRoom: hasRoom
          ) { job.retries?.take() ?? true }
        }
      }
    } catch {
      return tell(job, needed.map(\.kind), error.podgetError)
    }
    guard !needed.isEmpty else { return }
    let asked = needed.filter { $0.text == nil }
    // What the feed has itself waits for no server, and of a new episode it is there already.
    if hasRoom || job.isNew { await get(needed.filter { $0.text != nil }, job) }
    if hasRoom {
      await get(asked, job)
    } else if !asked.isEmpty || !job.isNew {
      tellNoRoom()
    }
  }

  /// Says once that nothing is stored because of the space that stays free.
  private func tellNoRoom() {
    let sentence =
      "Warning: The disk has less free space than is to stay free. What belongs beside episodes is "
      + "stored later."
    if said.isFirst(sentence) { report(.note(sentence)) }
  }

  private func get(_ needed: [PlannedBelonging], _ job: Job) async {
    guard !needed.isEmpty else { return }
    let store = store
    var contents: [BelongingStore.Content] = []
    var failures: [Belonging: PodgetError] = [:]
    for offer in needed {
      // What is left of a host that does not answer in time is on record as wanted.
      if requests.isSlow(offer) { continue }
      do throws(PodgetError) {
        let (bytes, ending) = try await requests.content(of: offer, job.podcast)
        contents.append(BelongingStore.Content(offer.kind, bytes: bytes, ending: ending))
      } catch {
        // What a person stopped is not a try that failed.
        if Task.isCancelled { break }
        failures[offer.kind] = error
      }
    }
    guard !contents.isEmpty || !failures.isEmpty else { return }
    for (kind, error) in failures { tell(job, [kind], error) }
    let gone = Set(failures.filter { [404, 410].contains($0.value.httpStatus) }.keys)
    do throws(DiskError) {
      let (contents, failed) = (contents, Set(failures.keys))
      let stored = try await disk.run { () throws(DiskError) in
        try store.store(contents, gone: gone, failed: failed, of: job.key, at: job.path)
      }
      for kind in Belonging.allCases {
        guard let path = stored[kind] else { continue }
        report(
          .belonging(
            BelongingEvent(
              podcast: job.podcast, episode: job.episode, kind: kind, result: .success(path))))
      }
    } catch {
      tell(job, contents.map(\.kind), error.podgetError)
    }
  }

  /// Keeps the image in the podcast's folder up to date.
  private func updateCover(_ job: Job) async {
    guard !Task.isCancelled, let folder = job.path.split?.folder,
      job.offers?.contains(where: { [.artwork, .cover].contains($0.kind) }) == true
    else { return }
    let hasRoom = await covers.update(job.podcast, beside: folder, isAsked: job.isAsked)
    if !hasRoom { tellNoRoom() }
  }

  private func tell(_ job: Job, _ kinds: [Belonging], _ error: PodgetError) {
    for kind in kinds {
      report(
        .belonging(
          BelongingEvent(
            podcast: job.podcast, episode: job.episode, kind: kind, result: .failure(error))))
    }
  }
}
