internal import CFiles
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Handles the bytes of a body, in each mode.
extension BodyWriter {
  /// Handles a piece of a body.
  func take(_ body: UnsafeRawBufferPointer, _ state: inout State) {
    // Pieces are as small as 16 KiB: the answer with its head is not copied for each.
    guard state.answer != nil else { return }
    if case .sniffing(let lead) = state.mode {
      // The first piece shows it nearly always; a copy of it costs memory that is touched once.
      guard lead.isEmpty, body.count >= FileCheck.windowSize else {
        state.mode = .sniffing(lead + body)
        return examineLead(&state, isWhole: false)
      }
      guard begins(Array(body.prefix(FileCheck.windowSize)), isEnough: true, &state) else { return }
    }
    var body = body
    var isExcessive = false
    if let room = state.room {
      isExcessive = body.count > room
      if isExcessive { body = UnsafeRawBufferPointer(rebasing: body.prefix(Int(clamping: room))) }
    }
    if let limit = longestUnknownLength, let answer = state.answer, answer.end == nil,
      answer.total == nil, answer.position > limit - Int64(body.count)
    {
      state.refusal = .server(.endless(limit: limit), isTransient: false)
      return
    }
    do throws(DiskError) {
      if case .comparing = state.mode { body = try compare(body, &state) }
      if state.refusal == nil, !body.isEmpty { try append(body, &state) }
    } catch {
      state.refusal = Interruption(error)
    }
    // If a length frames the body, libcurl has cut it off there. Otherwise a body that exceeds its
    // head may never end, and in any case it contradicts the head.
    if isExcessive, state.refusal == nil { state.refusal = .restart(.rangeProtocol) }
  }

  /// The first bytes of a body from byte 0 show whether it is an episode; until then it must not
  /// replace anything.
  func examineLead(_ state: inout State, isWhole: Bool) {
    guard let answer = state.answer, case .sniffing(let lead) = state.mode else { return }
    guard !lead.isEmpty else {
      state.refusal = .server(.emptyBody(status: answer.head.status), isTransient: false)
      return
    }
    if begins(lead, isEnough: isWhole || lead.count >= FileCheck.windowSize, &state) {
      lead.withUnsafeBytes { take($0, &state) }
    }
  }

  /// Whether the first bytes are those of an episode, which begins then. False too if there are not
  /// enough of them.
  private func begins(_ lead: [UInt8], isEnough: Bool, _ state: inout State) -> Bool {
    guard let answer = state.answer else { return false }
    switch FileCheck.verdict(start: lead, isWhole: isEnough) {
    case .tooShort: return false
    case .text(let kind): state.refusal = .server(.notAudio(kind), isTransient: false)
    // Frames behind a header may be those of an archive.
    case _ where !answer.head.unknownCodings.isEmpty && !FileCheck.isKnownMedia(start: lead):
      state.refusal =
        state.acceptsCodings
        ? .server(.unknownCoding(answer.head), isTransient: false) : .coded
    case .media, .unknown:
      state.mode = state.partial.held.count > 0 ? .comparing : .appending
      return true
    }
    return false
  }

  /// Compares the body with the bytes on disk; returns the rest of it.
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
    state.repeated += Int64(equal)
    state.answer = answer
    if equal < count {
      // Up to here both versions are equal, so the rest of this one can follow.
      state.hasReplaced = true
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

  /// Writes bytes after those on disk.
  private func append(
    _ bytes: UnsafeRawBufferPointer, _ state: inout State
  ) throws(DiskError) {
    if state.answer?.isAdopted == false { try state.adopt() }
    if let total = state.answer?.total {
      try state.partial.learn(total: total)
      try state.partial.reserve(total)
    }
    try state.partial.append(bytes)
    state.answer?.position += Int64(bytes.count)
    publish(state.partial.held)
    let held = state.partial.held.count
    if held - state.checkpoint >= Self.checkpointDistance,
      .now - state.lastCheckpoint >= Self.checkpointInterval,
      let checkpoint = state.partial.checkpoint()
    {
      state.checkpoint = held
      state.lastCheckpoint = .now
      // A failure shows at the end: only the sync before the rename matters.
      state.listener?.save(checkpoint)
    }
  }

  private func cut(to length: Int64, _ state: inout State) throws(DiskError) {
    // The new bytes count as received, although there were other bytes when the attempt began.
    state.heldAtBegin = min(state.heldAtBegin, length)
    state.checkpoint = min(state.checkpoint, length)
    defer { publish(state.partial.held) }
    try state.partial.cut(to: length)
  }

  /// A complete body may be shorter than the bytes on disk: the new version is shorter.
  func checkEnd(_ state: inout State) {
    guard let answer = state.answer, answer.isWhole else { return }
    switch state.mode {
    case .comparing, .appending: break
    case .discarding, .sniffing: return
    }
    do throws(DiskError) {
      if answer.position < state.partial.held.count {
        // If only the closing of the connection marks the end, the connection may have been
        // interrupted.
        guard answer.total.map({ $0 == answer.position }) ?? (answer.head.mark == .message)
        else { return }
        // A different length means another version, whatever the validators say.
        guard !answer.isSameVersion || answer.total != nil else {
          let error = PodgetError(
            .incomplete, "The server sends less of the episode than it sent earlier.")
          state.refusal = .server(error, isTransient: true)
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
      state.refusal = Interruption(error)
    }
  }
}

extension BodyWriter.State {
  /// How many more bytes the body may have, if that is known.
  var room: Int64? {
    guard let end = answer?.end, let position = answer?.position else { return nil }
    return max(0, end - position)
  }

  mutating func announce(_ reason: RestartReason) {
    guard !announcedRestart else { return }
    announcedRestart = true
    events.append(.restarted(reason))
  }

  /// Whether the first bytes have not shown yet what they are.
  var isSniffing: Bool {
    if case .sniffing = mode { true } else { false }
  }

  /// Makes the record name this answer's version before any of its bytes is appended.
  mutating func adopt() throws(DiskError) {
    guard let answer else { return }
    try partial.begin(answer.head, from: url, total: answer.total)
    self.answer?.isAdopted = true
  }
}
