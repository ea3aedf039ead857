import Synchronization

/// A buffer of fixed size that collects body bytes, so that they go to the disk in one write.
///
/// It has one user at a time, who took it from the pool and gives it back.
package final class Block: Sendable {
  /// Writes of this size into reserved space cost a third of writes of libcurl's 16 KiB pieces.
  package static let size = 256 * 1024

  package nonisolated(unsafe) let base = UnsafeMutableRawPointer.allocate(
    byteCount: size, alignment: 4096)

  deinit { base.deallocate() }

  package func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }
}

/// Keeps a few blocks for reuse.
package final class BlockPool: Sendable {
  private struct State {
    var free: [Block] = []
    /// How many are in use after they were written.
    var lent = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private let lendingLimit: Int

  /// Creates a pool for a number of writers; their written bytes may wait in as many blocks again,
  /// and a few more.
  package init(writers: Int) {
    lendingLimit = writers + 16
    limit = writers + lendingLimit
  }

  /// An unused block.
  package func take() -> Block { state.withLock { $0.free.popLast() } ?? Block() }

  /// Takes a block back.
  package func release(_ block: Block) {
    state.withLock { if $0.free.count < limit { $0.free.append(block) } }
  }

  /// Gives unused blocks back to the system.
  package func releaseUnused() {
    let unused = state.withLock { state in
      defer { state.free = [] }
      return state.free
    }
    // Freed here, outside the lock.
    withExtendedLifetime(unused) {}
  }

  /// Whether one more block may be used after it was written; its user returns it with
  /// ``releaseLent(_:)``.
  func lend() -> Bool {
    state.withLock { state in
      guard state.lent < lendingLimit else { return false }
      state.lent += 1
      return true
    }
  }

  /// Takes back a block that was lent.
  func releaseLent(_ block: Block) {
    state.withLock { state in
      state.lent -= 1
      if state.free.count < limit { state.free.append(block) }
    }
  }
}
