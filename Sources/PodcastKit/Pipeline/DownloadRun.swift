public import FoundationEssentials
import PodcastFeeds
public import PodcastLibrary
public import PodcastModel
public import PodcastTransfer

/// One run from sources to files: planning and downloading happen at the same time.
///
/// Episodes of the first source are downloaded while other sources are still being read. A run is
/// created with a library and a transport; one of its methods is called once, in a task of its own,
/// while another task reads ``events`` to the end.
public actor DownloadRun {
  /// What happens, in order, for one consumer.
  ///
  /// Only progress is dropped: of each episode the newest unread event is kept, at most ten times a
  /// second. Each planned episode has exactly one terminal event. The stream ends with the run.
  public nonisolated var events: AsyncStream<RunEvent> { channel.stream }

  nonisolated let channel: EventChannel
  let library: Library
  private let directory: ITunesDirectory
  private let feeds: FeedCatalog
  /// Reads feeds without anybody's credentials.
  let feedsAlone: FeedCatalog
  let credentials: OriginCredentials
  /// The settings of podcasts that are followed, as they were read last.
  package nonisolated let subscribed = SubscribedSettings()
  private let countedSettings: Set<SubscriptionSettings.Name>
  /// Nil where nothing is to be changed.
  let downloader: Downloader?
  /// Stores what belongs beside episodes; nil where nothing is to be changed.
  let belongings: BelongingFetcher?
  let options: DownloadOptions
  private let isForced: Bool
  /// The time of day (UTC).
  let now: @Sendable () -> Date
  /// Measures waits and deadlines of checks.
  let clock: any Clock<Duration>
  /// Reads the library and the records; one lane for blocking work.
  let disk = DiskPool(threads: 1)
  /// Logs in to the feeds of subscriptions; each round of a sync has its own.
  private(set) var logins = SubscriptionLogins()
  /// The failures of rules that were reported in this run.
  let said = SaidOnce()
  /// When a round removed by rule (UTC); nil for never.
  var lastRetention: Date?
  /// What a dry run would have downloaded.
  private(set) var explained: [DownloadPlan] = []
  private var cancelPlanning: (@Sendable () -> Void)?
  private(set) var isCancelled = false

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - library: the destination of the episodes.
  ///   - transport: performs the requests.
  ///   - directory: looks up podcasts by their ids; Apple's when nil.
  ///   - options: limits and other options.
  ///   - isDryRun: whether the run only reports what it would do: each episode is planned, and
  ///     skipped if the library has it.
  ///   - refreshesAddresses: whether the directory is asked for the current address of an episode
  ///     whose own was refused.
  ///   - credentials: user names and passwords of origins; those in the sources are added.
  ///   - clock: measures the waits and the deadlines of checks of feeds.
  ///   - now: the time of day (UTC), for records, Retry-After and checks of feeds.
  /// - Throws: a ``PodgetError`` with the code `disk` when the library's folder of partial files
  ///   cannot be created.
  public init(
    library: Library, transport: any Transport, directory: ITunesDirectory? = nil,
    options: DownloadOptions = DownloadOptions(), isDryRun: Bool = false,
    refreshesAddresses: Bool = false, credentials: OriginCredentials = OriginCredentials(),
    clock: any Clock<Duration> = RunClock(), now: @escaping @Sendable () -> Date = { Date() }
  ) throws(PodgetError) {
    self.now = now
    self.clock = clock
    self.credentials = credentials
    feedsAlone = FeedCatalog(
      transport: transport, retries: options.retries,
      allowsInsecureRedirects: options.allowsInsecureRedirects, clock: clock
    ).preferring(options.preference)
    let transport = AuthorizingTransport(transport, credentials)
    let directory = directory ?? ITunesDirectory(transport: transport)
    var feeds = FeedCatalog(
      transport: transport, retries: options.retries,
      allowsInsecureRedirects: options.allowsInsecureRedirects)
    feeds.subscribed = subscribed
    feeds.preference = options.preference
    self.feeds = feeds
    countedSettings = options.countedSettings
    let channel = EventChannel()
    self.library = library
    self.directory = directory
    self.channel = channel
    isForced = options.isForced
    self.options = options
    guard !isDryRun else {
      (downloader, belongings) = (nil, nil)
      return
    }
    let addresses = CurrentAddresses(directory, feeds: feeds)
    let refresh: AddressRefresh = { await addresses.address(of: $0) }
    let belongings = BelongingFetcher(
      library, keptFree: options.keptFreeBytes, feeds: feeds, clock: clock, now: now
    ) { channel.send($0) }
    self.belongings = belongings
    downloader = try Downloader(
      library: library, transport: transport, options: options,
      refresh: refreshesAddresses ? refresh : nil, now: now, channel: channel,
      subscribed: subscribed, belongings: belongings, credentials: credentials)
  }

  /// Downloads episodes of sources: ids and links of Apple Podcasts, addresses of feeds and feed
  /// files. What the library holds is skipped, and what was begun is continued.
  ///
  /// Cancelling the task is the same as ``cancel()``.
  ///
  /// - Parameters:
  ///   - sources: each is read once.
  ///   - filter: chooses episodes of each.
  ///   - template: names new files.
  public func download(
    _ sources: [String], filter: EpisodeFilter = EpisodeFilter(),
    template: FilenameTemplate = .standard
  ) async {
    let planner = DownloadPlanner(
      filter: filter, template: template, linked: Self.linkedEpisodes(sources))
    await run { [self] batches in
      await readSubscribedSettings()
      var known: KnownEpisodes?
      let resolver = SourceResolver(
        directory, feeds: feeds, credentials: credentials, filter: filter,
        details: options.belongings.needDetails || options.writesTags || subscribed.needDetails
          ? .ofAll : .none)
      await resolver.read(sources) { [self] resolution in
        let source = resolution.source
        switch resolution.result {
        case .failure(let error):
          report(.sourceFailed(source, error))
          return true
        case .success(let listing):
          // The library is read after the first answer, so that its state is recent.
          if known == nil {
            // For one podcast, only its own episodes matter.
            let podcast = listing.listing.podcast
            known = await loadForPlanning(sources.count == 1 ? .podcast(podcast) : .all)
          }
          guard let known else { return false }
          if let planned = await disk.look({ planner.plan(listing, of: source, known) }) {
            planned.events.forEach(report)
            batches.yield(
              PlannedBatch(withBelongings(planned.plans, of: listing, known), known: known))
          }
          if let problem = listing.problem { report(.sourceFailed(source, problem)) }
          return true
        }
      }
    }
  }

  /// Shares the logins of subscriptions with what else needs them: a command runs once.
  package func use(_ logins: SubscriptionLogins) { self.logins = logins }

  /// Stops the downloads of some episodes, begun or not, and keeps the received bytes.
  ///
  /// - Parameter keys: the keys of their plans.
  package func cancel(_ keys: Set<String>) async { await downloader?.cancel(keys) }

  /// Takes back ``cancel(_:)`` for episodes whose plans have not come yet.
  ///
  /// - Parameter keys: the keys of their plans.
  package func want(_ keys: [String]) async { await downloader?.want(keys) }

  /// What has arrived in this run, for the run that takes its place; nil in a dry run.
  package nonisolated var arrived: ArrivedBytes? { downloader?.arrived }

  /// The running download of an episode, to pause, resume or cancel it alone; nil before it has begun
  /// and after it has ended.
  ///
  /// - Parameter key: the key of its plan.
  public func running(_ key: String) async -> Download? { await downloader?.download(key) }

  /// Pauses every running download and starts no other. Sources are still read.
  public func pause() async { await downloader?.pause() }

  /// Resumes everything after ``pause()``.
  public func resume() async { await downloader?.resume() }

  /// Stops everything, begun or not, and keeps the received bytes.
  public func cancel() async {
    isCancelled = true
    cancelPlanning?()
    await downloader?.cancel()
  }
}

extension DownloadRun {
  /// Plans and downloads at the same time.
  ///
  /// - Parameters:
  ///   - plan: the first stage; it passes on its plans.
  ///   - finish: what follows when all downloads have ended, with the result of the first stage.
  /// - Returns: what the first stage returned.
  func run<Result: Sendable>(
    _ plan: @escaping @Sendable (AsyncStream<PlannedBatch>.Continuation) async -> Result,
    finish: @Sendable (Result) async -> Void = { _ in }
  ) async -> Result {
    await withTaskCancellationHandler {
      // Unbounded: a batch for each listing, and plans are small.
      let (batches, continuation) = AsyncStream.makeStream(of: PlannedBatch.self)
      let planning = Task {
        defer { continuation.finish() }
        return await plan(continuation)
      }
      let storing = Task<Void, Never> { [belongings] in await belongings?.run() }
      cancelPlanning = {
        planning.cancel()
        storing.cancel()
      }
      if isCancelled { cancelPlanning?() }
      if let downloader {
        await downloader.run(batches)
      } else {
        await explain(batches)
      }
      let result = await planning.value
      belongings?.end()
      await finishStoring(storing)
      await finish(result)
      channel.finish()
      return result
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// Waits a while for what is stored beside episodes; the rest is on record as wanted.
  private func finishStoring(_ storing: Task<Void, Never>) async {
    let limit = BelongingFetcher.limitAfterDownloads
    let (_, isLate) = await Deadline.run(limit, clock: clock) {
      await withTaskCancellationHandler {
        await storing.value
      } onCancel: {
        storing.cancel()
      }
    }
    guard isLate, belongings?.isUnfinished == true else { return }
    report(
      .note(
        "Warning: Not all that belongs beside episodes came within \(limit.components.seconds) seconds "
          + "after the downloads. The rest is requested later."))
  }

  /// Reads which podcasts have settings of their own.
  func readSubscribedSettings() async {
    let names = countedSettings.intersection(SubscribedSettings.asked)
    let file = SubscriptionFile(library)
    // Without the file there is none; what needs it reports what is wrong with it.
    guard let read = await disk.look({ try? file.read() }) else { return }
    guard let list = read else { return subscribed.hideOthers() }
    subscribed.use(list.subscriptions, counting: names)
  }

  /// Reports what a real run would do.
  private func explain(_ batches: AsyncStream<PlannedBatch>) async {
    for await batch in batches {
      for plan in batch.plans {
        let local = batch.known.finished(plan)
        let kind: DownloadEvent.Kind =
          if let local, let reason = local.skipReason(for: plan, isForced: isForced) {
            .skipped(path: local.path, reason: reason)
          } else {
            .planned(total: nil)
          }
        if case .planned = kind { explained.append(plan) }
        report(.episode(DownloadEvent(plan, kind)))
      }
    }
  }

  /// Reads the library and reports what is wrong with it. Nil when nothing may be downloaded
  /// because of that, and when the run was cancelled.
  ///
  /// - Parameter before: the plans that were made since the time whose state counts.
  func loadForPlanning(
    _ query: EpisodeQuery, after before: MadePlans = MadePlans()
  ) async -> KnownEpisodes? {
    guard let known = await loadKnown(query, after: before) else { return nil }
    if before.names == nil, let notice = known.reading.notice { report(.note(notice)) }
    // Files that are here but cannot be read from the records would be downloaded again.
    guard known.reading.errors.isEmpty else {
      for error in known.reading.errors { report(.sourceFailed(library.path, error)) }
      return nil
    }
    // Refused parts lead outside the library or were not written by podget: the rest counts.
    if before.names == nil {
      for refusal in known.reading.refusals { report(.note(refusal.message)) }
    }
    return known
  }

  /// The episodes that sources link to, by Apple's ids: they are wanted also if another source is
  /// the complete podcast, whichever answer comes first.
  private static func linkedEpisodes(_ sources: [String]) -> Set<Int64> {
    var episodes: Set<Int64> = []
    for source in sources {
      if case .apple(_, _, let episode?)? = try? Source.parse(source) { episodes.insert(episode) }
    }
    return episodes
  }

  /// Reads the library; nil when the run was cancelled.
  func loadKnown(
    _ query: EpisodeQuery, after before: MadePlans = MadePlans()
  ) async -> KnownEpisodes? {
    // What a killed run left is repaired first.
    await downloader?.tidyUp()
    let (library, isRecording) = (library, downloader != nil)
    return await disk.look {
      KnownEpisodes(library, query, isRecording: isRecording, after: before)
    }
  }

  nonisolated func report(_ event: RunEvent) { channel.send(event) }
}
