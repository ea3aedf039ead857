import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// Does what the model wants: reads feeds and the library, downloads, stars, removes. What comes of it
/// is sent as events.
actor BrowseEngine: RunDisplay {
  /// A podcast that was read.
  struct Read {
    var listing: PodcastListing
    var details: [Episode: EpisodeDetails] = [:]
    /// Why a part of the list, or of the details, could not be read.
    var problem: PodgetError?
    var detailsProblem: PodgetError?
    /// The version that the list is of.
    var version = FeedVersion()
    /// The feed of the subscription that it was read for: its name may be another one's later.
    var feed: String?

    init(listing: PodcastListing) { self.listing = listing }

    init(_ found: SourceResolver.Listing, version: FeedVersion = FeedVersion()) {
      (listing, details, self.version) = (found.listing, found.details, version)
      (problem, detailsProblem) = (found.problem, found.detailsProblem)
    }

    /// What it says about an episode.
    func details(of wanted: Episode) -> EpisodeDetails? {
      if let details = details[wanted] { return details }
      return details.first { episode, _ in
        episode.guid != nil && episode.guid == wanted.guid
          || episode.enclosure.url == wanted.enclosure.url
      }?.value
    }
  }

  let settings: BrowseSettings
  let library: Library
  private let directory: ITunesDirectory
  let feeds: FeedCatalog
  private let credentials: OriginCredentials
  /// The screen is not for what password commands say. One that failed may work the next time.
  private let logins: SubscriptionLogins
  let run: DownloadRun
  /// The settings of subscriptions that options replace.
  let replaced: Set<SubscriptionSettings.Name>
  /// Runs what follows downloads, out of sight.
  private let hooks: Hooks
  let requests: AsyncStream<DownloadRequest>.Continuation
  let send: @Sendable (BrowseEvent) -> Void
  /// Blocking work of the library; two lanes, so that a large reading does not delay a star.
  let disk = DiskPool(threads: 2)
  /// The podcasts that were read, by their sources.
  var podcasts: [String: Read] = [:]
  /// Where the episodes of lists come from, by their keys.
  var listed: [String: (source: String, episode: Episode)] = [:]
  /// The details that were shown last, with the key of their episode.
  var shownDetails: (key: String, details: EpisodeDetails)?
  /// The documents that are being read, all of one episode.
  var reading: (key: String, tasks: [DetailPage: Task<DetailText, Never>]) = ("", [:])
  var states: [String: EpisodeState] = [:]
  /// How fast episodes are being downloaded, and when that was said last.
  var meters: [String: (meter: SpeedMeter, said: Duration)] = [:]
  let began = ContinuousClock.now
  /// What is being played.
  var playing: BrowsePlaying?
  /// How fast the last player played.
  var lastSpeed = 1.0
  var system = SystemProgram()
  /// Whether nothing is to be played any more.
  var isStopping = false
  /// The check of feeds that runs. At the end it is ended, and keeps what arrived.
  var check: ChildProgram?
  /// What was followed until the screen ended that, by its sources.
  var unfollowed: [String: Subscription] = [:]
  /// Whether somebody has stopped it.
  var isCheckStopped = false
  /// What is being read, and whether it is to be read once more after that.
  private var readings: [BrowseEffect: Bool] = [:]
  /// How often a podcast was followed: what was read before says that it is not.
  var follows = 0
  /// How often episodes were changed: what was read before that is older.
  var changes = 0
  /// Tells what other programs change.
  var watch: RecordWatch?
  var isReadingLibrary = false
  var isLibraryStale = false
  /// Whether what is new is read with the library.
  var isNewWanted = false
  /// The addresses of the artworks of podcasts that have new episodes; empty for none.
  var artworks: [String: String] = [:]
  /// The search for words that runs.
  var search: SearchStop?
  /// The files of the trash that were shown, by their paths; nil until they are wanted.
  var trashed: [String: Library.TrashedFile]?

  init(
    _ settings: BrowseSettings, _ library: Library, _ session: CurlSession,
    requests: AsyncStream<DownloadRequest>.Continuation, credentials: OriginCredentials,
    send: @escaping @Sendable (BrowseEvent) -> Void
  ) throws(PodgetError) {
    self.settings = settings
    self.library = library
    hooks = Hooks(
      HookOptions.Settings(afterDownload: settings.afterDownload, limit: settings.hookTimeout),
      library: library.path, place: .unseen)
    self.credentials = credentials
    logins = SubscriptionLogins(
      place: .unseen, keepsFailures: false, limit: .seconds(settings.passwordTimeout))
    self.requests = requests
    self.send = send
    let retries = RetryPolicy(
      retries: settings.retries, baseDelay: .seconds(settings.retryDelay))
    replaced = Set(settings.replaced.compactMap(SubscriptionSettings.Name.init))
    let transport = AuthorizingTransport(session, credentials)
    directory = ITunesDirectory(
      transport: transport, baseURL: settings.directoryURL, country: settings.country,
      retries: retries, allowsInsecureRedirects: settings.allowsInsecureRedirects)
    var feeds = FeedCatalog(
      transport: transport, retries: retries,
      allowsInsecureRedirects: settings.allowsInsecureRedirects)
    feeds.preference = settings.preference.flatMap(MediaPreference.init)
    var options = DownloadOptions()
    options.retries = retries
    options.jobs = settings.jobs
    options.jobsPerHost = settings.jobsPerHost
    options.allowsInsecureRedirects = settings.allowsInsecureRedirects
    options.resumesByOverlap = settings.resumesByOverlap
    options.longestUnknownLength =
      settings.longestUnknownLength > 0 ? settings.longestUnknownLength : nil
    options.keptFreeBytes = settings.keptFreeBytes > 0 ? settings.keptFreeBytes : nil
    options.computesChecksums = settings.takesChecksums
    options.writesTags = settings.writesTags
    options.waitsForOthers = !settings.skipsBusyEpisodes
    options.trashDays = settings.trashDays
    options.preference = feeds.preference
    options.belongings =
      settings.belongings.flatMap { try? Belongings(option: $0) } ?? Belongings.none
    options.countedSettings.subtract(replaced)
    run = try DownloadRun(
      library: library, transport: session, directory: directory, options: options,
      refreshesAddresses: true, credentials: credentials)
    // Feeds are asked as episodes are.
    feeds.subscribed = run.subscribed
    self.feeds = feeds
  }

  /// What gets artworks, with the logins of the feeds that name them.
  nonisolated func artworks(of session: CurlSession) -> BrowseArtworks {
    BrowseArtworks(
      settings, library, disk: disk, transport: AuthorizingTransport(session, credentials),
      userAgent: { await self.userAgent(ofArtworkOf: $0) }, send: send)
  }

  /// Downloads what is asked for until the requests end, and reports it.
  func download(_ stream: AsyncStream<DownloadRequest>) async {
    let template = settings.template.flatMap { try? FilenameTemplate(parsing: $0) }
    async let all: Void = run.download(stream, template: template ?? .standard)
    await RunReport(display: self, hooks: hooks).follow(run)
    await all
  }

  /// Ends all downloads and keeps what arrived.
  func stop() async {
    requests.finish()
    hooks.stop()
    check?.cancel()
    isStopping = true
    playing?.process.cancel()
    await run.cancel()
    await endPlaying()
  }

  /// Does what the model wants. What is asked for again and again while it is being read is read once
  /// more.
  func perform(_ effect: BrowseEffect) async {
    guard effect.isReading else { return await begin(effect) }
    guard readings[effect] == nil else { return readings[effect] = true }
    repeat {
      readings[effect] = false
      await begin(effect)
    } while readings[effect] == true && !Task.isCancelled
    readings[effect] = nil
  }

  private func begin(_ effect: BrowseEffect) async {
    do throws(PodgetError) {
      switch effect {
      case .loadSubscriptions: await loadSubscriptions()
      case .loadLibrary: await loadLibrary()
      case .loadNew: await loadNew()
      case .loadTrash: await loadTrash()
      case .deleteFromTrash(_, let files): await deleteFromTrash(files)
      case .loadSettings(let source): try await loadSettings(source)
      case .set(let change): try await set(change)
      case .findWords(let text): await findWords(text)
      case .loadPodcast(let source): await loadPodcast(source)
      case .search(let term): await search(term)
      case .loadDetails(let key): await loadDetails(key)
      case .loadPage(let key, let page): await loadPage(page, of: key)
      case .change(let keys, let change): await perform(change, of: keys)
      case .keep(let text): await keepArrangement(text)
      case .play(let key, let start): try await play(key, from: start)
      case .control(let request): control(request)
      case .endPlaying: await endPlaying()
      case .leavePlaying: await leavePlaying()
      case .subscribe(let source): try await subscribe(source)
      case .unsubscribe(let source): try await unsubscribe(source)
      case .followAgain(let source): try await followAgain(source)
      case .sync(let source): try await sync(source)
      case .stopSync(let sentence): stopSync(sentence)
      case .open(let address):
        if !system.open(address) {
          send(.error("xdg-open is not installed; \(keyMap.name("y")) copies the address."))
        }
      case .loadArtwork, .loadIcons, .copy, .quit: break
      }
    } catch {
      send(.error(error.said))
    }
  }
}

/// Podcasts.
extension BrowseEngine {
  private func search(_ term: String) async {
    do throws(PodgetError) {
      let found = try await directory.search(term: term, limit: 50)
      var list = await subscriptions()
      send(
        .found(
          term,
          found.compactMap { podcast in
            guard let source = podcast.id.map(String.init) ?? podcast.feedURL?.text else {
              return nil
            }
            let isFollowed = list?.subscription(of: podcast) != nil
            return PodcastRow(
              source: source, title: podcast.shownTitle, author: podcast.author,
              note: podcast.episodeCount.map { $0 == 1 ? "1 episode" : "\($0) episodes" } ?? "",
              isFollowed: isFollowed, artwork: podcast.artworkURL)
          }))
    } catch {
      send(.searchFailed(term, error.said))
    }
  }

  private func subscriptions() async -> SubscriptionList? {
    let file = SubscriptionFile(library)
    return await disk.perform { try? file.read() }
  }

  /// The subscription that a source names or is, if there is one, and whether its commands may run.
  func followed(_ source: String) async -> (subscription: Subscription, isTrusted: Bool)? {
    let file = SubscriptionFile(library)
    guard let read = await disk.perform({ try? file.readTrusted() }) else { return nil }
    var list = read.list
    // They may have changed since.
    run.subscribed.use(
      list.subscriptions, counting: SubscribedSettings.asked.subtracting(replaced))
    let subscription: Subscription?
    switch try? Source.parse(source) {
    case .name?: subscription = list.named(source)
    case .apple(let id, _, _)?: subscription = list.subscription(id: id)
    case .feed(let url)?: subscription = FeedURL(url).flatMap { list.subscription(feed: $0) }
    case .file?, .standardInput?, nil: subscription = nil
    }
    return subscription.map { ($0, read.isOwn) }
  }

  /// The same, after a log-in to its feed.
  func loggedIn(_ source: String) async throws(PodgetError) -> Subscription? {
    guard let (subscription, isTrusted) = await followed(source) else { return nil }
    try await logins.logIn(to: subscription, isTrusted: isTrusted, credentials)
    return subscription
  }

  func resolver(
    details: SourceResolver.Details, filter: EpisodeFilter = EpisodeFilter()
  ) -> SourceResolver {
    SourceResolver(
      directory, feeds: feeds, credentials: credentials, filter: filter, details: details)
  }

  /// Reads a source, which may be the name of a subscription.
  func read(
    _ source: String, details: SourceResolver.Details, filter: EpisodeFilter = EpisodeFilter()
  ) async throws(PodgetError) -> SourceResolver.Listing {
    var address = source
    if let subscription = try await loggedIn(source), case .name? = try? Source.parse(source) {
      address = subscription.feedURL.text
    }
    return try await resolver(details: details, filter: filter).resolve(address).get()
  }
}
