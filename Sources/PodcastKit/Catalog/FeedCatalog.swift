public import FoundationEssentials
public import PodcastFeeds
public import PodcastModel
public import PodcastTransfer

/// Reads podcasts' feeds from their addresses and from files.
///
/// Failures are retried as those of other documents. Cancelling the task ends a request or a wait at
/// once.
public struct FeedCatalog: Sendable {
  /// A feed that was read.
  public struct Feed: Sendable {
    /// What it says, of all pages that were read.
    public var document: FeedDocument
    /// The address of the feed: the one that was asked for, or to which a web page links.
    public var url: FeedURL?
    /// The address that answered, after any redirects; nil for a file.
    package var answeringURL: FeedURL?
  }

  /// How many feeds are parsed at once: all that are asked at once, so that none waits until another
  /// one is parsed.
  static let threads = FeedPlaces.atOnce

  /// How many pages of an archive are read at most (RFC 5005).
  static let pageLimit = 1000

  private var transport: any Transport
  private let allowsInsecureRedirects: Bool
  private var retrying: FetchRetries
  private let disk: DiskPool
  /// Which file of an episode is wanted if a feed offers several; nil for the publisher's.
  public var preference: MediaPreference?
  /// How much of a feed is read.
  package var limits = FeedLimits()
  /// The settings of feeds that are followed.
  package var subscribed: SubscribedSettings?

  /// Makes a catalog that performs its requests with a transport.
  ///
  /// The clock measures waits, `now` dates a Retry-After, and the randomness spreads the waits.
  public init(
    transport: any Transport, retries: RetryPolicy = RetryPolicy(),
    allowsInsecureRedirects: Bool = false, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.transport = transport
    self.allowsInsecureRedirects = allowsInsecureRedirects
    retrying = FetchRetries(policy: retries, clock: clock, now: now, randomness: randomness)
    disk = DiskPool(threads: Self.threads)
  }

  /// The same catalog, with the credentials of one feed alone.
  package func authorized(by credentials: OriginCredentials) -> FeedCatalog {
    var catalog = self
    catalog.transport = AuthorizingTransport(transport, credentials)
    return catalog
  }

  /// The same catalog for one feed that has a place among those that are asked at once: waits between
  /// attempts leave it to others.
  func asking(in place: FeedPlace) -> FeedCatalog {
    var catalog = self
    catalog.transport = NotingTransport(transport) { place.noteAnswer() }
    let clock = retrying.clock
    catalog.retrying.pause = { wait in
      try await place.aside { try await clock.sleep(for: wait) }
    }
    return catalog
  }

  /// The same catalog, with a User-Agent for each request; nil for the usual one.
  func sending(_ userAgent: String?) -> FeedCatalog {
    guard let userAgent else { return self }
    var catalog = self
    catalog.transport = UserAgentTransport(transport, userAgent)
    return catalog
  }

  /// The same catalog for somebody who prefers other files; nil for what this one prefers.
  func preferring(_ preference: MediaPreference?) -> FeedCatalog {
    var catalog = self
    catalog.preference = preference ?? self.preference
    return catalog
  }

  /// Which file of an episode of a podcast is wanted; nil for the publisher's.
  package func preference(for podcast: Podcast) -> MediaPreference? {
    subscribed?.own(of: podcast).preference ?? preference
  }

  /// The same catalog with the settings of a feed that is followed; nil if it has these already.
  func own(for url: FeedURL) -> FeedCatalog? {
    guard let own = subscribed?.own(ofFeed: url) else { return nil }
    var catalog = sending(own.userAgent).preferring(own.preference)
    catalog.subscribed = nil
    return catalog
  }

  /// Reads the feed at an address. A web page is searched once for links to feeds.
  ///
  /// - Parameters:
  ///   - url: the address.
  ///   - details: whether descriptions, links, transcripts and such are kept.
  ///   - isEnough: whether these episodes will do; if not, further pages are read.
  /// - Throws: a ``PodgetError``; a feed that breaks off is none, and says so itself.
  public func feed(
    at url: FeedURL, details: Bool = false,
    isEnough: ([Episode]) -> Bool = { _ in true }
  ) async throws(PodgetError) -> Feed {
    if let catalog = own(for: url) {
      return try await catalog.feed(at: url, details: details, isEnough: isEnough)
    }
    switch try await content(at: url, details: details) {
    case .feed(let document):
      return try await completed(document, url, details: details, isEnough: isEnough)
    case .webPage(let links):
      let link = try onlyFeed(of: links, on: url)
      let content: FeedContent
      do throws(PodgetError) {
        content = try await self.content(at: link, details: details)
      } catch {
        throw PodgetError(
          error.code, "This is a web page that links to \(link): \(error.message)",
          httpStatus: error.httpStatus, remedy: error.remedy)
      }
      guard case .feed(let document) = content else {
        throw PodgetError(
          .decoding, "This is a web page that links to \(link), which is a web page too.")
      }
      return try await completed(document, link, details: details, isEnough: isEnough)
    }
  }

  /// The address of the only feed that a web page links to.
  ///
  /// - Throws: a ``PodgetError`` that lists the feeds if there are several, and if the link leads from
  ///   https to http without leave.
  func onlyFeed(of links: [FeedLink], on page: FeedURL) throws(PodgetError) -> FeedURL {
    guard let link = links.first else {
      throw PodgetError(.decoding, "This is a web page that links to no feed.")
    }
    guard links.count == 1 else {
      let list = links.prefix(10).map { link in
        link.title.map { "\(link.url) (\($0))" } ?? "\(link.url)"
      }.joined(separator: ", ")
      throw PodgetError(
        .decoding, "This is a web page that links to \(links.count) feeds; use one: \(list).")
    }
    let url = link.url.encrypted(like: page) ?? link.url
    try requireAllowed(url, from: page)
    return url
  }

  /// A small document.
  package struct Document: Sendable {
    /// The body, without content codings.
    package var bytes: [UInt8]
    /// The encoding of its text, if the answer names one.
    package var charset: String?
  }

  /// The document at an address, such as a list of feeds.
  ///
  /// - Parameter maximumBytes: how many bytes it may have, without content codings.
  package func document(
    at url: FeedURL, of podcast: Podcast? = nil, maximumBytes: Int
  ) async throws(PodgetError) -> Document {
    let transport = sending(podcast.flatMap { subscribed?.own(of: $0).userAgent }).transport
    let request = HTTPRequest(
      url: url.text, headers: [HTTPField("Accept", "*/*")], acceptsCodings: true)
    let document = try await retrying.run(Self.host(of: url), explain: \.explained) {
      () async throws(FetchFailure) in
      try await transport.fetch(
        request, maximumBytes: maximumBytes, allowsInsecureRedirects: allowsInsecureRedirects)
    }
    return Document(bytes: Array(document.body), charset: FeedBody.charset(of: document.head))
  }

  /// Reads a feed from a file; a relative path counts from the current folder.
  public func feed(inFile path: String, details: Bool = false) async throws(PodgetError) -> Feed {
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        try FeedFile.read(path, details: details, preference: preference, limits: limits)
      }
    }
    switch try result.get() {
    case .feed(let document): return Feed(document: document, url: document.selfURL)
    case .webPage:
      throw PodgetError(.decoding, "This is a web page and no feed.")
    }
  }

  /// Whether a path names a file; a relative one counts from the current folder.
  func isFile(_ path: String) async -> Bool { await disk.perform { FeedFile.exists(path) } }
}

extension FeedCatalog {
  /// The answer to a conditional request for a feed (RFC 9110, section 13).
  package struct Answer: Sendable {
    /// What came.
    package enum Content: Sendable {
      /// 304: the version that the validators name is the current one.
      case notModified
      /// The same bytes as last time; they were not parsed.
      case sameBody
      /// A document.
      case read(FeedContent)
    }

    /// The head of the answer; its status is from 200 to 299, or 304.
    package var head: ResponseHead
    /// The address that answered, without user name and password.
    package var url: String
    /// The redirects that led there, in order.
    package var hops: [FeedRedirect]
    /// The fingerprint of the body; nil for 304.
    package var fingerprint: BodyFingerprint?
    /// What came, or why it cannot be read.
    package var content: Result<Content, PodgetError>
  }

  /// Asks for the feed at an address, if it has changed. Failures are retried as usual.
  ///
  /// - Parameters:
  ///   - url: the address.
  ///   - fields: what makes the request conditional, and other fields.
  ///   - known: the fingerprint of the last body.
  ///   - details: whether descriptions, links, transcripts and such are kept.
  /// - Throws: a ``FetchFailure`` with the answer of the last attempt, if there was one.
  package func answer(
    at url: FeedURL, fields: [HTTPField], known: BodyFingerprint?, details: Bool = false
  ) async throws(FetchFailure) -> Answer {
    var request = Self.request(url)
    request.headers += fields
    let (answer, body) = try await retrying.attempts(Self.host(of: url)) {
      () async throws(FetchFailure) in
      try await transport.fetch(
        request, maximumBytes: limits.bytes,
        allowsInsecureRedirects: allowsInsecureRedirects, acceptsNotModified: true
      ) { address, control in
        FeedBody(
          FeedURL(address) ?? url, wantsDetails: details, preference: preference, limits: limits,
          disk: disk, control: control, known: known, isIdentified: true)
      } content: { _ in
        Data()
      }
    }
    var result = Answer(
      head: answer.head, url: answer.url, hops: answer.hops, content: .success(.notModified))
    guard answer.head.status != 304 else { return result }
    let (fingerprint, content) = await body.finishIdentified()
    result.fingerprint = fingerprint
    result.content = content.map { $0.map(Answer.Content.read) } ?? .success(.sameBody)
    return result
  }

  private func content(
    at url: FeedURL, details: Bool
  ) async throws(PodgetError) -> FeedContent {
    let request = Self.request(url)
    let body = try await retrying.run(Self.host(of: url), explain: \.explained) {
      () async throws(FetchFailure) in
      try await transport.fetch(
        request, maximumBytes: limits.bytes,
        allowsInsecureRedirects: allowsInsecureRedirects
      ) { address, control in
        FeedBody(
          FeedURL(address) ?? url, wantsDetails: details, preference: preference, limits: limits,
          disk: disk, control: control)
      } content: { _ in
        Data()
      }.body
    }
    return try await body.finish()
  }

  private static func request(_ url: FeedURL) -> HTTPRequest {
    HTTPRequest(
      url: url.text, headers: [HTTPField("Accept", acceptedTypes)], acceptsCodings: true)
  }

  private static func host(of url: FeedURL) -> String {
    WebAddress(WebAddress.forRequest(url.text))?.host ?? url.redacted
  }

  private static let acceptedTypes =
    "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, "
    + "text/xml;q=0.8, */*;q=0.5"

  /// Checks that an address in a feed or page leads from https to http only if that is allowed.
  private func requireAllowed(_ target: FeedURL, from url: FeedURL) throws(PodgetError) {
    guard let source = WebAddress(WebAddress.forRequest(url.text)) else { return }
    do throws(RedirectChain.Refusal) {
      try RedirectChain.check(
        from: source, to: WebAddress.forRequest(target.text), number: 1,
        allowsInsecure: allowsInsecureRedirects)
    } catch {
      guard case .insecure(let host) = error else { throw PodgetError(error, of: source.host) }
      throw PodgetError(
        .redirect, "\(source.host) links from https to plain http at \(host).",
        remedy: .allowInsecureRedirects)
    }
  }

  /// Reads the further pages of a feed until there is enough, a page repeats or the last one came.
  ///
  /// - Parameters:
  ///   - first: the first page.
  ///   - url: its address.
  ///   - details: whether descriptions, links, transcripts and such are kept.
  ///   - isEnough: whether these episodes will do.
  /// - Throws: a ``PodgetError``; a page that cannot be read is none, and the document says so.
  package func completed(
    _ first: FeedDocument, _ url: FeedURL, details: Bool, isEnough: ([Episode]) -> Bool
  ) async throws(PodgetError) -> Feed {
    var document = first
    var seen: Set<FeedURL> = [url]
    var known: DistinctEpisodes?
    let answering = first.podcast.feedURL
    /// The next page, over https if the feed came so.
    func nextPage() -> FeedURL? {
      guard document.error == nil, let next = document.nextPage else { return nil }
      return next.encrypted(like: url) ?? answering.flatMap { next.encrypted(like: $0) } ?? next
    }
    while let next = nextPage(), seen.insert(next).inserted, !isEnough(document.episodes) {
      do throws(PodgetError) {
        guard seen.count <= Self.pageLimit, document.episodes.count < FeedLimits().items else {
          throw PodgetError(.decoding, "\(url) has too many pages; some of it was not read.")
        }
        guard case .feed(let page) = try await page(seen.count, at: next, of: url, details: details)
        else {
          throw PodgetError(.decoding, "\(next) is a web page and no page of the feed.")
        }
        document.append(page, known: &known)
      } catch {
        // What was read counts; the user is told that there would be more.
        document.error = error
      }
    }
    let clean = FeedURL(url.withoutCredentials) ?? url
    document.podcast.feedURL = clean
    return Feed(document: document, url: clean, answeringURL: answering)
  }

  /// Reads a further page; an error names its number, since addresses of pages often differ in their
  /// queries only, which are hidden.
  private func page(
    _ number: Int, at url: FeedURL, of feed: FeedURL, details: Bool
  ) async throws(PodgetError) -> FeedContent {
    do throws(PodgetError) {
      try requireAllowed(url, from: feed)
      return try await content(at: url, details: details)
    } catch {
      throw PodgetError(
        error.code, "Page \(number) of the feed could not be read: \(error.message)",
        httpStatus: error.httpStatus, remedy: error.remedy)
    }
  }
}

extension FeedDocument {
  /// Adds what a further page has, without the episodes that earlier pages had.
  ///
  /// - Parameter known: the episodes so far; nil before the second page.
  fileprivate mutating func append(_ page: FeedDocument, known: inout DistinctEpisodes?) {
    var distinct = known ?? DistinctEpisodes(episodes, of: podcast)
    known = nil
    let hasDetails = page.details.count == page.episodes.count
    for (place, episode) in page.episodes.enumerated() where distinct.add(episode) {
      episodes.append(episode)
      if hasDetails { details.append(page.details[place]) }
    }
    known = distinct
    unplayableCount += page.unplayableCount
    nextPage = page.nextPage
    error = page.error
  }
}

extension FetchFailure {
  /// The error about an address that somebody wrote: it may be the wrong one.
  var explained: PodgetError {
    var error = error
    if let status = answer?.head.status, [403, 404].contains(status), error.remedy == nil {
      error.remedy = .diagnose
    }
    return error
  }
}
