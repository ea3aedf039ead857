/// The last answer to a feed's request, after redirects and retries.
package struct FeedAnswer: Sendable, Hashable {
  /// What the body is.
  package enum Body: Sendable, Hashable {
    /// There is none, or the status is not one of success.
    case none
    /// It has the digest that ``ConditionalRequest/knownDigest`` names, and was not read.
    case same
    /// A feed, complete.
    case feed(ListedFeed)
    /// A feed that breaks off, or nothing that can be read.
    case broken
    /// A web page.
    case webPage
  }

  /// The HTTP status.
  package var status: Int
  /// The address that answered, behind all redirects.
  package var url: FeedURL
  /// The answer's usable validators.
  package var validators: FeedValidators
  /// How long the answer may be cached; see ``CheckPace/lifetime(maxAge:expires:date:)``.
  package var lifetime: Duration?
  /// The wait in its Retry-After.
  package var retryAfter: Duration?
  /// What the body is.
  package var body: Body

  /// Creates an answer.
  package init(
    status: Int, url: FeedURL, validators: FeedValidators = FeedValidators(),
    lifetime: Duration? = nil, retryAfter: Duration? = nil, body: Body = .none
  ) {
    self.status = status
    self.url = url
    self.validators = validators
    self.lifetime = lifetime
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// What a check of a feed brought.
package enum FeedResult: Sendable, Hashable {
  /// Why a list is taken as one of the same podcast.
  package enum Evidence: Sendable, Hashable {
    /// Nothing is remembered to compare it with.
    case firstTime
    /// It lists an episode that was listed before.
    case sharedEpisode
    /// At least half of it, or of what is known, are known episodes under new names: the podcast has
    /// changed its host.
    case lookAlikes
    /// It has the podcast's `podcast:guid`.
    case podcastGUID
    /// It has the podcast's title, and everything in it is newer than all that was listed before:
    /// a short list after a long time.
    case rolledOver
    /// A person says so.
    case person
  }

  /// 304, or the same bytes.
  case unchanged
  /// The list was read.
  case read(Evidence)
  /// The server asks for no request before a certain time.
  case deferred(Deferral)
  /// The feed has ended.
  case gone
  /// The check failed, and nothing else changes.
  case failed(FeedProblem)
}
