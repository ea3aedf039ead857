import Dispatch
import Synchronization

/// The SHA-256 of a part file, computed on the disk's threads while another thread writes the file.
///
/// The writer passes on each block that it has written, and gets it back through the pool of blocks
/// once it is hashed. If too many blocks are waiting, a block is not accepted, and its bytes are
/// read back from the file later, most likely from memory. Nothing here blocks the writer.
package final class PartDigest: Sendable {
  private enum Step {
    /// Bytes that are in the file at the offset.
    case block(Block, count: Int, offset: Int64)
    /// The file ends at the offset from now on.
    case cut(Int64)
    /// A proof of so many bytes is requested.
    case proof(Int64)
  }

  private struct State: ~Copyable {
    /// The waiting steps, the oldest first.
    var steps: [Step] = []
    /// Nil while it is in use.
    var digest: PrefixDigest?
    /// A callback for when the digest is put back.
    var waiting: [DispatchSemaphore] = []
    /// Whether a thread of the pool works on the steps, or will.
    var isScheduled = false
    var lastProof: PrefixProof?
  }

  /// To wake a thread takes a large part of the time in which it hashes one block.
  private static let batch = 4

  private let part: PartFile
  private let disk: DiskPool
  private let blocks: BlockPool
  private let flag: CancelFlag
  private let state: Mutex<State>

  /// Creates a digest from the bytes that are already hashed.
  package init(
    _ digest: consuming PrefixDigest, of part: PartFile, disk: DiskPool, blocks: BlockPool,
    flag: CancelFlag = CancelFlag()
  ) {
    self.flag = flag
    self.part = part
    self.disk = disk
    self.blocks = blocks
    var state = State()
    state.digest = consume digest
    self.state = Mutex(consume state)
  }

  deinit {
    // A download that failed leaves blocks that nobody hashes any more.
    for case .block(let block, _, _) in state.withLock({ $0.steps }) { blocks.releaseLent(block) }
  }

  /// Adds bytes that were written to the file after all that were added before.
  ///
  /// - Returns: whether the block is accepted, and returns through the pool; false if the caller
  ///   keeps it.
  package func add(_ block: Block, count: Int, at offset: Int64) -> Bool {
    let isTaken = blocks.lend()
    let isEnough = state.withLock { state in
      if isTaken { state.steps.append(.block(block, count: count, offset: offset)) }
      // The final call hashes the last blocks, and blocks that cannot be lent are hashed then as
      // well.
      return !isTaken || state.steps.count >= Self.batch
    }
    if isEnough { schedule() }
    return isTaken
  }

  /// Forgets the bytes beyond the offset, because the file was truncated.
  package func cut(to offset: Int64) { state.withLock { $0.steps.append(.cut(offset)) } }

  /// Starts to compute a proof of the first so many bytes of the file, all of which are written and
  /// are the last that were added.
  package func beginProof(of length: Int64) {
    state.withLock { $0.steps.append(.proof(length)) }
    schedule()
  }

  /// The proof of the first so many bytes, for which ``beginProof(of:)`` was called last; nil if
  /// libcrypto fails. It takes as long as the hashing of the waiting bytes.
  package func proof(of length: Int64) -> PrefixProof? {
    use { _ in state.withLock { $0.lastProof } }.flatMap { $0.length == length ? $0 : nil }
  }

  /// The checksum in lower-case hex of so many bytes, which are all of the file; nil when libcrypto
  /// has failed or the result is no longer needed. Nothing can be added after this.
  ///
  /// It reads back bytes that were not added, and blocks on the disk.
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
  /// Lets a thread of the pool do the steps, unless one already will.
  private func schedule() {
    let isFirst = state.withLock { state in
      guard !state.isScheduled, !state.steps.isEmpty else { return false }
      state.isScheduled = true
      return true
    }
    if isFirst { start() }
  }

  private func start() {
    disk.start { [self] in
      // Where another thread uses the digest, that one asks for a thread again.
      if var digest = state.withLock({ $0.digest.take() }) {
        work(on: &digest)
        putBack(consume digest)
      }
    }
  }

  /// Does the waiting steps, then lends the digest to `body`.
  ///
  /// A thread that waits here waits for one that is hashing, never for one that has not started, so
  /// that the threads of the pool cannot deadlock.
  private func use<Result, Failure: Error>(
    _ body: (inout PrefixDigest) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var digest = waitForDigest()
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

  private func waitForDigest() -> PrefixDigest {
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
    let (waiting, isDue) = state.withLock { state in
      state.digest = digest.take()
      // Whoever waits does the steps; otherwise those that came in the meantime need a thread.
      if state.steps.isEmpty { state.isScheduled = false }
      defer { state.waiting = [] }
      return (state.waiting, state.isScheduled && state.waiting.isEmpty)
    }
    for waiter in waiting { waiter.signal() }
    if isDue { start() }
  }

  private func work(on digest: inout PrefixDigest) {
    while true {
      let steps = state.withLock { state in
        defer { state.steps = [] }
        return state.steps
      }
      if steps.isEmpty { return }
      for step in steps { perform(step, on: &digest) }
    }
  }

  private func perform(_ step: Step, on digest: inout PrefixDigest) {
    switch step {
    case .block(let block, let count, let offset):
      // Bytes that cannot be read now are read at the end, or fail there.
      _ = try? digest.catchUp(with: part, to: offset) { flag.isSet }
      digest.add(block.bytes(count), at: offset)
      blocks.releaseLent(block)
    case .cut(let offset): digest.cut(to: offset)
    case .proof(let length):
      _ = try? digest.catchUp(with: part, to: length) { flag.isSet }
      let proof = digest.proof(of: length)
      state.withLock { $0.lastProof = proof }
    }
  }
}
