import PodcastKit

/// How many episodes ended in which way.
struct Summary: Sendable, Hashable {
  /// The planned episodes, with any result.
  var planned = 0
  /// Those of them that have not ended: in a dry run, what is to be downloaded.
  var open = 0
  /// The downloaded episodes.
  var finished = 0
  /// The episodes without any work.
  var skipped = 0
  /// Those of them that were left for later.
  var postponed = 0
  /// Why they were, in the order of the contract.
  var postponedBy: Set<SkipReason> = []
  /// Episodes and sources that failed.
  var failed = 0
  /// The episodes that were cancelled.
  var cancelled = 0
  /// The sizes of the finished files, in bytes.
  var bytes: Int64 = 0

  /// The feeds of a run that checks feeds; nil for other runs.
  var feeds: Feeds?

  /// Whether it is the end of rounds that had summaries of their own.
  var endsRounds = false

  /// Whether people need not read it.
  var isSilent: Bool { endsRounds && !broughtSomething }

  /// How many feeds were checked, and with which result.
  struct Feeds: Sendable, Hashable {
    /// The feeds that answered.
    var checked = 0
    /// Those of them in which nothing changed.
    var unchanged = 0
    /// The feeds that are not asked yet because of a Retry-After.
    var deferred = 0
    /// The feeds that fail as they did before, of which nothing is said.
    var stillFailing = 0
    /// The new episodes that wait until a person accepts them.
    var waiting = 0
    /// The podcasts with new episodes, and how many.
    var new: [NewEpisodes] = []
  }

  /// A podcast with new episodes.
  struct NewEpisodes: Sendable, Hashable {
    /// The podcast's title.
    var title: String
    /// How many.
    var count: Int
  }

  /// Counts a checked feed.
  mutating func count(_ check: FeedCheck) {
    feeds?.waiting += check.remindsOfWaiting ? check.waiting : check.newlyWaiting
    switch check.result {
    case .unchanged:
      feeds?.checked += 1
      feeds?.unchanged += 1
    case .read:
      feeds?.checked += 1
      if check.newEpisodes > 0 {
        feeds?.new.append(NewEpisodes(title: check.podcast.shownTitle, count: check.newEpisodes))
      }
    case .deferred: feeds?.deferred += 1
    case .gone: break
    }
  }

  /// Counts an event, if it is the last one of its episode, or plans it.
  ///
  /// - Parameter wasPlanned: whether the episode was planned, which need not be so.
  mutating func count(_ event: DownloadEvent, wasPlanned: Bool = true) {
    if wasPlanned, event.kind.isTerminal { open -= 1 }
    switch event.kind {
    case .planned:
      planned += 1
      open += 1
    case .finished(let file):
      finished += 1
      bytes = ByteSum.of([bytes, file.bytes])
    case .skipped(_, let reason):
      skipped += 1
      guard reason.isPostponed else { return }
      postponed += 1
      postponedBy.insert(reason)
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .started, .progress, .paused, .resumed, .retrying, .restarted: break
    }
  }

  /// Adds the sums of another part of the work.
  mutating func add(_ other: Summary) {
    planned += other.planned
    open += other.open
    finished += other.finished
    skipped += other.skipped
    postponed += other.postponed
    postponedBy.formUnion(other.postponedBy)
    failed += other.failed
    cancelled += other.cancelled
    bytes = ByteSum.of([bytes, other.bytes])
    guard let checks = other.feeds else { return }
    var sum = feeds ?? Feeds()
    sum.checked += checks.checked
    sum.unchanged += checks.unchanged
    sum.deferred += checks.deferred
    sum.stillFailing += checks.stillFailing
    sum.waiting += checks.waiting
    sum.new += checks.new
    feeds = sum
  }

  /// Counts a feed that fails as it did before.
  mutating func countStillFailing() { feeds?.stillFailing += 1 }

  /// Counts a source that could not be read.
  mutating func countFailedSource() {
    failed += 1
  }

  /// Whether there was anything but feeds that have not changed.
  var broughtSomething: Bool { planned > 0 || failed > 0 || !(feeds?.new ?? []).isEmpty }

  /// The lines about new episodes: `The Symbolic World: 2 new episodes`.
  var newEpisodes: [String] {
    (feeds?.new ?? []).map { new in
      let count = new.count == 1 ? "1 new episode" : "\(new.count) new episodes"
      return "\(TerminalText.safe(new.title)): \(count)"
    }
  }

  /// The summary for people, such as `4 finished (92.0 MiB), 1 failed`.
  var sentence: String {
    var parts: [String] = []
    if finished > 0 { parts.append("\(finished) finished (\(ByteText.size(bytes)))") }
    if skipped > postponed { parts.append("\(skipped - postponed) skipped") }
    if failed > 0 { parts.append("\(failed) failed") }
    if cancelled > 0 { parts.append("\(cancelled) cancelled (run podget resume to continue)") }
    if postponed > 0 {
      let limits = SkipReason.allCases.filter(postponedBy.contains).map(EventText.limit)
      parts.append("\(postponed) left for later (\(limits.joined(separator: ", ")))")
    }
    if open > 0 { parts.append("\(open) to download") }
    guard let feeds else {
      return parts.isEmpty ? "Nothing to download." : parts.joined(separator: ", ")
    }
    var counts = feeds.checked == 1 ? "1 feed checked" : "\(feeds.checked) feeds checked"
    if feeds.deferred > 0 { counts += ", \(feeds.deferred) deferred" }
    if feeds.stillFailing > 0 { counts += ", \(feeds.stillFailing) still failing" }
    if feeds.waiting > 0 {
      parts.append("\(EventText.episodes(feeds.waiting)) waiting for --accept")
    }
    return parts.isEmpty ? "\(counts), nothing new." : "\(counts), \(parts.joined(separator: ", "))"
  }
}
