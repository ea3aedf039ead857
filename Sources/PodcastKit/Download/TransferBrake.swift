import FoundationEssentials
import PodcastLibrary
import PodcastModel
import Synchronization

/// The bytes that have arrived since a time: a run that takes the place of another one goes on with them.
package struct ArrivedBytes: Sendable, Hashable {
  /// Since when they count (UTC).
  var start: Date
  /// Those of all podcasts.
  var run: Int64
  /// Those of podcasts with a limit of their own, by the addresses first subscribed.
  var podcasts: [String: Int64]
}

/// Leaves downloads to a later run when a run has brought as many bytes as it may, or when one would take
/// of the space that stays free. They stay planned.
///
/// What arrives counts. What is still to come is a guess by the lengths of feeds, and a download that
/// fails brings nothing: so it lets others wait in line until something has ended, and leaves none for
/// later. The last download of a run may go beyond the limit; otherwise a long episode would never come.
final class TransferBrake: Sendable {
  /// How many seconds a run that does not end, as that of `sync --watch`, counts its bytes.
  static let window: Double = 86_400
  /// How many seconds a download waits in such a run for which the disk has no room.
  static let spacePause: Double = 3600

  /// What becomes of a download.
  enum Decision: Sendable, Hashable {
    case begin
    /// It begins when another one has ended, or is left then.
    case wait
    case leave(SkipReason)
  }

  /// The most bytes of a run or of one of its podcasts, and what counts against them.
  struct Count: Sendable, Hashable {
    /// The most; nil for no limit.
    var most: Int64?
    /// What has arrived.
    var arrived: Int64 = 0
    /// What is still to come of the downloads that run, as far as it is known.
    var coming: Int64 = 0
    /// How many downloads run.
    var running = 0
  }

  fileprivate struct Begun {
    var podcast: String?
    var received: Int64
    var coming: Int64
  }

  /// A download that was left.
  fileprivate struct Left {
    var podcast: Podcast
    /// The limit of its podcast then.
    var most: Int64?
    var until: Date
  }

  fileprivate struct State {
    var start: Date
    var run = Count()
    /// The counts of the podcasts with a limit of their own.
    var podcasts: [String: Count] = [:]
    var begun: [String: Begun] = [:]
    var left: [String: Left] = [:]
  }

  private let most: Int64?
  private let keptFree: Int64?
  private let state: Mutex<State>

  /// A brake with the limits of a run that begins now.
  init(_ options: DownloadOptions, at now: Date) {
    (most, keptFree) = (options.maximumBytes, options.keptFreeBytes)
    var new = State(start: now)
    if let before = options.arrivedBefore {
      new.start = before.start
      new.run.arrived = before.run
      new.podcasts = before.podcasts.mapValues { Count(arrived: $0) }
    }
    state = Mutex(new)
  }

  /// What has arrived.
  var arrived: ArrivedBytes {
    state.withLock { state in
      ArrivedBytes(
        start: state.start, run: state.run.arrived,
        podcasts: state.podcasts.mapValues(\.arrived))
    }
  }

  /// Whether a download begins.
  ///
  /// - Parameters:
  ///   - bytes: what it brings, as its feed says; nil if that is not known.
  ///   - counts: those of the run and of its podcast.
  static func decision(about bytes: Int64?, _ counts: [Count], _ space: DiskSpace) -> Decision {
    if counts.contains(where: { $0.arrived >= $0.most ?? .max }) { return .leave(.maxBytes) }
    guard space.takes(bytes) else { return .leave(.keepFree) }
    let isFull = counts.contains { count in
      guard let most = count.most, count.running > 0 else { return false }
      let used = ByteSum.of([count.arrived, count.coming])
      return used >= most || ByteSum.of([used, bytes]) > most
    }
    return isFull ? .wait : .begin
  }

  /// Whether there is a limit for a podcast with these settings.
  func mayHold(_ own: SubscribedSettings.Own) -> Bool {
    most != nil || keptFree != nil || own.mostBytes != nil
  }

  /// Decides about a download, which counts if it begins; one that is left waits for a while.
  ///
  /// - Parameters:
  ///   - held: how many bytes of it are on the disk.
  ///   - own: the settings of its podcast.
  ///   - disk: what is free on the disk, and its size.
  func decide(
    about plan: DownloadPlan, held: Int64, _ own: SubscribedSettings.Own, _ disk: DiskSpace,
    at now: Date
  ) -> Decision {
    state.withLock { state in
      let limit = own.mostBytes
      var run = state.run
      var podcast = limit.flatMap { state.podcasts[$0.podcast] } ?? Count()
      (run.most, podcast.most) = (most, limit?.most)
      let bytes = Self.coming(of: plan, held: held)
      var space = disk
      space.kept = keptFree
      let decision = Self.decision(about: bytes, [run, podcast], space)
      state.left[plan.key] = nil
      switch decision {
      case .begin:
        state.begun[plan.key] = Begun(
          podcast: limit?.podcast, received: held, coming: bytes ?? 0)
        state.count(limit?.podcast) { count in
          count.running += 1
          count.coming = ByteSum.of([count.coming, bytes])
        }
      case .wait: break
      case .leave(let reason):
        state.left[plan.key] = Left(
          podcast: plan.podcast, most: limit?.most,
          until: reason == .keepFree
            ? now.addingTimeInterval(Self.spacePause)
            : state.start.addingTimeInterval(Self.window))
      }
      return decision
    }
  }

  /// Counts what arrives.
  func note(_ event: DownloadEvent) {
    let key = event.plan.key
    state.withLock { state in
      switch event.kind {
      case .started(let received), .cancelled(let received):
        state.move(key, to: received, arriving: false)
      case .restarted: state.move(key, to: 0, arriving: false)
      case .progress(let received, let total): state.move(key, to: received, of: total)
      case .finished(let file): state.move(key, to: file.bytes)
      case .planned, .paused, .resumed, .retrying, .skipped, .failed: break
      }
      if event.kind.isTerminal { state.end(key) }
    }
  }

  /// A download was put back before it had ended.
  func putBack(_ key: String) { state.withLock { $0.end(key) } }

  /// Begins another round of a run; after a day its bytes count anew.
  func beginRound(at now: Date) {
    state.withLock { state in
      guard !(0..<Self.window).contains(now.timeIntervalSince(state.start)) else { return }
      (state.start, state.left, state.run.arrived) = (now, [:], 0)
      for podcast in state.podcasts.keys { state.podcasts[podcast]?.arrived = 0 }
    }
  }

  /// The keys of the downloads that were left and wait.
  ///
  /// - Parameter own: the settings of a podcast as they are now: with another limit none waits.
  func waiting(at now: Date, _ own: (Podcast) -> SubscribedSettings.Own) -> Set<String> {
    state.withLock { state in
      state.left = state.left.filter { _, left in
        left.until > now && own(left.podcast).mostBytes?.most == left.most
      }
      return Set(state.left.keys)
    }
  }

  /// What a download brings; nil if its feed does not say.
  private static func coming(of plan: DownloadPlan, held: Int64) -> Int64? {
    guard let length = plan.episode.enclosure.length, length > 0 else { return nil }
    return max(0, length - max(0, held))
  }
}

extension TransferBrake.State {
  fileprivate mutating func count(
    _ podcast: String?, _ body: (inout TransferBrake.Count) -> Void
  ) {
    body(&run)
    if let podcast { body(&podcasts[podcast, default: TransferBrake.Count()]) }
  }

  /// Notes how much of a download is there.
  ///
  /// - Parameters:
  ///   - total: its length; nil if the server does not say.
  ///   - arriving: whether what is more than before has arrived in this run.
  fileprivate mutating func move(
    _ key: String, to received: Int64, of total: Int64? = nil, arriving: Bool = true
  ) {
    guard let before = begun[key] else { return }
    let new = arriving ? max(0, received - before.received) : 0
    let coming = total.map { max(0, $0 - received) } ?? max(0, before.coming - new)
    count(before.podcast) { count in
      count.arrived = ByteSum.of([count.arrived, new])
      count.coming = ByteSum.of([max(0, count.coming - before.coming), coming])
    }
    begun[key]?.received = received
    begun[key]?.coming = coming
  }

  /// Nothing more comes of a download.
  fileprivate mutating func end(_ key: String) {
    guard let ended = begun.removeValue(forKey: key) else { return }
    count(ended.podcast) { count in
      count.running -= 1
      count.coming = max(0, count.coming - ended.coming)
    }
  }
}
