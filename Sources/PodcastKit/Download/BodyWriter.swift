import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Receives the answers for one episode and writes them to its part file: judges the head, checks
/// the first bytes, compares the overlap, and appends the rest.
///
/// It lives as long as the download, over all attempts. The transport's thread only fills blocks: the
/// lane of the part file takes them, compares, writes and hashes. If too many blocks wait there, the
/// transfer does. Without a checksum, while the disk is quick, the transport's thread also copies them
/// into the page cache.
final class BodyWriter: ResponseReceiver {
  /// What happens to the next byte of a body. Each head sets it again, so that nothing of an
  /// earlier head remains.
  enum Mode: Sendable {
    /// There is no head, or its body is not used.
    case discarding
    /// The first bytes of a body that starts at 0 are kept until they show what they are.
    case sniffing([UInt8])
    /// The body is compared with the bytes on disk, as far as they go.
    case comparing
    /// The body follows the bytes on disk.
    case appending
  }

  /// An answer as its head announced it, and how much of its body was received.
  struct Answer: Sendable {
    let head: ResponseHead
    /// Whether the body begins at byte 0 and may replace the bytes on disk.
    var isWhole = false
    /// The offset in the file of the next byte of the body.
    var position: Int64 = 0
    /// The offset at which the body ends, if known.
    var end: Int64?
    /// The length of the file, if known.
    var total: Int64?
    /// Whether validators prove that it has the same version as the bytes on disk.
    var isSameVersion = false
    /// Whether this answer has the version that the record names.
    var isAdopted = false
  }

  struct State: ~Copyable, Sendable {
    var partial: PartialDownload
    var listener: Listener?
    var rangeStart: Int64?
    var acceptsCodings = false
    var url = ""
    /// Whether bytes of another version are refused instead of replacing the bytes on disk.
    var keepsHeld = false
    var mode = Mode.discarding
    /// Nil before the head, and for an answer without useful bytes.
    var answer: Answer?
    /// Whether the server says that all bytes are on disk already.
    var isComplete = false
    /// Why the rest of the answer is not read.
    var refusal: Interruption?
    var announcedRestart = false
    var heldAtBegin: Int64 = 0
    /// How many bytes of the body were equal to those on disk.
    var repeated: Int64 = 0
    var hasReplaced = false
    /// The number of bytes on disk at the last checkpoint, and the time of that checkpoint.
    var checkpoint: Int64
    var lastCheckpoint = ContinuousClock.now
    var events: [DownloadEvent.Kind] = []

    init(_ partial: consuming PartialDownload) {
      checkpoint = partial.held.count
      self.partial = partial
    }
  }

  /// Receives what happens during an attempt.
  struct Listener: Sendable {
    /// Receives events for the user.
    var send: @Sendable (DownloadEvent.Kind) -> Void
    /// Receives what is to be synced during the transfer.
    var save: @Sendable (PartialDownload.Checkpoint) -> Void
    /// The transfer's, to end it or to let it go on.
    var control: TransferControl
    /// Called when the answer has come that no redirect follows.
    var answered: (@Sendable () -> Void)?
  }

  /// How many blocks of one body may wait for the disk.
  private static let queueLimit = 8
  /// How few of them let a transfer that waits go on: one stop for each block takes a tenth more CPU.
  private static let queueRest = 1
  /// A write that takes longer waits for the disk, and not only for the memory.
  private static let longestQuickWrite = Duration.milliseconds(20)

  private let intake = Mutex(BodyIntake())
  private let lane: Lane<State>
  /// The bytes that a range request can build on, as of the last byte that was written.
  private let continuable: Atomic<Bool>
  private let disk: DiskPool
  private let resumesByOverlap: Bool
  /// The longest body whose length is not announced; nil is no limit.
  let longestUnknownLength: Int64?
  let blocks: BlockPool

  /// How often a part file is synced while it grows: after so many bytes, but not before so much
  /// time, because on a fast network the bytes alone would cause many syncs a second.
  static let checkpointDistance: Int64 = 16 << 20
  static let checkpointInterval = Duration.seconds(2)

  /// Creates a writer for an episode that was opened.
  init(
    _ partial: consuming PartialDownload, resumesByOverlap: Bool,
    longestUnknownLength: Int64? = nil, disk: DiskPool, blocks: BlockPool
  ) {
    continuable = Atomic(partial.held.isContinuable(byOverlap: resumesByOverlap))
    self.resumesByOverlap = resumesByOverlap
    self.longestUnknownLength = longestUnknownLength
    self.blocks = blocks
    self.disk = disk
    lane = Lane(State(partial), on: disk)
  }

  /// Whether a later request can continue from the bytes in the file; known at any time.
  var isContinuable: Bool { continuable.load(ordering: .relaxed) }

  /// Uses the bytes on disk, between two attempts; nil during an attempt.
  func use<Result, Failure: Error>(
    _ body: (inout PartialDownload) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try lane.use { state throws(Failure) in try body(&state.partial) }
  }

  /// Prepares for the answer to a request.
  ///
  /// - Parameters:
  ///   - announcedRestart: whether the listener already knows that the file restarts.
  ///   - keepsHeld: whether an answer of another version is refused, because one more address may
  ///     have the version on disk.
  ///   - listener: receives what happens.
  func begin(
    _ request: HTTPRequest, announcedRestart: Bool, keepsHeld: Bool, _ listener: Listener
  ) {
    intake.withLock { intake in
      (intake.isOpen, intake.isEpisode) = (false, false)
      intake.send = listener.send
    }
    lane.use { state in
      state.listener = listener
      state.rangeStart = request.rangeStart
      state.acceptsCodings = request.acceptsCodings
      state.url = AddressRedaction.withoutCredentials(request.url)
      state.keepsHeld = keepsHeld
      state.announcedRestart = announcedRestart
      state.mode = .discarding
      state.answer = nil
      state.isComplete = false
      state.refusal = nil
      state.heldAtBegin = state.partial.held.count
      state.repeated = 0
      state.hasReplaced = false
    }
  }

  func receive(head: ResponseHead) -> Bool {
    // Nothing of a body is on the lane yet.
    let answer = lane.use { state -> Answer? in
      state.listener?.answered?()
      judge(head, &state)
      sendEvents(&state)
      return state.refusal == nil ? state.answer : nil
    }
    guard let answer = answer ?? nil else { return false }
    intake.withLock { $0.begin(at: answer.position, end: answer.end, total: answer.total) }
    return true
  }

  private func judge(_ head: ResponseHead, _ state: inout State) {
    state.mode = .discarding
    state.answer = nil
    state.isComplete = false
    state.refusal = nil
    let held = state.partial.held
    let verdict = RangeVerdict(
      head, held: held, rangeStart: state.rangeStart, acceptsCodings: state.acceptsCodings)
    switch verdict {
    case .part(let range, let total):
      state.answer = Answer(
        head: head, position: range.start, end: range.end, total: total, isAdopted: true)
      state.mode = range.start < held.count ? .comparing : .appending
    case .whole(let total, let reason):
      state.answer = Answer(
        head: head, isWhole: true, end: total, total: total,
        isSameVersion: head.codings.isEmpty
          && held.validator.isSameVersion(as: Validator(head)) == true)
      state.mode = .sniffing([])
      if total == nil, longestUnknownLength != nil, head.isLiveStream {
        state.refusal = .server(.liveStream, isTransient: false)
      } else if reason == .changed, state.keepsHeld {
        state.refusal = .restart(.changed)
      } else if let reason {
        state.announce(reason)
      }
    case .complete: state.isComplete = true
    case .refused(let interruption): state.refusal = interruption
    }
  }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    let (pieces, isOpen) = intake.withLock { intake in
      intake.isOpen ? (intake.add(body, from: blocks), true) : ([], false)
    }
    for piece in pieces { write(piece) }
    reportProgress()
    return isOpen
  }

  var isFull: Bool {
    intake.withLock { intake in
      let most = intake.isFull ? Self.queueRest : Self.queueLimit - 1
      intake.isFull = intake.queued > most || (intake.queued > 0 && blocks.isShort)
      return intake.isFull
    }
  }

  func settle() {
    let piece = intake.withLock { $0.takeOldPiece() }
    if let piece { write(piece) }
  }

  /// Passes a block to the lane, or writes it at once.
  private func write(_ piece: BodyIntake.Piece) {
    guard !writeAtOnce(piece) else { return }
    lane.run { [self] state in take(piece, &state) }
  }

  /// Writes a block on the transport's thread if that only copies it into the page cache: there is no
  /// checksum to compute, nothing to compare or to decide, and no such write took long before. To hand
  /// the block to another processor would cost more than the write does.
  private func writeAtOnce(_ piece: BodyIntake.Piece) -> Bool {
    guard !disk.isSlow else { return false }
    return lane.use { state in
      guard case .appending = state.mode, state.answer?.isAdopted == true, state.refusal == nil,
        !state.partial.computesChecksum
      else { return false }
      let start = ContinuousClock.now
      take(piece, &state)
      if .now - start > Self.longestQuickWrite { disk.noteSlowness() }
      return true
    } ?? false
  }

  /// Handles a block, and lets the transfer go on or ends it.
  private func take(_ piece: BodyIntake.Piece, _ state: inout State) {
    if state.refusal == nil { take(piece.block.bytes(piece.count), &state) }
    blocks.release(piece.block)
    sendEvents(&state)
    let isEpisode = state.refusal == nil && !state.isSniffing
    let mayGoOn = intake.withLock { intake in
      intake.queued -= 1
      if state.refusal != nil { intake.isOpen = false }
      if isEpisode { intake.isEpisode = true }
      return intake.isFull && intake.queued <= Self.queueRest
    }
    if isEpisode { reportProgress() }
    if state.refusal != nil {
      state.listener?.control.abort()
    } else if mayGoOn {
      state.listener?.control.look()
    }
  }

  /// Reports how much was received, ten times a second at most.
  private func reportProgress() {
    let event = intake.withLock { intake in
      intake.progress(at: .now, limit: longestUnknownLength).map { (event: $0, send: intake.send) }
    }
    if let event { event.send?(event.event) }
  }

  /// Writes what is still in memory to the disk, after the transport has ended the attempt.
  ///
  /// - Parameter cause: how the transfer ended.
  /// - Returns: the state after the attempt.
  func end(_ cause: TransferEnd.Cause) async -> Report {
    let isComplete = cause == .complete
    return await lane.perform { [self] state in
      let last = intake.withLock { intake in
        intake.isOpen = false
        return intake.takePiece()
      }
      if let last { take(last, &state) }
      if isComplete, state.refusal == nil { examineLead(&state, isWhole: true) }
      if isComplete, state.refusal == nil { checkEnd(&state) }
      sendEvents(&state)
      state.partial.release()
      return report(state, cause)
    }
  }

  private func report(_ state: borrowing State, _ cause: TransferEnd.Cause) -> Report {
    let (held, answer, total) = (state.partial.held, state.answer, state.answer?.total)
    return Report(
      interruption: state.refusal ?? (state.isComplete ? nil : Interruption(cause)),
      held: held.count, total: total ?? held.total,
      reachedEnd: state.isComplete
        || cause == .complete && state.refusal == nil && answer?.isAdopted == true
          && (total == nil ? answer?.isWhole == true : held.count == total),
      mark: total == nil ? answer?.head.mark : nil,
      gained: max(0, held.count - state.heldAtBegin), repeated: state.repeated,
      hasReplaced: state.hasReplaced)
  }

  /// Publishes which bytes there are.
  func publish(_ held: HeldBytes) {
    continuable.store(held.isContinuable(byOverlap: resumesByOverlap), ordering: .relaxed)
  }

  private func sendEvents(_ state: inout State) {
    guard !state.events.isEmpty else { return }
    for event in state.events { state.listener?.send(event) }
    state.events.removeAll()
  }
}

extension ResponseHead {
  /// What marks the end of a body that does not say how long the file is. A coding that the
  /// transport decodes has its own end.
  var mark: FileEnd.Mark {
    let hasEnd = isChunked || !codings.isEmpty || !transferCodings.isEmpty
    return hasEnd ? .message : .connection
  }
}

extension HeldBytes {
  /// Whether the rest of the file can be requested: with a validator, or, if the user allows it, by
  /// comparing an overlap.
  func isContinuable(byOverlap: Bool) -> Bool {
    count > 0 && (validator.ifRange != nil || (byOverlap && total != nil))
  }
}
