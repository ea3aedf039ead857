package import FoundationEssentials

/// Which validators a feed is asked with, and what that means for its answer.
package struct ConditionalRequest: Sendable, Hashable {
  /// How long a server may answer 304 before the feed is asked for completely, once: some answer 304
  /// forever. After the same time all validators are tried again that it did not honor.
  package static let trustedTime: Double = 14 * 86_400

  /// What is sent: `If-None-Match` and `If-Modified-Since`.
  package let sent: FeedValidators
  /// The digest of a body that need not be read again; nil if every body is read.
  package let knownDigest: String?
  /// The digest of the subscription's settings as they are now.
  package let settingsDigest: String?
  /// Whether a person says that the feed is the one that is followed, whatever it lists.
  package var isTrusted = false

  /// Decides about the next request.
  ///
  /// - Parameters:
  ///   - state: what is remembered of the feed.
  ///   - settingsDigest: the digest of the subscription's settings. Other settings may want other
  ///     episodes of an unchanged list.
  package init(_ state: FeedState, settingsDigest: String?, now: Date) {
    self.settingsDigest = settingsDigest
    let hasSettings = state.settingsDigest == settingsDigest
    knownDigest = hasSettings ? state.bodyDigest : nil
    let isTrusted = Self.isWithin(Self.trustedTime, since: state.validatorsSince, now: now)
    guard hasSettings, isTrusted, !state.needsFullAnswer else {
      sent = FeedValidators()
      return
    }
    let use = Self.use(state, now: now)
    sent = use.sent(of: state.validators)
  }

  /// Whether the server may answer 304.
  package var isConditional: Bool { !sent.isEmpty }

  /// The step of the ladder that a state is on; it starts again after a while.
  static func use(_ state: FeedState, now: Date) -> ValidatorUse {
    guard state.validatorUse != .both else { return .both }
    return isWithin(trustedTime, since: state.validatorUseSince, now: now)
      ? state.validatorUse : .both
  }

  /// A time in the future is one of a clock that was wrong.
  private static func isWithin(_ seconds: Double, since: Date?, now: Date) -> Bool {
    guard let since else { return false }
    return (0..<seconds).contains(now.timeIntervalSince(since))
  }
}
