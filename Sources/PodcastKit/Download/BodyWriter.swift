import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Receives the answers for one episode and writes them to its part file: judges the head, checks
/// the first bytes, compares the overlap, and appends the rest.
///
/// It lives as long as the download, over all attempts. During an attempt only the transport's
/// thread uses its state, and between two attempts only one piece of disk work does.
final class BodyWriter: ResponseReceiver {
  /// Why an answer was not read to its end.
  enum Refusal: Sendable, Hashable {
    /// Ask again without a range.
    case restart(RestartReason)
    /// Ask again and accept a content coding.
    case coded
    /// The server says that all bytes are on disk already.
    case alreadyComplete
    case failed(PodgetError, isTransient: Bool)
    case disk(DiskError)

    /// Whether the server sent another version than the one on disk.
    var isChange: Bool { self == .restart(.changed) || self == .restart(.overlapDiffers) }
  }

  /// The state after an attempt.
  struct Report: Sendable, Hashable {
    /// Why the answer was refused before its end; nil when it was read to the end or the connection
    /// ended early.
    var refusal: Refusal?
    /// How many trusted bytes are in the part file.
    var held: Int64 = 0
    /// The length of the file, if an answer announced it.
    var total: Int64?
    /// Whether the body, complete by its framing, ended exactly where the file does.
    var reachedEnd = false
    /// What marked the end of the body; nil if a length did.
    var mark: FileEnd.Mark?
    /// How many new bytes the attempt received.
    var gained: Int64 = 0
    /// How many bytes that were on disk already the attempt received again.
    var repeated: Int64 = 0
    /// Whether bytes on disk differed from the body, and were replaced.
    var hasReplaced = false

    /// Whether the attempt received so much, 64 KiB or 5 % of a smaller file, that earlier attempts
    /// no longer count.
    var isProgress: Bool {
      gained >= 64 << 10 || total.map { gained > 0 && gained >= $0 / 20 } ?? false
    }

    /// Whether the attempt itself does not count either: it was interrupted, and most of what it
    /// received follows what was there.
    ///
    /// So there can only be as many of them as the file has room for, and together they receive no
    /// more than twice the file. One that replaces bytes, or begins again and again, counts.
    var isFree: Bool {
      isProgress && refusal == nil && !reachedEnd && !hasReplaced && repeated <= gained
    }
  }

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
    var refusal: Refusal?
    var announcedRestart = false
    /// Bytes that will be written after those on disk.
    var block: Block?
    var fill = 0
    /// Whether the first of these bytes were there at the last ``BodyWriter/settle()``.
    var isWaiting = false
    var heldAtBegin: Int64 = 0
    /// How many bytes of the body were equal to those on disk.
    var repeated: Int64 = 0
    var hasReplaced = false
    /// The number of bytes on disk at the last checkpoint, and the time of that checkpoint.
    var checkpoint: Int64
    var lastCheckpoint = ContinuousClock.now
    var lastProgress: ContinuousClock.Instant?
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
  }

  private let state: Handover<State>
  /// The bytes that a range request can build on, as of the last byte that was written.
  private let continuable: Atomic<Bool>
  private let resumesByOverlap: Bool
  /// The longest body whose length is not announced; nil is no limit.
  let longestUnknownLength: Int64?
  let blocks: BlockPool

  /// How often a part file is synced while it grows: after so many bytes, but not before so much
  /// time, because on a fast network the bytes alone would cause many syncs a second.
  static let checkpointDistance: Int64 = 16 << 20
  static let checkpointInterval = Duration.seconds(2)
  static let progressInterval = Duration.milliseconds(100)

  /// Creates a writer for an episode that was opened.
  init(
    _ partial: consuming PartialDownload, resumesByOverlap: Bool,
    longestUnknownLength: Int64? = nil, blocks: BlockPool
  ) {
    continuable = Atomic(partial.held.isContinuable(byOverlap: resumesByOverlap))
    self.resumesByOverlap = resumesByOverlap
    self.longestUnknownLength = longestUnknownLength
    self.blocks = blocks
    state = Handover(State(partial))
  }

  /// Whether a later request can continue from the bytes in the file; known at any time.
  var isContinuable: Bool { continuable.load(ordering: .relaxed) }

  /// Uses the bytes on disk, between two attempts; nil during an attempt.
  func use<Result, Failure: Error>(
    _ body: (inout PartialDownload) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try state.use { state throws(Failure) in try body(&state.partial) }
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
    state.use { state in
      state.listener = listener
      state.rangeStart = request.rangeStart
      state.acceptsCodings = request.acceptsCodings
      state.url = AddressRedaction.withoutCredentials(request.url)
      state.keepsHeld = keepsHeld
      state.announcedRestart = announcedRestart
      state.mode = .discarding
      state.answer = nil
      state.refusal = nil
      state.fill = 0
      state.heldAtBegin = state.partial.held.count
      state.repeated = 0
      state.hasReplaced = false
    }
  }

  func receive(head: ResponseHead) -> Bool {
    step { state in
      state.mode = .discarding
      state.answer = nil
      state.refusal = nil
      state.fill = 0
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
          state.refusal = .failed(.liveStream, isTransient: false)
        } else if reason == .changed, state.keepsHeld {
          state.refusal = .restart(.changed)
        } else if let reason {
          state.announce(reason)
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
    step { state in take(body, &state) }
  }

  func settle() {
    _ = step { state in
      // On a fast network a block is full before the second call: only whole ones are written.
      if state.isWaiting { flush(&state) } else { state.isWaiting = state.fill > 0 }
    }
  }

  /// The state after an attempt, if nothing of it waits for the disk; otherwise nil, and then
  /// ``end(isComplete:)`` is called.
  ///
  /// - Parameter isComplete: whether the message was complete by its framing.
  func report(isComplete: Bool) -> Report? {
    state.use { state -> Report? in
      guard case .appending = state.mode, state.fill == 0, state.answer?.isAdopted == true,
        state.partial.isReleased
      else { return nil }
      return finish(&state, isComplete: isComplete)
    } ?? nil
  }

  /// Writes what is still in memory to the disk, after the transport has ended the attempt.
  func end(isComplete: Bool) -> Report {
    var report: Report?
    _ = step { state in
      if isComplete, state.refusal == nil { examineLead(&state, isWhole: true) }
      flush(&state)
      if isComplete, state.refusal == nil { checkEnd(&state) }
      report = finish(&state, isComplete: isComplete)
      state.partial.release()
    }
    return report ?? Report()
  }

  private func finish(_ state: inout State, isComplete: Bool) -> Report {
    if let block = state.block {
      blocks.release(block)
      state.block = nil
    }
    let (held, answer, total) = (state.partial.held, state.answer, state.answer?.total)
    return Report(
      refusal: state.refusal, held: held.count, total: total ?? held.total,
      reachedEnd: isComplete && state.refusal == nil && answer?.isAdopted == true
        && (total == nil ? answer?.isWhole == true : held.count == total),
      mark: total == nil ? answer?.head.mark : nil,
      gained: max(0, held.count - state.heldAtBegin), repeated: state.repeated,
      hasReplaced: state.hasReplaced)
  }

  /// Publishes which bytes there are.
  func publish(_ held: HeldBytes) {
    continuable.store(held.isContinuable(byOverlap: resumesByOverlap), ordering: .relaxed)
  }

  /// Runs a step, then sends its events.
  private func step(_ body: (inout State) -> Void) -> Bool {
    state.use { state in
      body(&state)
      if !state.events.isEmpty {
        for event in state.events { state.listener?.send(event) }
        state.events.removeAll()
      }
      return state.refusal == nil
    } ?? false
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
