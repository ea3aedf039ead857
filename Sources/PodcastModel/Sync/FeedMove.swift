package import FoundationEssentials

/// One redirect that a request followed.
package struct FeedRedirect: Sendable, Hashable {
  /// The HTTP status.
  package var status: Int
  /// The address that it leads to.
  package var target: FeedURL

  /// Creates a hop.
  package init(status: Int, target: FeedURL) {
    self.status = status
    self.target = target
  }

  /// Whether the server says that the address has changed for good (RFC 9110, 15.4.2 and 15.4.9).
  var isPermanent: Bool { status == 301 || status == 308 }
}

/// Whether a feed has moved, by its redirects and by what it announces itself.
///
/// A permanent redirect alone proves nothing: login pages of hotels and trains send them for every
/// address.
package struct FeedMove: Sendable, Hashable {
  /// The minimum time between the first sync that saw a redirect and the one that moves.
  package static let provingTime: Double = 24 * 3600
  /// The minimum time between two requests for an announced address while the feed is unchanged.
  package static let askingTime: Double = 24 * 3600

  /// The new address of the subscription; nil if it stays.
  package private(set) var address: FeedURL?
  /// What the state remembers of a redirect for the next sync.
  package private(set) var note: FeedState.MoveNote?
  /// An announced address that must be asked. If it delivers a feed with a shared episode
  /// (``ListedFeed/sharesEpisode(with:)``), the subscription moves there at once, and not to
  /// ``address``.
  package private(set) var check: FeedURL?

  /// The address, on another origin, to which the subscription would move if it had no login: the user
  /// decides about that.
  package private(set) var waiting: FeedURL?

  /// Nothing moves, and nothing is remembered.
  package static let stay = FeedMove()

  private init() {}

  /// Decides after a feed's answer.
  ///
  /// - Parameters:
  ///   - subscribed: the subscription's address, where the request started.
  ///   - hops: the redirects that it followed, in order.
  ///   - decision: what the answer means, with the state after it.
  ///   - hasLogin: whether the subscription has a login, which is for the origin of its address only.
  package init(
    from subscribed: FeedURL, through hops: [FeedRedirect], decision: AnswerDecision,
    hasLogin: Bool, now: Date
  ) {
    self.init(from: subscribed, through: hops, decision: decision, now: now)
    guard hasLogin, let target = address, Self.changesOrigin(from: subscribed, to: target) else {
      return
    }
    (address, waiting) = (nil, target)
    // What was seen long enough stays so.
    note = note ?? decision.state.move.flatMap { $0.address == target ? $0 : nil }
  }

  private init(
    from subscribed: FeedURL, through hops: [FeedRedirect], decision: AnswerDecision, now: Date
  ) {
    guard decision.isGood else { return }
    let sees = decision.sharesEpisode
    if let announced = decision.state.announcement {
      let answered = hops.last?.target ?? subscribed
      if sees, announced.address == answered, Self.mayMove(from: subscribed, to: announced.address)
      {
        address = announced.address
        return
      }
      let isUnchanged = decision.result == .unchanged
      if Self.asks(announced, from: subscribed, answered, isUnchanged: isUnchanged, now: now) {
        check = announced.address
      }
    }
    let run = hops.prefix(while: \.isPermanent)
    guard let first = run.first, let end = run.last?.target else { return }
    if Self.isUpgrade(from: subscribed, to: first.target) { address = first.target }
    guard sees, end != address ?? subscribed, !Self.losesEncryption(from: subscribed, to: end)
    else { return }
    let noted = decision.state.move.flatMap { $0.address == end ? $0.firstSeen : nil }
    // A sighting in the future is one of a clock that was wrong.
    let firstSeen = noted.flatMap { $0 <= now ? $0 : nil } ?? now
    if now.timeIntervalSince(firstSeen) >= Self.provingTime {
      address = end
      check = nil
    } else {
      note = FeedState.MoveNote(address: end, firstSeen: firstSeen)
    }
  }
}

extension FeedMove {
  /// Whether a move leads to another scheme, host or port.
  package static func changesOrigin(from old: FeedURL, to new: FeedURL) -> Bool {
    guard let old = old.parts?.origin, let new = new.parts?.origin else { return true }
    return old != new
  }

  /// Where a feed with a login has moved to, if the server there wants a login too: the address where
  /// the redirects end, if all are permanent and lead to another origin.
  ///
  /// - Parameter hops: the redirects to the server that answered 401.
  package static func refused(from subscribed: FeedURL, through hops: [FeedRedirect]) -> FeedURL? {
    guard let end = hops.last?.target, hops.allSatisfy(\.isPermanent),
      changesOrigin(from: subscribed, to: end), !losesEncryption(from: subscribed, to: end)
    else { return nil }
    return end
  }

  /// Whether an announced address is asked: whenever the feed was read, and once a day while it is
  /// unchanged.
  ///
  /// - Parameters:
  ///   - announced: the address that the feed announces.
  ///   - subscribed: the subscription's address.
  ///   - answered: the address that answered, behind all redirects.
  ///   - isUnchanged: whether the feed has not changed.
  package static func asks(
    _ announced: FeedState.Announcement, from subscribed: FeedURL, _ answered: FeedURL,
    isUnchanged: Bool, now: Date
  ) -> Bool {
    guard announced.address != answered, mayMove(from: subscribed, to: announced.address) else {
      return false
    }
    guard isUnchanged, let last = announced.lastAsked else { return true }
    return !(0..<askingTime).contains(now.timeIntervalSince(last))
  }

  private static func mayMove(from subscribed: FeedURL, to announced: FeedURL) -> Bool {
    isOther(announced, than: subscribed) && !losesEncryption(from: subscribed, to: announced)
  }

  /// Whether an announced address differs in more than its scheme, `www.` and trailing slashes: most
  /// feeds announce themselves. From http to https is a difference.
  private static func isOther(_ announced: FeedURL, than subscribed: FeedURL) -> Bool {
    func place(_ address: FeedURL) -> String? {
      PodcastIdentity(Podcast(title: "", feedURL: address)).feed
    }
    return place(announced) != place(subscribed) || isUpgrade(from: subscribed, to: announced)
  }

  /// Whether only the scheme, and with it the port, changes from http to https.
  private static func isUpgrade(from old: FeedURL, to new: FeedURL) -> Bool {
    guard let old = old.parts, let new = new.parts else { return false }
    return old.scheme == "http" && new.scheme == "https" && old.host == new.host
      && path(of: old) == path(of: new) && old.query == new.query
  }

  /// A permission for redirects to http is one for a run, and must not outlive it.
  private static func losesEncryption(from old: FeedURL, to new: FeedURL) -> Bool {
    old.parts?.scheme == "https" && new.parts?.scheme == "http"
  }

  private static func path(of address: WebAddress) -> Substring {
    address.path.isEmpty ? "/" : address.path
  }
}
