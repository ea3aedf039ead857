package import FoundationEssentials
package import PodcastLibrary
package import PodcastModel

/// What an operator has to know of a library that is synced.
package struct FollowingStatus: Sendable {
  /// Something that waits for a person.
  package struct Matter: Sendable {
    /// What it is; the raw values are the contract with scripts.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The server of a feed wants a login, or another one.
      case login
      /// A feed has failed for a week.
      case failing
      /// A feed has ended.
      case gone
      /// New episodes wait until a person accepts them.
      case waiting
      /// A move waits until a person accepts it.
      case move
    }

    /// The subscription.
    package var podcast: FollowedPodcast
    /// What it is.
    package var kind: Kind
  }

  /// The time of this status (UTC).
  package var time: Date
  /// How many subscriptions are in each state.
  package var feeds: [FollowedPodcast.Status: Int] = [:]
  /// How many of them their servers have deferred.
  package var deferred = 0
  /// When a feed was last asked (UTC); nil for never.
  package var lastCheck: Date?
  /// When the next one is due (UTC); nil for none, and for at once.
  package var nextCheck: Date?
  /// How many downloads are planned and not finished.
  package var unfinished = 0
  /// How many of them failed in a way that a retry does not fix.
  package var failed = 0
  /// How many new episodes wait until a person accepts them.
  package var waiting = 0
  /// How many bytes are left on the disk of the library; nil if that is not known.
  package var freeBytes: Int64?
  /// What waits for a person, in the order of the subscriptions.
  package var matters: [Matter] = []

  /// How long, in seconds, a feed may fail before a person has to know.
  private static let patience: Double = 7 * 86_400

  /// Reads the status of a library. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - now: the time of day.
  ///   - warn: gets a sentence about each thing in the list of subscriptions that has no effect.
  /// - Throws: a ``PodgetError`` when the file with the subscriptions cannot be read.
  package init(
    of library: Library, at now: Date, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) {
    self.init(of: library, try FollowedPodcast.all(in: library, at: now, warn: warn), at: now)
  }

  /// Finds out the status of a library with these podcasts. It blocks on the disk.
  package init(of library: Library, _ podcasts: [FollowedPodcast], at now: Date) {
    time = now
    for podcast in podcasts {
      feeds[podcast.status, default: 0] += 1
      if podcast.deferredUntil != nil { deferred += 1 }
      waiting += podcast.waiting
      lastCheck = [lastCheck, podcast.lastChecked].compactMap(\.self).max()
      nextCheck = [nextCheck, podcast.nextCheck].compactMap(\.self).min()
      matters += Self.matters(of: podcast, at: now).map { Matter(podcast: podcast, kind: $0) }
    }
    let downloads = library.unfinished()
    unfinished = downloads.count
    failed = downloads.count { $0.failure != nil }
    freeBytes = library.freeBytes
  }

  private static func matters(of podcast: FollowedPodcast, at now: Date) -> [Matter.Kind] {
    // What a person has paused waits on purpose.
    guard podcast.status != .paused else { return [] }
    var kinds: [Matter.Kind] = []
    if podcast.status == .gone { kinds.append(.gone) }
    if podcast.status == .failing {
      if podcast.lastError?.httpStatus == 401 {
        kinds.append(.login)
      } else if let since = podcast.failingSince, now.timeIntervalSince(since) >= patience {
        kinds.append(.failing)
      }
    }
    if podcast.waiting > 0 { kinds.append(.waiting) }
    if podcast.waitingMove != nil { kinds.append(.move) }
    return kinds
  }
}
