import PodcastModel
import PodcastTransfer
import Synchronization

/// Bringing bytes to the part file: blocks, checkpoints, the end of a body.
extension PartWriter {
  func append(
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
      state.answer?.position += Int64(piece.count)
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
    if !state.isCheckpointing, state.held.count - state.checkpoint >= Self.checkpointDistance,
      .now - state.lastCheckpoint >= Self.checkpointInterval
    {
      state.checkpoint = state.held.count
      state.lastCheckpoint = .now
      state.isCheckpointing = true
      publish(state)
      // Whether it worked shows at the end; what counts then is the sync before the rename.
      disk.start { [self] in
        try? checkpoint()
        self.state.withLock { $0.isCheckpointing = false }
      }
    }
  }

  func flush(_ state: inout State) {
    do throws(DiskError) {
      try writeBlock(&state)
    } catch {
      state.refusal = .disk(error)
      state.fill = 0
    }
  }

  /// A whole body may end before what is held does: the version has become shorter.
  func settleEnd(_ state: inout State) {
    guard let answer = state.answer, answer.isWhole, case .writing = answer.mode else { return }
    do throws(DiskError) {
      if answer.position < state.held.count {
        // Where only the closing of the connection tells the end, it may as well be a cut.
        guard answer.total.map({ $0 == answer.position }) ?? answer.head.isChunked else { return }
        // A length of its own makes it another version, whatever its validators say.
        guard !answer.isSameVersion || answer.total != nil else {
          let error = PodgetError(
            .incomplete, "The server ends the episode before bytes that it sent earlier.")
          state.refusal = .failed(error, isTransient: true)
          return
        }
        guard !state.keepsHeld else {
          state.refusal = .restart(.changed)
          return
        }
        announce(.changed, &state)
        try cut(to: answer.position, &state)
      }
      if !answer.isAdopted { try adopt(&state) }
    } catch {
      state.refusal = .disk(error)
    }
  }

  func reportProgress(_ state: inout State) {
    let now = ContinuousClock.now
    if let last = state.lastProgress, now - last < Self.progressInterval { return }
    state.lastProgress = now
    let answer = state.answer
    state.events.append(.progress(received: answer?.position ?? 0, total: answer?.total))
  }
}
