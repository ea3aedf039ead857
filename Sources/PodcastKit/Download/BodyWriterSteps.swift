internal import CFiles
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What is done with the bytes of a body, in each mode.
extension BodyWriter {
  /// Takes a piece of a body.
  func take(_ body: UnsafeRawBufferPointer, _ state: inout State) {
    guard let answer = state.answer else { return }
    if case .sniffing(let lead) = state.mode {
      state.mode = .sniffing(lead + body)
      return examineLead(&state, isWhole: false)
    }
    var body = body
    var isExcessive = false
    if let end = answer.end {
      let room = max(0, end - answer.position)
      isExcessive = body.count > room
      if isExcessive { body = UnsafeRawBufferPointer(rebasing: body.prefix(Int(clamping: room))) }
    }
    do throws(DiskError) {
      if case .comparing = state.mode { body = try compare(body, &state) }
      if state.refusal == nil, !body.isEmpty { try append(body, &state) }
    } catch {
      state.refusal = .disk(error)
    }
    // Where a length frames the body, libcurl has cut it off there. Otherwise a body that goes on
    // beyond what its head says may go on for ever, and contradicts it at any rate.
    if isExcessive, state.refusal == nil { state.refusal = .restart(.rangeProtocol) }
    state.reportProgress()
  }

  /// A body from byte 0 shows by its first bytes whether it is an episode at all; until then it
  /// must not replace anything.
  func examineLead(_ state: inout State, isWhole: Bool) {
    guard let answer = state.answer, case .sniffing(let lead) = state.mode else { return }
    guard !lead.isEmpty else {
      state.refusal = .failed(.emptyBody(status: answer.head.status), isTransient: false)
      return
    }
    let isEnough = isWhole || lead.count >= FileCheck.windowSize
    switch FileCheck.verdict(start: lead, isWhole: isEnough) {
    case .tooShort: return
    case .text(let kind): state.refusal = .failed(.notAudio(kind), isTransient: false)
    case .media, .unknown:
      state.mode = state.partial.held.count > 0 ? .comparing : .appending
      lead.withUnsafeBytes { take($0, &state) }
    }
  }

  /// Compares the body with what is held; returns what of it lies beyond.
  private func compare(
    _ body: UnsafeRawBufferPointer, _ state: inout State
  ) throws(DiskError) -> UnsafeRawBufferPointer {
    let nothing = UnsafeRawBufferPointer(rebasing: body[body.endIndex...])
    guard var answer = state.answer else { return nothing }
    let count = Int(min(Int64(body.count), state.partial.held.count - answer.position))
    let known = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { known.deallocate() }
    let read = try state.partial.part.read(into: known, at: answer.position)
    let equal = Self.commonLength(body, UnsafeRawBufferPointer(rebasing: known[..<read]))
    if equal < count {
      guard answer.isWhole else {
        state.refusal = .restart(.overlapDiffers)
        return nothing
      }
      guard !state.keepsHeld else {
        state.refusal = .restart(.changed)
        return nothing
      }
    }
    answer.position += Int64(equal)
    state.answer = answer
    if equal < count {
      // Up to here both versions are the same, so the rest of this one can follow.
      state.announce(.changed)
      try cut(to: answer.position, &state)
    }
    if answer.position == state.partial.held.count { state.mode = .appending }
    return UnsafeRawBufferPointer(rebasing: body[equal...])
  }

  private static func commonLength(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> Int {
    let count = min(first.count, second.count)
    guard count > 0, let one = first.baseAddress, let other = second.baseAddress else { return 0 }
    if memcmp(one, other, count) == 0 { return count }
    return (0..<count).first { first[$0] != second[$0] } ?? count
  }

  /// Gathers bytes and writes them in blocks, the last one as soon as the end is there.
  private func append(
    _ bytes: UnsafeRawBufferPointer, _ state: inout State
  ) throws(DiskError) {
    if state.answer?.isAdopted == false { try state.adopt() }
    if let total = state.answer?.total { try state.partial.reserve(total) }
    var bytes = bytes
    while !bytes.isEmpty {
      let block = state.block ?? blocks.take()
      state.block = block
      let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(Block.size - state.fill))
      UnsafeMutableRawBufferPointer(start: block.base + state.fill, count: piece.count)
        .copyMemory(from: piece)
      state.fill += piece.count
      state.answer?.position += Int64(piece.count)
      bytes = UnsafeRawBufferPointer(rebasing: bytes[piece.count...])
      let isEnd = state.answer.map { $0.end == $0.position } ?? false
      if state.fill == Block.size || isEnd { try writeBlock(&state) }
    }
  }

  private func writeBlock(_ state: inout State) throws(DiskError) {
    guard let block = state.block, state.fill > 0 else { return }
    let count = state.fill
    state.fill = 0
    if try state.partial.append(block, count: count) { state.block = nil }
    publish(state.partial.held)
    let held = state.partial.held.count
    if held - state.checkpoint >= Self.checkpointDistance,
      .now - state.lastCheckpoint >= Self.checkpointInterval,
      let checkpoint = state.partial.checkpoint()
    {
      state.checkpoint = held
      state.lastCheckpoint = .now
      // Whether it works shows at the end; what counts then is the sync before the rename.
      state.listener?.save(checkpoint)
    }
  }

  /// Writes what was gathered.
  func flush(_ state: inout State) {
    do throws(DiskError) {
      try writeBlock(&state)
    } catch {
      state.refusal = .disk(error)
    }
  }

  private func cut(to length: Int64, _ state: inout State) throws(DiskError) {
    // What comes instead is gained, although something else was there when the attempt began.
    state.heldAtBegin = min(state.heldAtBegin, length)
    state.checkpoint = min(state.checkpoint, length)
    defer { publish(state.partial.held) }
    try state.partial.cut(to: length)
  }

  /// A whole body may end before what is held does: the version has become shorter.
  func settleEnd(_ state: inout State) {
    guard let answer = state.answer, answer.isWhole else { return }
    switch state.mode {
    case .comparing, .appending: break
    case .discarding, .sniffing: return
    }
    do throws(DiskError) {
      if answer.position < state.partial.held.count {
        // Where only the closing of the connection tells the end, it may as well be a cut.
        guard answer.total.map({ $0 == answer.position }) ?? answer.head.isChunked else { return }
        // A length of its own makes it another version, whatever its validators say.
        guard !answer.isSameVersion || answer.total != nil else {
          let error = PodgetError(
            .incomplete, "The server sends less of the episode than it sent earlier.")
          state.refusal = .failed(error, isTransient: true)
          return
        }
        guard !state.keepsHeld else {
          state.refusal = .restart(.changed)
          return
        }
        state.announce(.changed)
        try cut(to: answer.position, &state)
      }
      if !answer.isAdopted { try state.adopt() }
    } catch {
      state.refusal = .disk(error)
    }
  }
}

extension BodyWriter.State {
  mutating func announce(_ reason: RestartReason) {
    guard !announcedRestart else { return }
    announcedRestart = true
    events.append(.restarted(reason))
  }

  mutating func reportProgress() {
    let now = ContinuousClock.now
    if let last = lastProgress, now - last < BodyWriter.progressInterval { return }
    lastProgress = now
    events.append(.progress(received: answer?.position ?? 0, total: answer?.total))
  }

  /// Makes the record name this answer's version, before a byte of it is appended.
  mutating func adopt() throws(DiskError) {
    guard let answer else { return }
    try partial.begin(answer.head, from: url, total: answer.total)
    self.answer?.isAdopted = true
  }
}
