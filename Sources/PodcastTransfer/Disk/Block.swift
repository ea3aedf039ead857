import Synchronization

/// A buffer of fixed size in which body bytes gather before they go to the disk in one write.
///
/// It has one user at a time, the writer or the hashing queue; handing it over is what keeps that
/// true.
package final class Block: Sendable {
  /// Writes of this size into reserved room cost a third of those of libcurl's 16 KiB pieces.
  package static let size = 256 * 1024

  package nonisolated(unsafe) let base = UnsafeMutableRawPointer.allocate(
    byteCount: size, alignment: 4096)

  deinit { base.deallocate() }

  package func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }
}

/// Keeps blocks for the next use and bounds how many wait to be hashed.
package final class BlockPool: Sendable {
  private struct State {
    var free: [Block] = []
    var lent = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// Makes a pool that lends at most `limit` blocks to the hashing queue at once.
  package init(limit: Int) { self.limit = limit }

  /// A block that nobody uses.
  package func take() -> Block { state.withLock { $0.free.popLast() } ?? Block() }

  /// Takes a block back.
  package func giveBack(_ block: Block) {
    state.withLock { if $0.free.count < limit { $0.free.append(block) } }
  }

  /// Asks to lend one more block; false when so many wait already that reading the bytes back from
  /// the page cache later is cheaper than the memory.
  package func lend() -> Bool {
    state.withLock { state in
      guard state.lent < limit else { return false }
      state.lent += 1
      return true
    }
  }

  /// Takes back a lent block.
  func returnLent(_ block: Block) {
    state.withLock { state in
      state.lent -= 1
      if state.free.count < limit { state.free.append(block) }
    }
  }
}
