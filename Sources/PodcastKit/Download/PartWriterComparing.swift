internal import CFiles
import Glibc
import PodcastLibrary
import PodcastTransfer
import Synchronization

/// Examining and comparing what arrives, before any of it is written.
extension PartWriter {
  /// Runs a step under the lock and sends the events it made after letting go.
  func locked(_ step: (inout State) -> Void) -> Bool {
    let (accepted, events) = state.withLock { state in
      step(&state)
      publish(state)
      defer { state.events = [] }
      return (state.refusal == nil, state.events)
    }
    events.forEach(send)
    return accepted
  }

  func announce(_ reason: RestartReason, _ state: inout State) {
    guard !state.announcedRestart else { return }
    state.announcedRestart = true
    state.events.append(.restarted(reason))
  }

  /// A body from byte 0 shows by its first bytes whether it is an episode at all; until then it
  /// must not replace anything.
  func examineLead(isWhole: Bool, _ state: inout State) {
    guard let answer = state.answer, case .sniffing(let lead) = answer.mode else { return }
    guard !lead.isEmpty else {
      state.refusal = .failed(.emptyBody(status: answer.head.status), isTransient: false)
      return
    }
    let isEnough = isWhole || lead.count >= FileCheck.windowSize
    switch FileCheck.verdict(start: lead, isWhole: isEnough) {
    case .tooShort: return
    case .text(let kind): state.refusal = .failed(.notAudio(kind), isTransient: false)
    case .media, .unknown:
      state.answer?.mode = .writing
      lead.withUnsafeBytes { take($0, &state) }
    }
  }

  func take(_ body: UnsafeRawBufferPointer, _ state: inout State) {
    guard let answer = state.answer else { return }
    var body = body[...]
    var isExcessive = false
    if let end = answer.end {
      let room = max(0, end - answer.position)
      isExcessive = body.count > room
      body = body.prefix(Int(clamping: room))
    }
    do throws(DiskError) {
      if answer.position < state.held.count {
        body = try compare(UnsafeRawBufferPointer(rebasing: body), &state)
      }
      if state.refusal == nil, !body.isEmpty {
        if state.answer?.isAdopted == false { try adopt(&state) }
        try reserve(&state)
        try append(UnsafeRawBufferPointer(rebasing: body), &state)
      }
    } catch {
      state.refusal = .disk(error)
    }
    // Where a length frames the body, libcurl has cut it off there. Otherwise a body that goes on
    // beyond what its head says may go on for ever, and contradicts it at any rate.
    if isExcessive, state.refusal == nil { state.refusal = .restart(.rangeProtocol) }
    reportProgress(&state)
  }

  /// Compares the body with what is held; returns what of it lies beyond.
  private func compare(
    _ body: UnsafeRawBufferPointer, _ state: inout State
  ) throws(DiskError) -> Slice<UnsafeRawBufferPointer> {
    guard var answer = state.answer else { return body[body.endIndex...] }
    defer { state.answer = answer }
    let count = Int(min(Int64(body.count), state.held.count - answer.position))
    let known = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { known.deallocate() }
    let read = try part.read(into: known, at: answer.position)
    let equal = Self.commonLength(body, UnsafeRawBufferPointer(rebasing: known[..<read]))
    if equal == count {
      answer.position += Int64(count)
      return body[count...]
    }
    guard answer.isWhole else {
      state.refusal = .restart(.overlapDiffers)
      return body[body.endIndex...]
    }
    guard !state.keepsHeld else {
      state.refusal = .restart(.changed)
      return body[body.endIndex...]
    }
    // Up to here both versions are the same, so the rest of this one can follow.
    answer.position += Int64(equal)
    announce(.changed, &state)
    try cut(to: answer.position, &state)
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

  func cut(to length: Int64, _ state: inout State) throws(DiskError) {
    try part.truncate(to: length)
    // Whatever fails from here on: the bytes beyond are gone.
    hasher?.rewind(to: length)
    state.held.count = length
    // What comes instead is gained, although something else was there when the attempt began.
    state.heldAtBegin = min(state.heldAtBegin, length)
    state.checkpoint = min(state.checkpoint, length)
    state.reserved = 0
    try keeper.syncing { () throws(DiskError) in try part.synchronize() }
  }

  /// Makes the record name this answer's version, before a byte of it is appended.
  func adopt(_ state: inout State) throws(DiskError) {
    guard let answer = state.answer else { return }
    let head = answer.head
    if state.held.count == 0, try part.size() > 0 { try cut(to: 0, &state) }
    // A coded answer's validators belong to the coded form, and its bytes are no range of that.
    let validator = head.codings.isEmpty ? Validator(head) : Validator()
    let url = state.url
    let (status, count, total) = (try part.status(), state.held.count, answer.total)
    let hasFailedSync = keeper.hasFailedSync
    // A part that holds nothing yet is worth nothing after a power cut, so its record can wait for
    // the first checkpoint.
    // Where the record on the disk vouches for bytes of another version it cannot.
    let vouched = keeper.current.state?.durableLength ?? 0
    try keeper.update(count > 0 || vouched > 0 ? .whole : .none) { record in
      let before = record.state
      record.state = ResumeState(
        generation: before.map { $0.generation % 1_000_000_000 + 1 } ?? 1, finalURL: url,
        validator: validator,
        total: total,
        contentType: head.first("Content-Type"),
        durableLength: min(before?.durableLength ?? 0, count),
        // What a failed sync may have lost of the beginning is still lost.
        bootID: count > 0 && hasFailedSync ? nil : PartialFolder.runID(of: part.file),
        inode: status.inode, device: status.device, proofs: before?.proofs)
      // What both versions begin with is proven for this one too.
      record.state?.keepProofs(upTo: count)
      return true
    }
    state.held.validator = validator
    state.held.total = total
    state.answer?.isAdopted = true
    state.reserved = 0
    try reserve(&state)
  }

  /// Keeps room reserved ahead of what is written.
  private func reserve(_ state: inout State) throws(DiskError) {
    guard let total = state.answer?.total, state.reserved < total,
      state.held.count >= state.reserved
    else { return }
    state.reserved = try part.reserve(total, after: state.held.count)
  }
}
