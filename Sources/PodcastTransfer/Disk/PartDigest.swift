import Dispatch
import Synchronization

/// The SHA-256 of a part file, computed on the disk's threads while another thread writes the file.
///
/// The writer hands over each block that it has written, and gets it back through the pool of blocks
/// once it is hashed. Where too many blocks wait already, one is not taken, and what was in it is read
/// back from the file later, most likely from memory. Nothing of it blocks the writer.
package final class PartDigest: Sendable {
  private enum Step {
    /// Bytes that stand in the file at the offset.
    case block(Block, count: Int, offset: Int64)
    /// The file ends at the offset from now on.
    case cut(Int64)
    /// So many bytes are to be proven.
    case proof(Int64)
  }

  private struct State: ~Copyable {
    /// What is to be done, the oldest first.
    var steps: [Step] = []
    /// Nil while somebody uses it.
    var digest: PrefixDigest?
    /// What somebody else is to be told when the digest is put back.
    var waiting: [DispatchSemaphore] = []
    /// Whether a thread of the pool is at work on the steps, or will be.
    var isScheduled = false
    var lastProof: PrefixProof?
  }

  /// To wake a thread takes a good part of the time in which it hashes one block.
  private static let batch = 4

  private let part: PartFile
  private let disk: DiskPool
  private let blocks: BlockPool
  private let state: Mutex<State>

  /// Makes one of what was hashed already.
  package init(
    _ digest: consuming PrefixDigest, of part: PartFile, disk: DiskPool, blocks: BlockPool
  ) {
    self.part = part
    self.disk = disk
    self.blocks = blocks
    var state = State()
    state.digest = consume digest
    self.state = Mutex(consume state)
  }

  /// Adds bytes that were written to the file behind all that was added before.
  ///
  /// - Returns: whether the block is taken, and comes back through the pool; false where it is free.
  package func add(_ block: Block, count: Int, at offset: Int64) -> Bool {
    let isTaken = blocks.lend()
    let isEnough = state.withLock { state in
      if isTaken { state.steps.append(.block(block, count: count, offset: offset)) }
      // The last ones are hashed by whoever finishes, and where none can be lent some must be.
      return !isTaken || state.steps.count >= Self.batch
    }
    if isEnough { schedule() }
    return isTaken
  }

  /// Forgets what is beyond the offset, where the file was cut.
  package func cut(to offset: Int64) { state.withLock { $0.steps.append(.cut(offset)) } }

  /// Begins to compute what proves the first so many bytes of the file, all of which are written, and
  /// behind which nothing was added yet.
  package func beginProof(of length: Int64) {
    state.withLock { $0.steps.append(.proof(length)) }
    schedule()
  }

  /// What proves the first so many bytes, for which ``beginProof(of:)`` was the last one called; nil
  /// where libcrypto fails. It takes as long as the hashing of what waits for it.
  package func proof(of length: Int64) -> PrefixProof? {
    use { _ in state.withLock { $0.lastProof } }.flatMap { $0.length == length ? $0 : nil }
  }

  /// The checksum in lower-case hex of so many bytes, which are all that the file has; nil when
  /// libcrypto has failed or nobody waits for it any more. Nothing can be added any more.
  ///
  /// It reads back what was not added, and blocks on the disk.
  package func finish(
    _ length: Int64, isCancelled: () -> Bool
  ) throws(DiskError) -> String? {
    try use { digest throws(DiskError) in
      guard try digest.catchUp(with: part, to: length, isCancelled: isCancelled) else { return nil }
      return digest.finish()
    }
  }
}

extension PartDigest {
  /// Makes a thread of the pool do the steps, unless one will anyway.
  private func schedule() {
    let isFirst = state.withLock { state in
      guard !state.isScheduled, !state.steps.isEmpty else { return false }
      state.isScheduled = true
      return true
    }
    guard isFirst else { return }
    disk.start { [self] in
      // Whoever uses the digest meanwhile does the steps too.
      if var digest = state.withLock({ $0.digest.take() }) {
        work(on: &digest)
        putBack(consume digest)
      }
    }
  }

  /// Does what was asked for, then lends the digest to `body`.
  ///
  /// A thread that waits here waits for one that is hashing, never for one that is yet to come, so
  /// that the threads of the pool cannot wait for one another.
  private func use<Result, Failure: Error>(
    _ body: (inout PrefixDigest) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var digest = take()
    work(on: &digest)
    do throws(Failure) {
      let result = try body(&digest)
      putBack(consume digest)
      return result
    } catch {
      putBack(consume digest)
      throw error
    }
  }

  private func take() -> PrefixDigest {
    while true {
      let free = DispatchSemaphore(value: 0)
      if let digest = state.withLock({ state -> PrefixDigest? in
        let digest = state.digest.take()
        if digest == nil { state.waiting.append(free) }
        return digest
      }) {
        return digest
      }
      free.wait()
    }
  }

  private func putBack(_ digest: consuming PrefixDigest) {
    var digest = Optional(consume digest)
    let waiting = state.withLock { state in
      state.digest = digest.take()
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.signal() }
  }

  private func work(on digest: inout PrefixDigest) {
    while true {
      let steps = state.withLock { state in
        // What comes from now on needs a thread again.
        if state.steps.isEmpty { state.isScheduled = false }
        defer { state.steps = [] }
        return state.steps
      }
      if steps.isEmpty { return }
      for step in steps { take(step, &digest) }
    }
  }

  private func take(_ step: Step, _ digest: inout PrefixDigest) {
    switch step {
    case .block(let block, let count, let offset):
      // What cannot be read now is read at the end, or shows there.
      _ = try? digest.catchUp(with: part, to: offset) { false }
      digest.add(block.bytes(count), at: offset)
      blocks.giveBackLent(block)
    case .cut(let offset): digest.cut(to: offset)
    case .proof(let length):
      _ = try? digest.catchUp(with: part, to: length) { false }
      let proof = digest.proof(of: length)
      state.withLock { $0.lastProof = proof }
    }
  }
}
