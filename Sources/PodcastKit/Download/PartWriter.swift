import Glibc
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
  }

  private struct State {
    var held: HeldBytes
    var rangeStart: Int64?
    var acceptsCodings = false
    var url = ""
    /// Whether bytes of another version are refused rather than put in place of what is held.
    var keepsHeld = false
    var head: ResponseHead?
    var refusal: Refusal?
    /// The offset in the file of the next byte of the body.
    var position: Int64 = 0
    var end: Int64?
    var total: Int64?
    var isWhole = false
    /// Whether the version of this answer is the one that the record names.
    var isAdopted = false
    var announcedRestart = false
    /// The first bytes of a body from 0 on, kept until they show what they are.
    var lead: [UInt8]?
    var block: Block?
    var fill = 0
    var heldAtBegin: Int64 = 0
    var checkpoint: Int64 = 0
    var lastCheckpoint = ContinuousClock.now
    var lastProgress: ContinuousClock.Instant?
    var events: [DownloadEvent.Kind] = []
  }

  private let part: PartFile
  private let keeper: RecordKeeper
  private let hasher: ContentHasher?
  private let pool: BlockPool
  private let disk: DiskQueue
  private let send: @Sendable (DownloadEvent.Kind) -> Void
  private let state: Mutex<State>

  /// How often a part file is synced while it grows: after so many bytes, but not before so long,
  /// since on a fast network bytes alone would call for many syncs a second.
  private static let checkpointDistance: Int64 = 16 << 20
  private static let checkpointInterval = Duration.seconds(2)
  private static let progressInterval = Duration.milliseconds(100)

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
  }

  /// What is in the part file now.
  var held: HeldBytes { state.withLock { $0.held } }

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
      state.url = request.url
      state.keepsHeld = keepsHeld
      state.announcedRestart = announcedRestart
      state.head = nil
      state.refusal = nil
      state.position = 0
      state.end = nil
      state.total = nil
      state.isWhole = false
      state.isAdopted = false
      state.lead = nil
      state.heldAtBegin = state.held.count
    }
    if let hasher { hasher.prepare(upTo: held.count) }
  }

  func receive(head: ResponseHead) -> Bool {
    locked { state in
      state.head = head
      let verdict = RangeResponse.verdict(
        head, held: state.held, rangeStart: state.rangeStart,
        acceptsCodings: state.acceptsCodings)
      switch verdict {
      case .part(let start, let end, let total):
        state.position = start
        state.end = end
        state.total = total
        state.isAdopted = true
      case .whole(let total, let reason):
        state.isWhole = true
        state.end = total
        state.total = total
        state.lead = []
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
      guard let lead = state.lead else { return take(body, &state) }
      state.lead = lead + body
      examineLead(isWhole: false, &state)
    }
  }

  /// Brings to the disk what is still in memory, when the transport has ended the attempt.
  ///
  /// - Parameter isComplete: whether the message was complete as far as its framing tells.
  func end(isComplete: Bool) -> Report {
    var report: Report?
    _ = locked { state in
      if isComplete, state.lead != nil, state.refusal == nil {
        examineLead(isWhole: true, &state)
      }
      flush(&state)
      if isComplete, state.refusal == nil { settleEnd(&state) }
      let total = state.total
      report = Report(
        refusal: state.refusal, held: state.held.count, total: total ?? state.held.total,
        reachedEnd: isComplete && state.refusal == nil && state.isAdopted
          && (total == nil ? state.isWhole : state.held.count == total),
        isUnverified: total == nil && state.head?.contentLength == .unknown
          && state.head?.first("Transfer-Encoding") == nil,
        gained: max(0, state.held.count - state.heldAtBegin))
      if let block = state.block {
        pool.giveBack(block)
        state.block = nil
      }
    }
    return report
      ?? Report(held: held.count, reachedEnd: false, isUnverified: true, gained: 0)
  }

  /// Syncs what the part file holds and notes that in the record; it blocks on the disk.
  func checkpoint() throws(DiskError) {
    let (count, generation) = (held.count, keeper.current.state?.generation)
    guard count > 0, generation != nil, !keeper.hasFailedSync else { return }
    try keeper.syncing { () throws(DiskError) in try part.synchronizeData() }
    try keeper.update(synced: true) { record in
      guard record.state?.generation == generation,
        let durable = record.state?.durableLength, durable < count
      else { return false }
      record.state?.durableLength = count
      return true
    }
  }
}

extension PartWriter {
  /// Runs a step under the lock and sends the events it made after letting go.
  private func locked(_ step: (inout State) -> Void) -> Bool {
    let (accepted, events) = state.withLock { state in
      step(&state)
      defer { state.events = [] }
      return (state.refusal == nil, state.events)
    }
    events.forEach(send)
    return accepted
  }

  private func announce(_ reason: RestartReason, _ state: inout State) {
    guard !state.announcedRestart else { return }
    state.announcedRestart = true
    state.events.append(.restarted(reason))
  }

  /// A body from byte 0 shows by its first bytes whether it is an episode at all; until then it
  /// must not replace anything.
  private func examineLead(isWhole: Bool, _ state: inout State) {
    guard let lead = state.lead else { return }
    guard !lead.isEmpty else {
      state.refusal = .failed(.emptyBody(status: state.head?.status ?? 200), isTransient: false)
      return
    }
    let isEnough = isWhole || lead.count >= FileCheck.windowSize
    switch FileCheck.verdict(start: lead, isWhole: isEnough) {
    case .tooShort: return
    case .text(let kind): state.refusal = .failed(.notAudio(kind), isTransient: false)
    case .media, .unknown:
      state.lead = nil
      lead.withUnsafeBytes { take($0, &state) }
    }
  }

  private func take(_ body: UnsafeRawBufferPointer, _ state: inout State) {
    var body = body[...]
    if let end = state.end { body = body.prefix(Int(max(0, min(end - state.position, 1 << 40)))) }
    do throws(DiskError) {
      if state.position < state.held.count {
        body = try compare(UnsafeRawBufferPointer(rebasing: body), &state)
      }
      guard state.refusal == nil, !body.isEmpty else { return }
      if !state.isAdopted { try adopt(&state) }
      try append(UnsafeRawBufferPointer(rebasing: body), &state)
    } catch {
      state.refusal = .disk(error)
    }
    reportProgress(&state)
  }

  /// Compares the body with what is held; returns what of it lies beyond.
  private func compare(
    _ body: UnsafeRawBufferPointer, _ state: inout State
  ) throws(DiskError) -> Slice<UnsafeRawBufferPointer> {
    let count = Int(min(Int64(body.count), state.held.count - state.position))
    let known = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { known.deallocate() }
    let read = try part.read(into: known, at: state.position)
    let equal = Self.commonLength(body, UnsafeRawBufferPointer(rebasing: known[..<read]))
    if equal == count {
      state.position += Int64(count)
      return body[count...]
    }
    guard state.isWhole else {
      state.refusal = .restart(.overlapDiffers)
      return body[body.endIndex...]
    }
    guard !state.keepsHeld else {
      state.refusal = .restart(.changed)
      return body[body.endIndex...]
    }
    // Up to here both versions are the same, so the rest of this one can follow.
    state.position += Int64(equal)
    announce(.changed, &state)
    try cut(to: state.position, &state)
    return body[equal...]
  }

  private static func commonLength(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> Int {
    let count = min(first.count, second.count)
    guard count > 0, let one = first.baseAddress, let other = second.baseAddress else { return 0 }
    if memcmp(one, other, count) == 0 { return count }
    return (0..<count).first { first[$0] != second[$0] } ?? count
  }

  private func cut(to length: Int64, _ state: inout State) throws(DiskError) {
    try part.truncate(to: length)
    try part.synchronize()
    hasher?.rewind(to: length)
    state.held.count = length
    state.checkpoint = min(state.checkpoint, length)
  }

  /// Makes the record name this answer's version, before a byte of it is appended.
  private func adopt(_ state: inout State) throws(DiskError) {
    guard let head = state.head else { return }
    if state.held.count == 0, try part.size() > 0 { try cut(to: 0, &state) }
    // A coded answer's validators belong to the coded form, and its bytes are no range of that.
    let validator = head.codings.isEmpty ? Validator(head) : Validator()
    let url = state.url
    let (inode, count, total) = (try part.inode(), state.held.count, state.total)
    // A part that holds nothing yet is worth nothing after a power cut, so its record can wait for
    // the first checkpoint.
    try keeper.update(synced: count > 0) { record in
      let before = record.state
      record.state = ResumeState(
        generation: (before?.generation ?? 0) + 1, finalURL: url, validator: validator,
        total: total,
        contentType: head.first("Content-Type"),
        durableLength: min(before?.durableLength ?? 0, count), bootID: PartialFolder.bootID,
        inode: inode)
      return true
    }
    state.held.validator = validator
    state.held.total = total
    state.isAdopted = true
    if let total { try part.reserve(total) }
  }

  private func append(
    _ bytes: UnsafeRawBufferPointer, _ state: inout State
  ) throws(DiskError) {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let block = state.block ?? pool.take()
      state.block = block
      let piece = bytes.prefix(Block.size - state.fill)
      UnsafeMutableRawBufferPointer(start: block.base + state.fill, count: piece.count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
      state.fill += piece.count
      state.position += Int64(piece.count)
      bytes = bytes.dropFirst(piece.count)
      if state.fill == Block.size { try writeBlock(&state) }
    }
  }

  private func writeBlock(_ state: inout State) throws(DiskError) {
    guard let block = state.block, state.fill > 0 else { return }
    let (offset, count) = (state.held.count, state.fill)
    try part.write(block.bytes(count), at: offset)
    state.held.count += Int64(count)
    state.fill = 0
    if let hasher, pool.lend() {
      hasher.add(block, count: count, at: offset)
      state.block = nil
    }
    if state.held.count - state.checkpoint >= Self.checkpointDistance,
      .now - state.lastCheckpoint >= Self.checkpointInterval
    {
      state.checkpoint = state.held.count
      state.lastCheckpoint = .now
      // Whether it worked shows at the end; what counts then is the sync before the rename.
      disk.start { [self] in try? checkpoint() }
    }
  }

  private func flush(_ state: inout State) {
    do throws(DiskError) {
      try writeBlock(&state)
    } catch {
      state.refusal = .disk(error)
      state.fill = 0
    }
  }

  /// A whole body may end before what is held does: the version has become shorter.
  private func settleEnd(_ state: inout State) {
    guard state.isWhole, state.lead == nil else { return }
    do throws(DiskError) {
      if state.position < state.held.count {
        // Where only the closing of the connection tells the end, it may as well be a cut.
        let isChunked = state.head?.first("Transfer-Encoding") != nil
        guard state.total.map({ $0 == state.position }) ?? isChunked else { return }
        announce(.changed, &state)
        try cut(to: state.position, &state)
      }
      if !state.isAdopted { try adopt(&state) }
    } catch {
      state.refusal = .disk(error)
    }
  }

  private func reportProgress(_ state: inout State) {
    let now = ContinuousClock.now
    if let last = state.lastProgress, now - last < Self.progressInterval { return }
    state.lastProgress = now
    state.events.append(.progress(received: state.position, total: state.total))
  }
}
