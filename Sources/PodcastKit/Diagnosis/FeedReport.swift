package import FoundationEssentials
import PodcastFeeds
import PodcastModel
import PodcastTransfer

/// What a feed is, and what podget will do with it and with the server of its newest episode.
///
/// It is computed from observations alone; the codes of its findings are the contract with scripts.
package struct FeedReport: Sendable {
  /// The observations.
  package var observations: FeedObservations

  /// Creates the report from observations.
  package init(_ observations: FeedObservations) { self.observations = observations }

  /// What the feed says.
  package var document: FeedDocument { observations.document }

  /// What the server of the newest episode does; nil if the feed has no episode.
  package var server: ServerReport? { observations.server.map { ServerReport($0) } }

  /// The redirects of the feed's address, in order.
  package var redirects: [RedirectHop] { observations.plain?.hops ?? [] }

  /// Why the feed or its newest episode cannot be used; nil when both can be.
  package var obstacle: PodgetError? { feedObstacle ?? server?.obstacle }

  /// Why the feed cannot be used, or only in part; nil when it can be.
  package var feedObstacle: PodgetError? {
    if let error = document.error { return error }
    guard document.episodes.isEmpty else { return nil }
    return PodgetError(.notFound, "The feed lists no episode that can be downloaded.")
  }

  /// The publication dates of the newest and the oldest episode.
  package var dates: ClosedRange<Date>? {
    let dates = document.episodes.compactMap(\.date)
    guard let oldest = dates.min(), let newest = dates.max() else { return nil }
    return oldest...newest
  }

  /// How many episodes have no guid.
  package var missingGUIDs: Int { document.episodes.count { $0.guid == nil } }

  /// How many episodes have the guid of an earlier one.
  package var repeatedGUIDs: Int {
    let guids = document.episodes.compactMap(\.guid)
    return guids.count - Set(guids).count
  }

  /// The `ETag` field.
  package var etag: String? { observations.plain?.validator.etag }

  /// The `Last-Modified` field.
  package var lastModified: String? { observations.plain?.validator.lastModified }

  /// Where the leading permanent redirects end; nil if the first one is not permanent.
  package var movedTo: String? {
    redirects.prefix { [301, 308].contains($0.status) && $0.verdict == .followed }.last?.target
  }
}

/// One thing that podget does with a feed.
package enum FeedAdvice: Sendable, Hashable {
  /// The feed cannot be used, or not completely.
  case cannotRead(PodgetError)
  /// The episodes before the error are used all the same.
  case usesWhatCame(Int)
  /// An unchanged feed costs one short answer.
  case asksConditionally
  /// The complete feed is fetched at each check, and an unchanged one is not parsed.
  case fetchesAgain(hasValidators: Bool)
  /// The feed's content differs from request to request.
  case parsesAgain
  /// Permanent redirects move a subscription.
  case followsRedirect(to: String)
  /// The feed names a new address of its own.
  case followsAnnouncement(to: FeedURL)
  /// There are further pages.
  case readsPages
  /// No more episodes will come.
  case isComplete
  /// Items without a media file are ignored.
  case ignoresUnplayable(Int)
  /// Episodes without a guid are identified by their addresses.
  case identifiesByAddress(Int)
  /// Titles, addresses and dates distinguish episodes with the same guid.
  case distinguishesGUIDs(Int)

  /// The name that scripts use.
  package var code: String {
    switch self {
    case .cannotRead: "cannotRead"
    case .usesWhatCame: "usesWhatCame"
    case .asksConditionally: "asksConditionally"
    case .fetchesAgain: "fetchesAgain"
    case .parsesAgain: "parsesAgain"
    case .followsRedirect: "followsRedirect"
    case .followsAnnouncement: "followsAnnouncement"
    case .readsPages: "readsPages"
    case .isComplete: "isComplete"
    case .ignoresUnplayable: "ignoresUnplayable"
    case .identifiesByAddress: "identifiesByAddress"
    case .distinguishesGUIDs: "distinguishesGuids"
    }
  }
}

extension FeedReport {
  /// What podget will do, most important first.
  package var advice: [FeedAdvice] {
    var advice: [FeedAdvice] = []
    if let feedObstacle {
      advice.append(.cannotRead(feedObstacle))
      if !document.episodes.isEmpty { advice.append(.usesWhatCame(document.episodes.count)) }
    }
    // Nothing is stored of a broken feed, so its next check is like the first one.
    if observations.plain != nil, document.error == nil {
      let hasValidators = etag != nil || lastModified != nil
      switch observations.repetition {
      case .notModified: advice.append(.asksConditionally)
      case .sameBytes: advice.append(.fetchesAgain(hasValidators: true))
      case .otherBytes: advice.append(.parsesAgain)
      case .untested: if !hasValidators { advice.append(.fetchesAgain(hasValidators: false)) }
      }
    }
    if let movedTo { advice.append(.followsRedirect(to: movedTo)) }
    if let url = document.newFeedURL, url != observations.url, url.text != observations.plain?.url {
      advice.append(.followsAnnouncement(to: url))
    }
    if document.nextPage != nil { advice.append(.readsPages) }
    if document.isComplete { advice.append(.isComplete) }
    if document.unplayableCount > 0 { advice.append(.ignoresUnplayable(document.unplayableCount)) }
    if missingGUIDs > 0 { advice.append(.identifiesByAddress(missingGUIDs)) }
    if repeatedGUIDs > 0 { advice.append(.distinguishesGUIDs(repeatedGUIDs)) }
    return advice
  }
}
