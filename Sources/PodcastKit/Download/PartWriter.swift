import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Takes the answers for one episode and brings them to its part file: judges the head, compares
/// what overlaps, gathers blocks, writes them and lends them to the hasher.
///
/// It lives as long as the download, over all attempts. Between two attempts nothing calls it; within
/// one only the transport's thread does, so its lock is never contended.
final class PartWriter: ResponseReceiver {
  /// Why an answer was not taken to its end.
  enum Refusal: Sendable, Hashable {
    /// Ask again without a range.
    case restart(RestartReason)
    /// Ask again accepting a content coding.
    case coded
    /// The server says that everything is held already.
    case alreadyComplete
    case failed(PodgetError, isTransient: Bool)
    case disk(DiskError)

    /// Whether the server gave another version than the one that is held.
    var isChange: Bool { self == .restart(.changed) || self == .restart(.overlapDiffers) }
  }

  /// What an attempt left behind.
  struct Report: Sendable, Hashable {
    /// Why the answer was not taken to its end; nil when it was, or when it broke off.
    var refusal: Refusal?
    /// How many trusted bytes are in the part file.
    var held: Int64
    /// The length of the whole, when an answer told it.
    var total: Int64?
    /// Whether the body, complete as its framing tells, ended just where the file does.
    var reachedEnd: Bool
    /// Whether only the closing of the connection told the end of the body.
    var isUnverified: Bool
    /// How many bytes the attempt brought that were not held before.
    var gained: Int64

    /// Whether the attempt brought so much, 1 MiB or 5 % of the file, that those before it no
    /// longer count.
    var isProgress: Bool {
      gained >= 1 << 20 || total.map { gained > 0 && gained >= $0 / 20 } ?? false
    }
  }

  /// What is done with the next byte of a body.
  enum Mode {
    /// The first bytes of a body from 0 on are kept until they show what they are.
    case sniffing([UInt8])
    /// The body is compared with what is held, as far as that goes, and appended after it.
    case writing
  }

  /// An answer as its head has announced it, and how far its body has come. Each head makes one
  /// anew, so that nothing of an earlier head can remain.
  struct Answer {
    let head: ResponseHead
    /// Whether the body begins at byte 0 and may replace what is held.
    var isWhole = false
    /// The offset in the file of the next byte of the body.
    var position: Int64 = 0
    /// The offset at which the body ends, where that is known.
    var end: Int64?
    /// The length of the file, where that is known.
    var total: Int64?
    /// Whether validators prove that it is of the version that is held.
    var isSameVersion = false
    /// Whether the version of this answer is the one that the record names.
    var isAdopted = false
    var mode = Mode.writing
  }

  struct State {
    var held: HeldBytes
    var rangeStart: Int64?
    var acceptsCodings = false
    var url = ""
    /// Whether bytes of another version are refused rather than put in place of what is held.
    var keepsHeld = false
    /// Nil before the head, and for an answer that brings nothing.
    var answer: Answer?
    var refusal: Refusal?
    var announcedRestart = false
    var block: Block?
    var fill = 0
    var heldAtBegin: Int64 = 0
    /// Up to where room for the file is reserved.
    var reserved: Int64 = 0
    var checkpoint: Int64 = 0
    /// Whether a checkpoint waits for its turn on the disk; a slow disk must not collect them.
    var isCheckpointing = false
    var lastCheckpoint = ContinuousClock.now
    var lastProgress: ContinuousClock.Instant?
    var events: [DownloadEvent.Kind] = []
  }

  let part: PartFile
  let keeper: RecordKeeper
  let hasher: ContentHasher?
  let pool: BlockPool
  let disk: DiskQueue
  let send: @Sendable (DownloadEvent.Kind) -> Void
  let state: Mutex<State>
  /// What others may know of the state. Its own lock is never held over file work, so that an actor
  /// may ask at any time.
  private let published: Mutex<Published>

  /// Bytes and the version that they belong to, as they were at one moment.
  struct Published: Sendable {
    var held: HeldBytes
    var generation: Int?
  }

  /// How often a part file is synced while it grows: after so many bytes, but not before so long,
  /// since on a fast network bytes alone would call for many syncs a second.
  static let checkpointDistance: Int64 = 16 << 20
  static let checkpointInterval = Duration.seconds(2)
  static let progressInterval = Duration.milliseconds(100)

  init(
    part: PartFile, keeper: RecordKeeper, held: HeldBytes, hasher: ContentHasher?, pool: BlockPool,
    disk: DiskQueue, send: @escaping @Sendable (DownloadEvent.Kind) -> Void
  ) {
    self.part = part
    self.keeper = keeper
    self.hasher = hasher
    self.pool = pool
    self.disk = disk
    self.send = send
    state = Mutex(State(held: held, checkpoint: held.count))
    published = Mutex(Published(held: held, generation: keeper.current.state?.generation))
  }

  /// What is in the part file now.
  var held: HeldBytes { published.withLock { $0.held } }

  /// Lets others know the state; called under its lock, after what the record says of it was written.
  func publish(_ state: State) {
    let now = Published(held: state.held, generation: keeper.current.state?.generation)
    published.withLock { $0 = now }
  }

  /// Gets ready for the answer to a request.
  ///
  /// - Parameters:
  ///   - announcedRestart: whether the listener knows already that the file begins again.
  ///   - keepsHeld: whether an answer of another version is refused, since there is one more place
  ///     to ask for the version that is held.
  func begin(_ request: HTTPRequest, announcedRestart: Bool, keepsHeld: Bool) {
    state.withLock { state in
      state.rangeStart = request.rangeStart
      state.acceptsCodings = request.acceptsCodings
      state.url = AddressRedaction.withoutCredentials(request.url)
      state.keepsHeld = keepsHeld
      state.announcedRestart = announcedRestart
      state.answer = nil
      state.refusal = nil
      state.fill = 0
      state.heldAtBegin = state.held.count
    }
    if let hasher { hasher.prepare(upTo: held.count) }
  }

  func receive(head: ResponseHead) -> Bool {
    locked { state in
      state.answer = nil
      state.refusal = nil
      state.fill = 0
      let verdict = RangeResponse.verdict(
        head, held: state.held, rangeStart: state.rangeStart,
        acceptsCodings: state.acceptsCodings)
      switch verdict {
      case .part(let range, let total):
        state.answer = Answer(
          head: head, position: range.start, end: range.end, total: total, isAdopted: true)
      case .whole(let total, let reason):
        state.answer = Answer(
          head: head, isWhole: true, end: total, total: total,
          isSameVersion: head.codings.isEmpty
            && state.held.validator.isSameVersion(as: Validator(head)) == true,
          mode: .sniffing([]))
        if reason == .changed, state.keepsHeld {
          state.refusal = .restart(.changed)
        } else if let reason {
          announce(reason, &state)
        }
      case .complete: state.refusal = .alreadyComplete
      case .coded: state.refusal = .coded
      case .restart(let reason): state.refusal = .restart(reason)
      case .failed(let error, let isTransient):
        state.refusal = .failed(error, isTransient: isTransient)
      }
    }
  }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    locked { state in
      switch state.answer?.mode {
      case nil: break
      case .writing: take(body, &state)
      case .sniffing(let lead):
        state.answer?.mode = .sniffing(lead + body)
        examineLead(isWhole: false, &state)
      }
    }
  }

  /// Brings to the disk what is still in memory, when the transport has ended the attempt.
  ///
  /// - Parameter isComplete: whether the message was complete as far as its framing tells.
  func end(isComplete: Bool) -> Report {
    var report: Report?
    _ = locked { state in
      if isComplete, state.refusal == nil { examineLead(isWhole: true, &state) }
      flush(&state)
      if isComplete, state.refusal == nil { settleEnd(&state) }
      let answer = state.answer
      let total = answer?.total
      report = Report(
        refusal: state.refusal, held: state.held.count, total: total ?? state.held.total,
        reachedEnd: isComplete && state.refusal == nil && answer?.isAdopted == true
          && (total == nil ? answer?.isWhole == true : state.held.count == total),
        isUnverified: total == nil && answer?.head.contentLength == .unknown
          && answer?.head.isChunked == false,
        gained: max(0, state.held.count - state.heldAtBegin))
      if let block = state.block {
        pool.giveBack(block)
        state.block = nil
      }
      // Until the next attempt, or the next run, the room is others'. A file that is all there takes
      // what it needs.
      if state.reserved > state.held.count { part.release() }
      state.reserved = 0
    }
    return report
      ?? Report(held: held.count, reachedEnd: false, isUnverified: true, gained: 0)
  }

  /// Syncs what the part file holds and notes that in the record; it blocks on the disk.
  func checkpoint() throws(DiskError) {
    // Both of one moment: the length of one version must not be noted for the next one.
    let (held, generation) = published.withLock { ($0.held.count, $0.generation) }
    guard held > 0, generation != nil, !keeper.hasFailedSync, !keeper.isRemoved else { return }
    // Before the sync: what is hashed is written, and the sync makes that durable too.
    let proof = hasher?.proof(from: held)
    let count = max(held, proof?.length ?? 0)
    try keeper.syncing { () throws(DiskError) in try part.synchronizeData() }
    try keeper.update(.whole) { record in
      guard var state = record.state, state.generation == generation else { return false }
      state.durableLength = max(state.durableLength, count)
      if let proof { state.add(proof) }
      guard state != record.state else { return false }
      record.state = state
      return true
    }
  }
}
