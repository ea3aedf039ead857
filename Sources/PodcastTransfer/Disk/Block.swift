import Synchronization

/// A buffer of fixed size in which body bytes gather before they go to the disk in one write.
///
/// It has one user at a time, who took it from the pool and gives it back.
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

/// Keeps a few blocks for their next use.
package final class BlockPool: Sendable {
  private let free = Mutex<[Block]>([])
  private let limit: Int

  /// Makes a pool that keeps at most so many blocks.
  package init(limit: Int) { self.limit = limit }

  /// A block that nobody uses.
  package func take() -> Block { free.withLock { $0.popLast() } ?? Block() }

  /// Takes a block back.
  package func giveBack(_ block: Block) {
    free.withLock { if $0.count < limit { $0.append(block) } }
  }
}
