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

/// Lends blocks, and keeps a few for reuse.
package final class BlockPool: Sendable {
  private struct State {
    var free: [Block] = []
    var lent = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// Creates a pool for a number of writers: each fills a block, as many may wait to be written, and a
  /// few more.
  package init(writers: Int) { limit = 2 * writers + 4 }

  /// Whether more blocks are lent than there should be: who has some that wait takes no other.
  package var isShort: Bool { state.withLock { $0.lent >= limit } }

  /// Lends an unused block.
  package func take() -> Block {
    let free = state.withLock { state in
      state.lent += 1
      return state.free.popLast()
    }
    return free ?? Block()
  }

  /// Takes a block back.
  package func release(_ block: Block) {
    state.withLock { state in
      state.lent -= 1
      if state.free.count < limit { state.free.append(block) }
    }
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
}
