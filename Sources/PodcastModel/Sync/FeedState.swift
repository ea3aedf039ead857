package import FoundationEssentials

/// What is remembered of one feed from one sync to the next.
///
/// All of it may be lost: then the feed is read completely once, and the newest episodes are taken as
/// at the first sync. A new state must be stored after the episodes that it lists are recorded as
/// planned. Otherwise a killed process loses them: the next answer is 304.
package struct FeedState: Sendable, Hashable {
  /// A redirect that may become a move.
  package struct MoveNote: Sendable, Hashable {
    /// Where the leading run of permanent redirects ends.
    package var address: FeedURL
    /// The sync that saw it first; every sync since then saw it too.
    package var firstSeen: Date

    /// Creates a note.
    package init(address: FeedURL, firstSeen: Date) {
      self.address = address
      self.firstSeen = firstSeen
    }
  }

  /// The new address that the feed itself announces (`itunes:new-feed-url`), while the subscription
  /// has another one.
  package struct Announcement: Sendable, Hashable {
    /// The announced address.
    package var address: FeedURL
    /// When the address was last asked; nil if it was not asked yet.
    package var lastAsked: Date?

    /// Creates an announcement.
    package init(address: FeedURL, lastAsked: Date? = nil) {
      self.address = address
      self.lastAsked = lastAsked
    }
  }

  // MARK: Conditional requests

  /// The validators of the last good answer, 304 included.
  package var validators = FeedValidators()
  /// When a good answer last brought the body and not 304.
  package var validatorsSince: Date?
  /// Which validators are sent.
  package var validatorUse = ValidatorUse.both
  /// When ``validatorUse`` last changed.
  package var validatorUseSince: Date?
  /// How many answers in a row brought an equal body although validators were sent.
  package var equalBodies = 0
  /// The SHA-256 of the last good body, decoded.
  package var bodyDigest: String?
  /// The length of that body in bytes.
  package var bodyBytes: Int?
  /// The digest of the subscription's settings when the feed was last read.
  package var settingsDigest: String?
  /// Whether the last body could not be used, so that the next request sends no validators.
  package var needsFullAnswer = false

  // MARK: What it listed

  /// What it listed within the last year; empty before the first sync.
  package var listed = ListedMemory()
  /// How many of the listed episodes wait until a person accepts them.
  package var waiting = 0
  /// The newest date ever listed that was not in the future then.
  package var newest: Date?
  /// The usual time between two days with episodes; nil if the feed does not show it.
  package var rhythm: Duration?
  /// Whether no more episodes will come.
  package var isComplete = false
  /// How long the feed itself says that it may be cached (RSS 2.0, `ttl`).
  package var ttl: Duration?
  /// How long the last answer may be cached (`Cache-Control`, `Expires`).
  package var maxAge: Duration?

  // MARK: Checks and failures

  /// The last time that the feed was asked.
  package var lastChecked: Date?
  /// The last time that its list was read.
  package var lastRead: Date?
  /// The last time that it listed a new episode.
  package var lastNew: Date?
  /// How many checks in a row brought nothing new although an episode was overdue.
  package var quietChecks = 0
  /// How many checks in a row failed.
  package var failures = 0
  /// The last failure; nil after a check that succeeded.
  package var lastError: PodgetError?
  /// The first of the failures in a row.
  package var failingSince: Date?
  /// When a failure was last reported; nil after a check that succeeded.
  package var failureReported: Date?
  /// The feed is not asked before this time, as its server requested.
  package var notBefore: Date?
  /// The origin of which no feed is asked before ``notBefore``; nil if only this feed is meant.
  package var deferredOrigin: String?
  /// When `--watch` asks the feed again; nil for at once.
  package var nextCheck: Date?

  // MARK: Moves and the end

  /// The permanent redirect that the last sync saw.
  package var move: MoveNote?
  /// What the last good list announced.
  package var announcement: Announcement?
  /// The address to which the feed has moved, and the subscription only when the user says so: its
  /// login is for another origin, or a podcast with another title is followed there.
  package var waitingMove: FeedURL?
  /// The first of the answers 410 without a good answer between them.
  package var goneSince: Date?
  /// Whether the feed has ended, and is not asked until it is subscribed again.
  package var isGone = false

  /// The state of a feed that was never asked.
  package init() {}

  /// Notes what a good answer brought, when that is known.
  ///
  /// - Parameter newEpisodes: how many episodes were new; 0 for an unchanged feed.
  package mutating func record(newEpisodes: Int, at now: Date) {
    guard newEpisodes <= 0 else {
      lastNew = now
      quietChecks = 0
      return
    }
    let isOverdue =
      if let rhythm, let last = newest ?? lastNew {
        now.timeIntervalSince(last) >= 2 * (rhythm / .seconds(1))
      } else {
        false
      }
    // More checks than this change nothing: the pace is at its longest.
    quietChecks = isOverdue ? min(max(quietChecks, 0), 99) + 1 : 0
  }

  /// How often, in seconds, a feed that goes on failing is reported.
  private static let reportInterval: Double = 7 * 86_400

  /// Whether a failure after this state is news: the first one, another one, or one that was not
  /// reported for a week.
  package func isNews(_ error: PodgetError, at now: Date) -> Bool {
    guard failures > 0, let reported = failureReported, let last = lastError,
      last.code == error.code, last.httpStatus == error.httpStatus
    else { return true }
    return !(0..<Self.reportInterval).contains(now.timeIntervalSince(reported))
  }

  /// Forgets what the feed listed: it was another podcast.
  package mutating func forgetList() {
    listed = ListedMemory()
    waiting = 0
    newest = nil
    lastRead = nil
    bodyDigest = nil
  }

  /// Forgets what the server has said of the feed: validators, redirects, waits and its end. What it
  /// listed stays, so that nothing is new that was listed before, and so does since when it fails.
  package mutating func refresh() {
    var fresh = FeedState()
    (fresh.listed, fresh.waiting, fresh.newest) = (listed, waiting, newest)
    (fresh.rhythm, fresh.isComplete) = (rhythm, isComplete)
    (fresh.lastChecked, fresh.lastRead, fresh.lastNew) = (lastChecked, lastRead, lastNew)
    (fresh.failures, fresh.failingSince) = (failures, failingSince)
    (fresh.lastError, fresh.failureReported) = (lastError, failureReported)
    // Other settings want the newest episodes again.
    fresh.settingsDigest = settingsDigest
    fresh.needsFullAnswer = true
    self = fresh
  }

  /// Takes the feed to its new address.
  ///
  /// - Parameter keepsValidators: whether the validators came from there, which they do after a
  ///   redirect.
  package mutating func recordMove(keepsValidators: Bool) {
    move = nil
    announcement = nil
    waitingMove = nil
    goneSince = nil
    if !keepsValidators { validators = FeedValidators() }
  }

  /// Lets a feed that has ended be asked again.
  package mutating func subscribeAgain() {
    isGone = false
    goneSince = nil
    nextCheck = nil
  }
}
