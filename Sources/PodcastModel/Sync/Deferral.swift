package import FoundationEssentials

/// A server asks for no request before a time after this run (`Retry-After`).
package struct Deferral: Sendable, Hashable {
  /// The longest Retry-After that is waited for in the run.
  package static let longestWait = Duration.seconds(300)
  /// The longest Retry-After that is obeyed: a feed must not be lost for a mistyped number.
  package static let longest = Duration.seconds(30 * 86_400)
  /// The longest one of 429: one feed must not silence all others of its host for weeks.
  package static let longestOfOrigin = Duration.seconds(86_400)
  /// How long 429 defers without Retry-After.
  package static let usual = Duration.seconds(3600)

  /// Before this time nothing is asked.
  package var until: Date
  /// The origin of which no feed is asked; nil if only this feed is meant.
  package var origin: String?

  /// Creates a deferral.
  package init(until: Date, origin: String? = nil) {
    self.until = until
    self.origin = origin
  }

  /// Decides about the last answer of a run; nil if it defers nothing.
  ///
  /// 429 is about the client, so it defers all feeds of the origin. 503 is about the feed. In a
  /// private network one origin serves many feeds from elsewhere, and one of them must not block the
  /// others.
  ///
  /// - Parameters:
  ///   - retryAfter: the wait in Retry-After; nil without a valid one.
  ///   - url: the address that answered.
  package init?(status: Int, retryAfter: Duration?, url: FeedURL, now: Date) {
    switch status {
    case 429:
      let isPrivate = url.parts?.isPrivate ?? true
      self.init(
        until: Self.time(min(retryAfter ?? Self.usual, Self.longestOfOrigin), after: now),
        origin: isPrivate ? nil : url.parts?.origin)
    case 503:
      guard let retryAfter, !Self.isWaitedFor(retryAfter) else { return nil }
      self.init(until: Self.time(retryAfter, after: now))
    default: return nil
    }
  }

  /// Whether the run itself waits that long, and then tries again.
  package static func isWaitedFor(_ retryAfter: Duration) -> Bool {
    retryAfter <= longestWait
  }

  private static func time(_ wait: Duration, after now: Date) -> Date {
    now.addingTimeInterval(min(max(wait, .zero), longest) / .seconds(1))
  }
}

/// All deferrals that are in force.
package struct Deferrals: Sendable {
  /// Those of an origin, by the feeds that were told.
  private var feeds: [String: Deferral] = [:]
  /// The latest time of each origin.
  private var origins: [String: Date] = [:]

  /// None.
  package init() {}

  /// Those that earlier runs have stored.
  package init(_ states: [String: FeedState]) {
    for (feed, state) in states { set(feed, state) }
  }

  /// Takes what is remembered of a feed now, in place of what was.
  ///
  /// - Returns: whether feeds of an origin may be asked earlier than before.
  @discardableResult package mutating func set(_ feed: String, _ state: FeedState) -> Bool {
    let deferral = state.notBefore.flatMap { until in
      state.deferredOrigin.map { Deferral(until: until, origin: $0) }
    }
    let old = feeds[feed]
    guard deferral != old else { return false }
    feeds[feed] = deferral
    if let deferral, let origin = deferral.origin {
      origins[origin] = max(origins[origin] ?? deferral.until, deferral.until)
    }
    guard let old, let origin = old.origin, origins[origin] == old.until else { return false }
    let latest = feeds.values.filter { $0.origin == origin }.map(\.until).max()
    origins[origin] = latest
    return latest != old.until
  }

  /// Until when a feed is deferred; nil if it may be asked.
  ///
  /// A time that lies further in the future than a deferral can was stored by a clock that was
  /// wrong, and is ignored.
  package func notBefore(_ address: FeedURL, state: FeedState, now: Date) -> Date? {
    func inForce(_ until: Date?, _ longest: Duration) -> Date? {
      let wait = until?.timeIntervalSince(now) ?? 0
      return wait > 0 && wait <= longest / .seconds(1) ? until : nil
    }
    let own = inForce(
      state.notBefore,
      state.deferredOrigin == nil ? Deferral.longest : Deferral.longestOfOrigin)
    let origin = address.parts.flatMap { origins[$0.origin] }
    return [own, inForce(origin, Deferral.longestOfOrigin)].compactMap(\.self).max()
  }
}
