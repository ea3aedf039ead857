import FoundationEssentials
import PodcastFeeds
import PodcastModel
import PodcastTransfer

/// One feed's request and its answer, before anything is decided about it.
struct FeedRequest: Sendable {
  /// What came.
  struct Response: Sendable {
    /// The answer, or why there is none.
    var answer: Result<FeedCatalog.Answer, FetchFailure>
    /// The feed with all pages that were read, if the answer is a feed.
    var document: FeedDocument?
    /// Why further pages could not be read.
    var pagesError: PodgetError?
    /// The feed at the new address that the feed announces, if that was asked and is a feed.
    var announced: FeedDocument?
    /// Whether the server at that address wants a login.
    var announcedWantsLogin = false
    /// Whether the server was asked at all.
    var isAsked = true
    /// Whether a server answered, although nothing usable came in time.
    var isAnswered = false

    /// Ends what took too long.
    ///
    /// A feed that came before is used all the same: what is missing of it, such as further pages, is
    /// asked for at the next sync.
    mutating func endLate(after limit: Duration, isAnswered: Bool) {
      let seconds = Int(limit / .seconds(1))
      let error = PodgetError(
        .timeout, "The check of the feed took longer than \(seconds) seconds.")
      guard case .failure = answer else {
        if pagesError != nil { pagesError = error }
        return
      }
      answer = .failure(FetchFailure(error: error, isTransient: false))
      self.isAnswered = isAnswered
    }
  }

  /// How many further pages are read to find what was listed before a long absence.
  private static let pagesAfterAbsence = 50

  let feed: FollowedFeed
  var state: FeedState
  let request: ConditionalRequest
  /// The address without user name and password.
  let url: FeedURL
  var feeds: FeedCatalog
  /// The user name and password of this feed alone.
  let credentials: OriginCredentials

  /// Asks for the feed, and for further pages and its new address where they are needed.
  func perform(at now: Date) async -> Response {
    let answer: FeedCatalog.Answer
    let known = FeedVersion(request, state)
    do throws(FetchFailure) {
      answer = try await feeds.answer(
        at: url, fields: known.fields, known: known.fingerprint, details: wantsDetails)
    } catch {
      return Response(answer: .failure(error))
    }
    var response = Response(answer: .success(answer))
    if case .success(.read(.feed(let document))) = answer.content {
      response.document = document
      if document.error == nil { await readFurtherPages(after: document, &response) }
      if feed.filter.kind == .trailer { response.document?.addTrailers() }
    }
    if let announced = announced(answer, response.document, at: now) {
      do throws(FetchFailure) {
        response.announced = try await read(announced)
      } catch {
        response.announcedWantsLogin = error.answer?.head.status == 401
      }
    }
    return response
  }

  /// Whether what the feed says of episodes besides is needed.
  private var wantsDetails: Bool { feed.needsDetails }

  private func readFurtherPages(after first: FeedDocument, _ response: inout Response) async {
    guard first.nextPage != nil else { return }
    let isFirst = state.lastRead == nil
    let hasNewSettings = request.settingsDigest != state.settingsDigest
    // All that waits is wanted when a person accepts it.
    var waiting = feed.accepts ? state.listed.waitingCount : 0
    var (pages, seen) = (0, 0)
    let complete = try? await feeds.completed(first, url, details: wantsDetails) { episodes in
      pages += 1
      if isFirst || hasNewSettings, !feed.filter.isSatisfied(byNewest: episodes) { return false }
      let page = Array(episodes.dropFirst(seen))
      seen = episodes.count
      let listed = state.listed.counts(of: ListedItem.items(of: page))
      waiting -= listed.waiting
      return isFirst
        || waiting <= 0
          && (pages > Self.pagesAfterAbsence || listed.others + listed.waiting > 0
            || reachesBack(page))
    }
    guard var document = complete?.document else { return }
    // The first page is a feed of its own; what the next ones have is asked for again next time.
    response.pagesError = document.error
    document.error = nil
    response.document = document
  }

  /// The new address that the feed announces, if it is to be asked.
  private func announced(
    _ answer: FeedCatalog.Answer, _ document: FeedDocument?, at now: Date
  ) -> FeedURL? {
    guard feed.subscription.settings[.move] == nil else { return nil }
    let known = state.announcement
    let announcement: FeedState.Announcement?
    var isUnchanged = false
    switch answer.content {
    case .success(.notModified), .success(.sameBody):
      announcement = known
      isUnchanged = true
    default:
      let address = document?.newFeedURL
      announcement =
        address == known?.address ? known : address.map { FeedState.Announcement(address: $0) }
    }
    // What waits for a person is as it was yesterday, also if the feed has other episodes.
    if let waiting = state.waitingMove, waiting == announcement?.address { isUnchanged = true }
    guard let announcement, !waitsToMove(to: announcement.address),
      FeedMove.asks(
        announcement, from: url, FeedURL(answer.url) ?? url, isUnchanged: isUnchanged, now: now)
    else { return nil }
    // A password in it would be one that the feed's author chose.
    return FeedURL(announcement.address.withoutCredentials)
  }

  /// Whether an announced address is known to be the new one, and the user decides about it.
  func waitsToMove(to announced: FeedURL) -> Bool {
    feed.subscription.hasLogin && feed.subscription.waitingMove(in: state) == announced
  }

  /// Reads the feed at another address; nil if there is none.
  private func read(_ url: FeedURL) async throws(FetchFailure) -> FeedDocument? {
    let read = try await feeds.answer(at: url, fields: [], known: nil)
    guard case .success(.read(.feed(let document))) = read.content, document.error == nil else {
      return nil
    }
    return document
  }

  /// Whether these episodes end with one that is too old to be new.
  private func reachesBack(_ episodes: [Episode]) -> Bool {
    guard let newest = state.newest, let date = episodes.last?.date else { return false }
    return date < newest.addingTimeInterval(-NewEpisodes.backdating)
  }
}

extension FeedAnswer {
  /// An answer as decisions need it.
  ///
  /// - Parameter body: what the body is.
  init(_ head: ResponseHead, url: FeedURL, body: Body, now: Date) {
    let date = head.first("Date").flatMap { Date(httpDate: $0, now: now) } ?? now
    let modified = head.first("Last-Modified")
    self.init(
      status: head.status, url: url,
      validators: FeedValidators(
        etag: head.first("ETag"), lastModified: modified,
        modified: modified.flatMap { Date(httpDate: $0, now: now) }, date: date),
      lifetime: CheckPace.lifetime(
        maxAge: Self.maxAge(head),
        expires: head.first("Expires").flatMap { Date(httpDate: $0, now: now) }, date: date),
      retryAfter: RetryPolicy.retryAfter(head, now: now), body: body)
  }

  /// The `max-age` of Cache-Control (RFC 9111, 5.2.2.1).
  private static func maxAge(_ head: ResponseHead) -> Duration? {
    for directive in head.values("Cache-Control").flatMap({ $0.split(separator: ",") }) {
      let parts = directive.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingWhitespace().lowercased() == "max-age" else {
        continue
      }
      let digits = parts[1].trimmingWhitespace().filter { $0 != "\"" }
      // More than a day means a day.
      return Int64(digits: digits).map { .seconds(min($0, 86_400)) }
    }
    return nil
  }
}
