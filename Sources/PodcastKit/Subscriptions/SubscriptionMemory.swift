internal import CFiles
import FoundationEssentials
import PodcastLibrary
import PodcastTransfer
import Synchronization

/// The subscriptions between the rounds of a run.
final class SubscriptionMemory: Sendable {
  private struct Kept {
    var status: OpenFile.Status
    var list: SubscriptionList
    var isOwn: Bool
  }

  private struct State {
    var kept: Kept?
    /// The file at the last look; nil before the first one.
    var seen: OpenFile.Status??
    /// Whether it was another one at the look before, or the last look was the first one.
    var isNew = false
    /// What was said of the file as it was before.
    var warnings: Set<String> = []
    var subscriptions: [Subscription] = []
  }

  /// How long, in nanoseconds, a file must be unchanged: two changes may have one time.
  private static let settled: Int64 = 2_000_000_000

  private let state = Mutex(State())

  /// Whether somebody has changed the file since the reading before.
  var isNew: Bool { state.withLock { $0.isNew } }

  /// Notes how the file is now.
  func look(at status: OpenFile.Status?) {
    state.withLock { state in
      state.isNew = state.seen.map { !Self.isSame($0, status) } ?? true
      state.seen = .some(status)
    }
  }

  /// What is new in a list that somebody has changed: its warnings, and the subscriptions that were not
  /// as they are.
  func news(in list: SubscriptionList) -> (warnings: [String], subscriptions: [Subscription]) {
    let before = state.withLock { state in
      defer { (state.warnings, state.subscriptions) = (Set(list.warnings), list.subscriptions) }
      return (state.warnings, state.subscriptions)
    }
    let known = Set(before.1)
    return (
      list.warnings.filter { !before.0.contains($0) },
      list.subscriptions.filter { !known.contains($0) }
    )
  }

  /// The list of a file that is as it was; nil if it was not read, or may have changed.
  func list(at status: OpenFile.Status?) -> (list: SubscriptionList, isOwn: Bool)? {
    guard let status else { return nil }
    return state.withLock { state in
      guard let kept = state.kept, Self.isSame(kept.status, status) else { return nil }
      return (kept.list, kept.isOwn)
    }
  }

  /// Keeps a list.
  ///
  /// - Parameter status: that of the file before it was read.
  func keep(_ read: (list: SubscriptionList, isOwn: Bool), at status: OpenFile.Status?) {
    let now = Int64(clamping: Int(Date().timeIntervalSince1970)) &* 1_000_000_000
    let isSettled = status.map { $0.changed < now &- Self.settled } ?? false
    let new = status.flatMap {
      isSettled ? Kept(status: $0, list: read.list, isOwn: read.isOwn) : nil
    }
    state.withLock { state in
      state.kept = new
      // Two changes within a moment have one time.
      if read.list.subscriptions != state.subscriptions { state.isNew = true }
    }
  }

  private static func isSame(_ one: OpenFile.Status?, _ other: OpenFile.Status?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return other.isUnchanged(since: one)
  }
}
