public import FoundationEssentials
import PodcastFeeds
public import PodcastModel
public import PodcastTransfer

/// Apple's catalog of podcasts: looks up a podcast by its id, and searches by words.
///
/// Network errors, 408, 425, 429, 5xx and Apple's 403 (its limit is about 20 requests a minute) are
/// retried after a wait; a Retry-After is honored up to ``RetryPolicy/longestRetryAfter``.
/// Cancelling the task ends a request or a wait immediately.
public struct ITunesDirectory: Sendable {
  /// The address of Apple's catalog.
  public static let standardBaseURL = "https://itunes.apple.com"
  /// The maximum number of episodes in one lookup.
  public static let episodeLimit = 200

  /// The store to ask when a call does not name one: two letters of ISO 3166.
  public let country: String

  private let transport: any Transport
  private let baseURL: String
  private let allowsInsecureRedirects: Bool
  private let retrying: FetchRetries

  /// Creates a directory that uses a transport for its requests.
  ///
  /// Without a country it asks the store of the United States, Apple's own default. The clock
  /// measures waits, `now` dates a Retry-After, and the randomness spreads the waits.
  public init(
    transport: any Transport, baseURL: String = ITunesDirectory.standardBaseURL,
    country: String? = nil, retries: RetryPolicy = RetryPolicy(),
    allowsInsecureRedirects: Bool = false, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.transport = transport
    self.baseURL = String(baseURL[...(baseURL.lastIndex { $0 != "/" } ?? baseURL.startIndex)])
    self.country = country ?? "us"
    self.allowsInsecureRedirects = allowsInsecureRedirects
    retrying = FetchRetries(policy: retries, clock: clock, now: now, randomness: randomness)
  }

  /// The podcast with an id and its newest episodes, at most ``episodeLimit``, newest first.
  ///
  /// The limit asked for is always the largest: Apple's answers to small ones may be a day older.
  /// Throws ``PodgetError/Code/notFound`` when the store has no such podcast.
  public func podcast(
    id: Int64, country: String? = nil
  ) async throws(PodgetError) -> PodcastListing {
    let answer = try await answer(
      "lookup", [("id", "\(id)"), ("media", "podcast"), ("entity", "podcastEpisode")],
      limit: Self.episodeLimit, country: country)
    return try ITunesAnswer.listing(from: answer, id: id)
  }

  /// The podcasts that match some words, best first; an empty list if there is none.
  ///
  /// Apple accepts limits from 1 to 200; the nearest one is used.
  public func search(
    term: String, limit: Int = 50, country: String? = nil
  ) async throws(PodgetError) -> [Podcast] {
    let answer = try await answer(
      "search", [("term", term), ("media", "podcast"), ("entity", "podcast")],
      limit: min(max(limit, 1), 200), country: country)
    return try ITunesAnswer.listings(from: answer).map(\.podcast)
  }
}

extension ITunesDirectory {
  private func answer(
    _ path: String, _ parameters: [(String, String)], limit: Int, country: String?
  ) async throws(PodgetError) -> Data {
    let query = FormQuery(
      parameters + [("limit", "\(limit)"), ("country", country ?? self.country)])
    let request = HTTPRequest(url: "\(baseURL)/\(path)?\(query)")
    return try await retrying.run(
      "Apple's catalog", retriesForbidden: true, explain: Self.explained
    ) { () async throws(FetchFailure) in
      // An answer of 200 episodes with long descriptions has about one megabyte.
      try await transport.fetch(
        request, maximumBytes: 16 << 20, allowsInsecureRedirects: allowsInsecureRedirects
      ).body
    }
  }

  /// The error of a failed request, in the words that Apple's answer allows.
  private static func explained(_ failure: FetchFailure) -> PodgetError {
    guard let answer = failure.answer else { return failure.error }
    var error = failure.error
    if let complaint = ITunesDocument.complaint(in: answer.body) {
      error.message = "Apple's catalog refused the request: \(complaint)"
    } else if answer.head.status == 403 || answer.head.status == 429 {
      error.message =
        "Apple's catalog refuses for now (HTTP \(answer.head.status)): it takes about 20 "
        + "requests a minute; try again later."
    }
    return error
  }
}
