package import PodcastFeeds
package import PodcastModel
package import PodcastTransfer

/// Turns sources into listings, several at a time.
package struct SourceResolver: Sendable {
  /// The result of a source.
  package struct Listing: Sendable {
    /// The podcast with its episodes.
    package var listing: PodcastListing
    /// The id of the episode that the source links to; nil for a complete podcast.
    package var episode: Int64?
    /// What was not read of it, when something could be used all the same: the end of a feed, or the
    /// feed beside a directory's list. The source counts as failed, and what was read is used.
    package var problem: PodgetError?
    /// The podcast's UUID (`podcast:guid`), if a feed was read that has it.
    package var podcastGUID: String?
    /// Where its feed is too, if one was read: where redirects led, and where it says that it is now.
    var otherAddresses: [FeedURL] = []
    /// Where its feed says that it has moved to, if a feed was read that is not there already.
    package var movedTo: FeedURL?
    /// What a feed says about its episodes besides; only when it was asked for.
    package var details: [Episode: EpisodeDetails] = [:]
    /// What the feed says about the podcast besides.
    package var about = PodcastDetails()
    /// Why the feed beside a directory's list gave no details.
    package var detailsProblem: PodgetError?
  }

  /// Whether what feeds say about episodes besides, such as descriptions, is wanted.
  package enum Details: Sendable {
    case none
    /// Of feeds that are read anyway, without descriptions.
    case ofFeedsInShort
    /// Of feeds that are read anyway.
    case ofFeeds
    /// Of all podcasts: the feed of one that a directory lists is read too.
    case ofAll
  }

  /// A source with its listing, or with its error.
  package struct Resolution: Sendable {
    /// The position of the source among those named.
    package var place: Int
    /// The source as it was named.
    package var source: String
    package var result: Result<Listing, PodgetError>
  }

  /// How many catalogs and feeds are read at once, in all and from one host.
  private static let requestsAtOnce = 16
  private static let requestsPerHost = 4

  private let directory: ITunesDirectory
  private let feeds: FeedCatalog
  private let credentials: OriginCredentials
  private let filter: EpisodeFilter
  private let details: Details
  private let gate: HostGate

  /// Makes a resolver.
  ///
  /// - Parameters:
  ///   - directory: what knows podcasts by their ids.
  ///   - feeds: what reads feeds.
  ///   - credentials: keeps user names and passwords of addresses, for their origins.
  ///   - filter: which episodes are wanted: a directory's list, or the first page of a feed, may not
  ///     have them all.
  ///   - details: whether what feeds say about episodes besides is wanted.
  package init(
    _ directory: ITunesDirectory, feeds: FeedCatalog, credentials: OriginCredentials,
    filter: EpisodeFilter, details: Details = .none
  ) {
    self.directory = directory
    var feeds = feeds
    if details == .ofFeedsInShort { feeds.limits.descriptionBytes = 0 }
    self.feeds = feeds
    self.credentials = credentials
    self.filter = filter
    self.details = details
    gate = HostGate(
      .init(total: Self.requestsAtOnce, perHost: Self.requestsPerHost), clock: ContinuousClock())
  }

  /// Reads each source once, several at a time, and returns when the last one was taken.
  ///
  /// They are passed on one at a time, in the order in which answers arrive: a slow source delays
  /// no other. Cancelling the task ends the requests; sources that were not read by then are left
  /// out.
  ///
  /// - Parameter take: receives each resolution; false ends the reading.
  package func read(
    _ sources: [String], _ take: (Resolution) async -> Bool
  ) async {
    await withTaskGroup(of: Resolution.self) { group in
      var rest = sources.enumerated().makeIterator()
      func addNext() {
        guard !Task.isCancelled, let (place, source) = rest.next() else { return }
        group.addTask {
          let result = await resolve(source)
          let shown = AddressRedaction.withoutCredentials(source)
          return Resolution(place: place, source: shown, result: result)
        }
      }
      for _ in 0..<Self.requestsAtOnce { addNext() }
      for await resolution in group {
        addNext()
        // A request that the user stopped is not a failure of its source.
        guard !Task.isCancelled, await take(resolution) else { break }
      }
      group.cancelAll()
    }
  }

  /// Reads each source once; the results are in the order of the sources.
  package func resolve(_ sources: [String]) async -> [Resolution] {
    var resolutions: [Resolution] = []
    await read(sources) { resolution in
      resolutions.append(resolution)
      return true
    }
    return resolutions.sorted { $0.place < $1.place }
  }

  /// Reads one source.
  package func resolve(_ source: String) async -> Result<Listing, PodgetError> {
    do throws(PodgetError) {
      switch try Source.parse(source) {
      case .apple(let id, let country, let episode):
        return .success(try await podcast(id: id, country: country, episode: episode))
      case .feed(let url):
        guard let feedURL = FeedURL(credentials.take(from: url)) else {
          throw PodgetError(
            .notFound, "\"\(AddressRedaction.shown(url))\" is not a web address.")
        }
        return .success(try await feed(at: feedURL))
      case .file(let path):
        return .success(listing(try await feeds.feed(inFile: path, details: details != .none)))
      case .name(let name):
        if await feeds.isFile(name) {
          let feed = try await feeds.feed(inFile: name, details: details != .none)
          return .success(listing(feed))
        }
        throw PodgetError.unknownSource(name)
      case .standardInput:
        throw PodgetError(.notFound, "Standard input cannot name itself.")
      }
    } catch {
      return .failure(error)
    }
  }
}

extension SourceResolver {
  /// Reads a feed, if it has changed since it was read before.
  ///
  /// - Parameters:
  ///   - address: its address; a user name and a password in it are kept apart.
  ///   - version: the version that is known.
  /// - Returns: the feed with its version; nil if it is as it was.
  package func feed(
    _ address: String, since version: FeedVersion
  ) async throws(PodgetError) -> (listing: Listing, version: FeedVersion)? {
    guard let url = FeedURL(credentials.take(from: address)) else {
      throw PodgetError(.notFound, "\"\(AddressRedaction.shown(address))\" is not a web address.")
    }
    let read = try await feeds.feed(at: url, since: version, details: details != .none) {
      filter.isSatisfied(byNewest: $0)
    }
    return read.map { (listing($0.feed), $0.version) }
  }

  /// A podcast of Apple's catalog, completed from its feed where the directory lists too few.
  private func podcast(
    id: Int64, country: String?, episode: Int64?
  ) async throws(PodgetError) -> Listing {
    let listing = try await limited("directory") { () async throws(PodgetError) in
      try await directory.podcast(id: id, country: country)
    }
    var found = Listing(listing: listing, episode: episode)
    // The directory has one file of an episode; the feed may have others.
    let wantsFiles = feeds.preference(for: listing.podcast) != nil
    guard details == .ofAll || wantsFiles || (episode == nil && !isEnough(listing)),
      let feedURL = listing.podcast.feedURL
    else { return found }
    do throws(PodgetError) {
      let read = try await feed(at: feedURL)
      var (joined, places) = listing.joined(with: read.listing)
      for (number, place) in places.enumerated() where wantsFiles {
        guard let place else { continue }
        joined.episodes[number].enclosure = read.listing.episodes[place].enclosure
      }
      found.listing = joined
      for (episode, place) in zip(joined.episodes, places) {
        found.details[episode] = place.flatMap { read.details[read.listing.episodes[$0]] }
      }
      found.problem = read.problem
      found.movedTo = read.movedTo
      found.about = read.about
    } catch {
      found.detailsProblem = error
      // Details are only added; without them the list is as good.
      if wantsFiles || !isEnough(listing) { found.problem = error }
    }
    return found
  }

  private func feed(at url: FeedURL) async throws(PodgetError) -> Listing {
    let host = WebAddress(WebAddress.forRequest(url.text))?.origin ?? url.redacted
    let feed = try await limited(host) { () async throws(PodgetError) in
      try await feeds.feed(at: url, details: details != .none) {
        filter.isSatisfied(byNewest: $0)
      }
    }
    return listing(feed)
  }

  private func limited<Value: Sendable>(
    _ host: String, _ work: () async throws(PodgetError) -> Value
  ) async throws(PodgetError) -> Value {
    guard let value = try await gate.withPlace(at: host, work) else {
      throw PodgetError(.network, "The request was stopped.")
    }
    return value
  }

  private func listing(_ feed: FeedCatalog.Feed) -> Listing {
    var document = feed.document
    if filter.kind == .trailer { document.addTrailers() }
    var listing = Listing(listing: document.listing, problem: document.error)
    listing.podcastGUID = document.podcastGUID
    listing.otherAddresses = [feed.answeringURL, document.newFeedURL].compactMap { $0 }
    listing.about = document.about
    if let url = feed.url { listing.listing.podcast.feedURL = url }
    let places = [feed.url, feed.answeringURL].compactMap(Self.place)
    listing.movedTo = document.newFeedURL.flatMap {
      Self.place($0).map(places.contains) == true ? nil : $0
    }
    listing.details = document.detailsByEpisode
    return listing
  }

  /// A feed's address as it is compared.
  private static func place(_ url: FeedURL?) -> String? {
    url.flatMap { PodcastIdentity(Podcast(title: "", feedURL: $0)).feed }
  }

  /// Whether a directory's list has what is wanted, or all that there is.
  private func isEnough(_ listing: PodcastListing) -> Bool {
    let listed = listing.episodes.count + listing.unplayableCount
    if let count = listing.podcast.episodeCount, count <= listed { return true }
    if listing.podcast.episodeCount == nil, listed < ITunesDirectory.episodeLimit { return true }
    return filter.isSatisfied(byNewest: listing.episodes)
  }
}
