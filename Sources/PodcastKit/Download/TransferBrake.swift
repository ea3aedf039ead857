internal import CFiles
import FoundationEssentials
import PodcastLibrary
import PodcastModel
import Synchronization

/// Leaves downloads to a later run that would bring more bytes than a run may, or fill the disk beyond
/// what stays free. They stay planned.
///
/// What has begun is finished. A length that a feed announces is a hint: where it is missing or too
/// small, what arrives counts, so a run may bring more than the limit by what has begun.
final class TransferBrake: Sendable {
  /// How many seconds a run that does not end, as that of `sync --watch`, counts its bytes.
  static let window: Double = 86_400
  /// How many seconds a download waits in such a run for which the disk has no room.
  static let spacePause: Double = 3600

  /// The most bytes of a run or of one of its podcasts, and what counts against them.
  struct Count: Sendable, Hashable {
    /// The most; nil for no limit.
    var most: Int64?
    /// What has arrived.
    var arrived: Int64 = 0
    /// What is still to come of the downloads that have begun, as far as it is known.
    var coming: Int64 = 0
    /// Whether any download has begun.
    var hasBegun = false
  }

  /// The bytes that are free on a disk, and what is to stay free.
  struct Space: Sendable, Hashable {
    /// What is free now; nil if it is not known.
    var free: Int64?
    /// What stays free; nil for no limit.
    var kept: Int64?
    /// What is still to come of the downloads that have begun, as far as it is known.
    var coming: Int64 = 0
  }

  fileprivate struct Begun {
    var podcast: String?
    var received: Int64
    var coming: Int64
  }

  fileprivate struct State {
    var start: Date
    var run = Count()
    /// The counts of podcasts with a limit of their own.
    var podcasts: [String: Count] = [:]
    var begun: [String: Begun] = [:]
    /// Until when downloads wait that were left.
    var left: [String: Date] = [:]
  }

  private let most: Int64?
  private let keptFree: Int64?
  private let state: Mutex<State>

  /// A brake with the limits of a run that begins now.
  init(_ options: DownloadOptions, at now: Date) {
    (most, keptFree) = (options.maximumBytes, options.keptFreeBytes)
    state = Mutex(State(start: now))
  }

  /// Why a download does not begin; nil if it does.
  ///
  /// The first download of all begins whatever its length: otherwise it would wait for ever.
  ///
  /// - Parameters:
  ///   - bytes: what it brings; nil if that is not known.
  ///   - counts: those of the run and of its podcast.
  static func reason(against bytes: Int64?, _ counts: [Count], _ space: Space) -> SkipReason? {
    for count in counts {
      guard let most = count.most, count.hasBegun else { continue }
      let used = ByteSum.of([count.arrived, count.coming])
      if used >= most || ByteSum.of([used, bytes]) > most { return .maxBytes }
    }
    guard let free = space.free, let kept = space.kept else { return nil }
    return ByteSum.of([kept, space.coming, bytes]) > free ? .keepFree : nil
  }

  /// Whether there is a limit for a podcast with these settings.
  func mayHold(_ own: SubscribedSettings.Own) -> Bool {
    most != nil || keptFree != nil || own.mostBytes != nil
  }

  /// Whether a download begins now, and then counts; one that does not waits for a while.
  ///
  /// - Parameters:
  ///   - held: how many bytes of it are on the disk.
  ///   - own: the settings of its podcast.
  ///   - free: the bytes that are free; nil if that is not known.
  /// - Returns: why not; nil if it does.
  func reason(
    against plan: DownloadPlan, held: Int64, _ own: SubscribedSettings.Own, free: Int64?,
    at now: Date
  ) -> SkipReason? {
    state.withLock { state in
      var run = state.run
      run.most = most
      var podcast = own.mostBytes.flatMap { state.podcasts[$0.podcast] } ?? Count()
      podcast.most = own.mostBytes?.most
      let reason = Self.reason(
        against: Self.coming(of: plan, held: held), [run, podcast],
        Space(free: free, kept: keptFree, coming: state.run.coming))
      switch reason {
      case nil:
        state.left[plan.key] = nil
        state.begin(plan, held: held, podcast: own.mostBytes?.podcast)
      case .maxBytes: state.left[plan.key] = state.start.addingTimeInterval(Self.window)
      case .keepFree: state.left[plan.key] = now.addingTimeInterval(Self.spacePause)
      default: break
      }
      return reason
    }
  }

  /// Counts what arrives.
  func note(_ event: DownloadEvent) {
    state.withLock { state in
      guard let begun = state.begun[event.plan.key] else { return }
      switch event.kind {
      case .started(let received), .cancelled(let received):
        state.move(event.plan.key, begun, to: received, counts: false)
      case .restarted: state.move(event.plan.key, begun, to: 0, counts: false)
      case .progress(let received, let total):
        state.move(event.plan.key, begun, to: received, total: total)
      case .finished(let file): state.move(event.plan.key, begun, to: file.bytes)
      case .planned, .paused, .resumed, .retrying, .skipped, .failed: break
      }
      if event.kind.isTerminal { state.end(event.plan.key) }
    }
  }

  /// A download was put back before it had ended.
  func putBack(_ key: String) { state.withLock { $0.end(key) } }

  /// Begins another round of a run; after a day its bytes count anew.
  func beginRound(at now: Date) {
    state.withLock { state in
      guard !(0..<Self.window).contains(now.timeIntervalSince(state.start)) else { return }
      state.start = now
      state.left = [:]
      for podcast in state.podcasts.keys { state.podcasts[podcast]?.beginAgain() }
      state.run.beginAgain()
    }
  }

  /// The keys of the downloads that were left and wait.
  func waiting(at now: Date) -> Set<String> {
    state.withLock { Set($0.left.filter { $0.value > now }.keys) }
  }

  /// What a download brings; nil if its feed does not say.
  fileprivate static func coming(of plan: DownloadPlan, held: Int64) -> Int64? {
    guard let length = plan.episode.enclosure.length, length > 0 else { return nil }
    return max(0, length - max(0, held))
  }
}

fileprivate extension TransferBrake.Count {
  mutating func beginAgain() {
    arrived = 0
    hasBegun = coming > 0
  }
}

fileprivate extension TransferBrake.State {
  mutating func change(
    _ podcast: String?, _ body: (inout TransferBrake.Count) -> Void
  ) {
    body(&run)
    if let podcast { body(&podcasts[podcast, default: TransferBrake.Count()]) }
  }

  mutating func begin(_ plan: DownloadPlan, held: Int64, podcast: String?) {
    let coming = TransferBrake.coming(of: plan, held: held) ?? 0
    change(podcast) { count in
      count.hasBegun = true
      count.coming = ByteSum.of([count.coming, coming])
    }
    begun[plan.key] = TransferBrake.Begun(podcast: podcast, received: held, coming: coming)
  }

  /// Notes how much of a download is there.
  ///
  /// - Parameters:
  ///   - total: its length; nil if the server does not say.
  ///   - counts: whether what is more than before has arrived in this run.
  mutating func move(
    _ key: String, _ begun: TransferBrake.Begun, to received: Int64, total: Int64? = nil,
    counts: Bool = true
  ) {
    let new = counts ? max(0, received - begun.received) : 0
    let coming = total.map { max(0, $0 - received) } ?? max(0, begun.coming - new)
    change(begun.podcast) { count in
      count.arrived = ByteSum.of([count.arrived, new])
      count.coming = ByteSum.of([count.coming - begun.coming, coming])
    }
    self.begun[key]?.received = received
    self.begun[key]?.coming = coming
  }

  /// Nothing more comes of a download.
  mutating func end(_ key: String) {
    guard let begun = begun.removeValue(forKey: key) else { return }
    change(begun.podcast) { $0.coming = max(0, $0.coming - begun.coming) }
  }
}

extension Library {
  /// How many bytes this user may still write on the disk of the library; nil if that is not known.
  var freeBytes: Int64? {
    let bytes = podget_free_bytes(root.number)
    return bytes < 0 ? nil : bytes
  }
}
