import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The first stage of a sync: checks feeds, several at a time, and plans what they have that is new.
///
/// It lives as long as the run. What it knows is read again only when it has changed, and the feeds that
/// are due come from a queue by time, so feeds that are not due cost nothing:
///
///     list of subscriptions ──┐ when it has changed
///     states of feeds ────────┴─▶ timetable ─▶ due ─▶ a place at the host ─▶ one task a feed, with a deadline
///                                     ▲                                                   │ answer
///                                     └── next check ◀── state ◀── decision ◀─────────────┘
///                                                          └─▶ plans ─▶ downloads
///
/// `sync` once is the same with every feed due. Answers are decided about one at a time, in the order in
/// which they arrive. A feed's state is stored last, when its episodes are recorded.
actor SyncStage {
  /// What the stage needs of its run, and of a round.
  struct Surroundings: Sendable {
    var library: Library
    var feeds: FeedCatalog
    var credentials: OriginCredentials
    var logins: SubscriptionLogins
    /// Reads the library and the records.
    var disk: DiskPool
    var options: SyncOptions
    /// Measures waits and deadlines.
    var clock: any Clock<Duration>
    /// The checks that run.
    var checks: FeedChecks
    /// The time of day (UTC).
    var now: @Sendable () -> Date
    /// Whether only the user can have written the file with the subscriptions.
    var isTrusted: Bool
    /// The origins that a person named.
    var namedOrigins: NamedOrigins
    /// The subscriptions.
    var list: FollowedList
    /// Whether the user named the subscriptions.
    var isNamed: Bool
    /// Whether nothing is changed.
    var isDryRun: Bool
    /// Stores what belongs beside episodes; nil where nothing is changed.
    var belongings: BelongingFetcher?
    /// The keys of episodes that earlier rounds planned and that are being downloaded.
    var busy: Set<String>
    /// The keys of episodes that failed in an earlier round a short time ago.
    var resting: Set<String>
    var report: @Sendable (RunEvent) -> Void

    /// Whether the user asks for these subscriptions once: later rounds, and runs by a timer, treat them
    /// as all others.
    var isAskedFor: Bool { isNamed && !options.asksDueOnly }
  }

  private(set) var around: Surroundings
  private let batches: AsyncStream<PlannedBatch>.Continuation
  /// How many batches were passed on and are not recorded.
  private var unrecorded = 0
  private var recordingWaiter: CheckedContinuation<Void, Never>?
  /// Stores the states of the feeds; the caller stores the last ones.
  private(set) var writer: FeedStateWriter
  /// What is remembered of the feeds.
  let states: FeedStateMemory
  var deferrals = Deferrals()
  /// When each feed is asked again.
  var timetable = FeedTimetable()
  /// The time of the last round.
  var lastRound: Date?
  var failures: NetworkFailures
  private(set) var library: SyncLibrary
  /// What servers say about the time of day in this round.
  var serverClock = ServerClock.silent
  /// The feeds that were asked in this round and have not answered.
  private var asked: Set<String> = []
  /// The feeds that get another time when the round ends.
  private var settled: Set<String> = []
  /// What is unfinished and needs a login that is awaited.
  var unfinished: [String: PlannedBatch] = [:]
  /// What was not so in the round before, by the addresses first subscribed.
  private var changed: Set<String> = []
  /// The feeds whose settings cannot be used.
  private(set) var unusable: Set<String> = []
  /// What is unfinished of feeds that are asked, by the feeds: an answer may have other addresses.
  var held: [String: HeldDownloads] = [:]
  var moves = SubscriptionMoves()
  /// The feeds whose lists are not stored.
  var unlisted: Set<String> = []
  /// The episodes that lack what earlier runs could not get, by their subscriptions; nil before a feed
  /// of this round wants to know.
  var wanting: [String: [LocalEpisode]]?

  /// Makes a stage that passes its plans on.
  ///
  /// - Parameters:
  ///   - surroundings: what it needs of its run.
  ///   - library: identifies and plans episodes.
  ///   - writer: stores the states of the feeds.
  ///   - batches: receives the plans.
  init(
    _ surroundings: Surroundings, library: SyncLibrary, states writer: FeedStateWriter,
    batches: AsyncStream<PlannedBatch>.Continuation
  ) {
    around = surroundings
    self.library = library
    self.batches = batches
    self.writer = writer
    states = surroundings.checks.states
    failures = NetworkFailures(surroundings.options.network)
  }

  /// Begins another round.
  func begin(
    _ surroundings: Surroundings, library: SyncLibrary, states writer: FeedStateWriter
  ) {
    around = surroundings
    self.library = library
    self.writer = writer
    failures = NetworkFailures(surroundings.options.network)
    (asked, unfinished, held, moves) = ([], [:], [:], SubscriptionMoves())
    wanting = nil
    serverClock = .silent
  }

  /// Checks the feeds that are due to the end. Cancelling the task ends the requests; feeds that were not
  /// decided about by then stay as they were.
  ///
  /// - Parameters:
  ///   - isFresh: whether the list of subscriptions or the settings may be others than in the round
  ///     before.
  ///   - changed: the addresses first subscribed of what was not so in the round before. If it cannot be
  ///     used, that is reported now, although its feed may be due much later.
  ///   - file: takes the moves of subscriptions.
  func check(
    isFresh: Bool, changed: Set<String>, in file: SubscriptionFile
  ) async -> SyncOutcome {
    guard let change = await readStates() else { return SyncOutcome() }
    self.changed = changed
    if isFresh { unusable = [] }
    if isFresh, !around.isDryRun {
      let library = around.library
      let feeds = Dictionary(
        around.list.all.map { ($0.firstURL, states[$0.firstURL]?.bodyDigest ?? "") }
      ) { first, _ in first }
      unlisted = await around.disk.look { ListedStore(library).unlisted(of: feeds) } ?? []
    }
    failures.hosts = around.list.hosts
    plan(after: change, isFresh: isFresh)
    let due = timetable.takeDue(at: around.now())
    settled = Set(due)
    await ask(due.compactMap { around.list[$0] })
    await untilRecorded()
    if !around.isDryRun { await settleMoves(in: file) }
    if !Task.isCancelled { await settleFailures() }
    for key in settled { timetable.set(key, around.list[key].flatMap { nextCheck(of: $0) }) }
    var outcome = SyncOutcome()
    outcome.serverClock = serverClock
    outcome.isNetworkDown = failures.isNetworkDown(at: around.now())
    outcome.network = failures.remembered(at: around.now())
    outcome.nextCheck = timetable.next
    outcome.following = (around.list.all, states)
    return outcome
  }
}

extension SyncStage {
  /// Asks feeds, as many at once as there are places, and takes their answers. In a run of rounds it
  /// does not wait for slow ones: a later round takes their answers.
  ///
  /// - Parameter subscriptions: those whose time has come.
  private func ask(_ subscriptions: [Subscription]) async {
    let (checks, count) = (around.checks, around.list.chosen.count)
    around.report(.checking(0, of: count))
    // What the run wants is settled for those only: it takes longer than all else, and few are due.
    let due = followed(subscriptions.filter { !checks.isRunning($0.firstURL) && isDue($0) })
    if around.options.isLaterRound, !changed.isEmpty {
      let seen = unusable.union(due.map(\.subscription.firstURL))
      _ = followed(
        changed.subtracting(seen).sorted().compactMap { around.list[$0] })
    }
    await continueUnfinished(asking: Set(due.map(\.subscription.firstURL)))
    var queue = FeedQueue(due)
    var done = count - due.count
    var hasBegun = false
    checks.send(.begun)
    loop: for await step in checks.progress {
      var isUsable = await !library.isUnusable
      switch step {
      case .begun, .room:
        if case .begun = step { hasBegun = true }
        if isUsable, hasBegun { done += await askNext(in: &queue) }
      case .checked(let key, let checked):
        checks.end(key)
        settled.insert(key)
        if asked.remove(key) != nil { done += 1 }
        if let checked, !Task.isCancelled, around.list[key] == checked.request.feed.subscription {
          await take(checked)
        }
        isUsable = await !library.isUnusable
      case .loggedIn(let key, let credentials):
        checks.end(key)
        if let batch = unfinished.removeValue(forKey: key), let credentials {
          for address in batch.plans.flatMap(\.addresses) {
            around.credentials.adopt(address, from: credentials)
          }
          pass(batch)
        }
      case .quiet(let number):
        // A password command ends in time, and what it is for would be forgotten.
        let isOver = queue.isEmpty && unfinished.isEmpty && isNetworkUp && hasBegun
        if checks.isLast(quiet: number), isOver { break loop }
      }
      around.report(.checking(done, of: count))
      let isIdle = asked.isEmpty && unfinished.isEmpty
      if hasBegun, isIdle, queue.isEmpty || !isUsable { break }
      checks.awaitQuiet()
    }
    around.report(.checking(count, of: count))
  }

  /// What the run wants of subscriptions; what cannot be used is reported.
  private func followed(_ subscriptions: [Subscription]) -> [FollowedFeed] {
    subscriptions.compactMap { subscription in
      do throws(PodgetError) {
        if let named = subscription.namedURL { around.namedOrigins.add([named]) }
        return try around.options.feed(of: subscription, at: around.now())
      } catch {
        unusable.insert(subscription.firstURL)
        if changed.contains(subscription.firstURL) {
          around.report(.feedFailed(subscription.name, subscription.podcast, error))
        }
        return nil
      }
    }
  }

  /// Asks the next feeds, as many as there are places.
  ///
  /// - Returns: how many need not be asked.
  private func askNext(in queue: inout FeedQueue) async -> Int {
    var skipped = 0
    while !Task.isCancelled, let (feed, place) = await queue.next(in: around.checks.places) {
      guard let request = request(feed) else {
        skipped += 1
        await place.leave()
        release(feed.subscription.firstURL)
        continue
      }
      let key = feed.subscription.firstURL
      asked.insert(key)
      around.checks.start(key, in: place) { [around] in
        let response = await around.perform(request, in: place)
        let checked = CheckedFeed(request: request, response: response)
        return .checked(key, Task.isCancelled ? nil : checked)
      }
    }
    return skipped
  }

  /// Whether any host has answered lately: then a feed that does not end is no sign of a network that
  /// is down.
  private var isNetworkUp: Bool {
    failures.hasAnswer || failures.hadAnswer(at: around.now()) || around.checks.hasAnswer
  }

  /// Passes plans on, without those that are being downloaded already.
  func pass(_ batch: PlannedBatch) {
    var batch = batch
    batch.plans.removeAll { around.busy.contains($0.key) }
    let note = batch.whenRecorded
    batch.whenRecorded = { isRecorded in
      await note(isRecorded)
      await self.noteRecorded()
    }
    // A dry run records nothing.
    if !around.isDryRun { unrecorded += 1 }
    batches.yield(batch)
  }

  private func noteRecorded() {
    unrecorded -= 1
    guard unrecorded == 0 else { return }
    recordingWaiter?.resume()
    recordingWaiter = nil
  }

  /// Waits until everything that was passed on is recorded: then the states that depend on it are
  /// complete, and another round may plan.
  private func untilRecorded() async {
    guard unrecorded > 0 else { return }
    await withCheckedContinuation { recordingWaiter = $0 }
  }
}
