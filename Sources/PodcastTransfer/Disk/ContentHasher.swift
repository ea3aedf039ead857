package import Dispatch
import Glibc
import Synchronization

/// Computes the SHA-256 of a part file while it grows, on a queue of its own.
///
/// Blocks that were written are lent to it without a copy. It knows how far it has come and reads
/// whatever it was not lent back from the file, so the writer never waits for it, and a resumed
/// file's beginning is read once.
package final class ContentHasher: Sendable {
  private struct State: ~Copyable {
    var digest = SHA256Digest()
    var hashed: Int64 = 0

    mutating func reset() {
      hashed = 0
      digest.reset()
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      digest.add(bytes)
      hashed += Int64(bytes.count)
    }
  }

  private let queue: DispatchQueue
  private let part: PartFile
  private let pool: BlockPool
  private let flag: CancelFlag
  /// Used on the queue only, but for the end of life; the lock is never contended.
  private let state: Mutex<State>

  /// How many bytes are hashed in much less than a second.
  private static let shortDistance: Int64 = 16 << 20

  /// Makes a hasher that works on `queue`, which must be serial. When `flag` is set and much of the
  /// file is not hashed, that is not read back any more, and there is no checksum then.
  package init(
    part: PartFile, pool: BlockPool, queue: DispatchQueue, flag: CancelFlag = CancelFlag()
  ) {
    self.flag = flag
    self.queue = queue
    self.part = part
    self.pool = pool
    state = Mutex(State())
  }

  /// Takes over a lent block that stands in the file at `offset`.
  package func add(_ block: Block, count: Int, at offset: Int64) {
    queue.async { [self] in
      catchUp(to: offset)
      state.withLock { state in
        if state.hashed == offset { state.add(block.bytes(count)) }
      }
      pool.returnLent(block)
    }
  }

  /// Hashes what the file holds up to `offset` when there is time for it.
  package func prepare(upTo offset: Int64) {
    queue.async { [self] in catchUp(to: offset) }
  }

  /// Says that the bytes from `offset` on are no longer what they were.
  package func rewind(to offset: Int64) {
    queue.async { [self] in
      state.withLock { if $0.hashed > offset { $0.reset() } }
    }
  }

  /// The checksum of the first `total` bytes in lower-case hex; nil when they cannot be read
  /// or libcrypto fails. It is asked for once.
  package func finish(total: Int64) async -> String? {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        state.withLock { if $0.hashed > total { $0.reset() } }
        catchUp(to: total)
        let digest = state.withLock { $0.hashed == total ? $0.digest.finish() : nil }
        continuation.resume(returning: digest)
      }
    }
  }

  /// The checksum of the beginning of the file, at least of the first `offset` bytes; all of what it
  /// is about is written.
  ///
  /// - Returns: nil when it cannot be had within half a second, since the queue has too much to do:
  ///   who wants to stop does not wait for it. It must not be called on the hasher's queue.
  package func proof(from offset: Int64) -> PrefixProof? {
    let (answer, isThere) = (Answer(), DispatchSemaphore(value: 0))
    queue.async { [self] in
      catchUp(to: offset)
      let proof = state.withLock { state -> PrefixProof? in
        guard state.hashed >= offset, let sha256 = state.digest.soFar else { return nil }
        return PrefixProof(length: state.hashed, sha256: sha256)
      }
      answer.proof.withLock { $0 = proof }
      isThere.signal()
    }
    guard isThere.wait(timeout: .now() + .milliseconds(500)) == .success else { return nil }
    return answer.proof.withLock { $0 }
  }

  private final class Answer: Sendable {
    let proof = Mutex<PrefixProof?>(nil)
  }

  private func catchUp(to offset: Int64) {
    guard state.withLock({ $0.hashed < offset }) else { return }
    let block = pool.take()
    defer { pool.giveBack(block) }
    state.withLock { state in
      while state.hashed < offset {
        // The little that a cancelled download lacks is worth having: it proves what is kept.
        if flag.isSet, offset - state.hashed > Self.shortDistance { return }
        let wanted = Int(min(Int64(Block.size), offset - state.hashed))
        let buffer = UnsafeMutableRawBufferPointer(start: block.base, count: wanted)
        // A read that fails now is tried again at the end, where a failure counts.
        guard let count = try? part.read(into: buffer, at: state.hashed), count > 0 else { return }
        state.add(block.bytes(count))
      }
    }
  }
}

extension PartFile {
  /// The SHA-256 of the whole file in lower-case hex; it blocks on the disk.
  package func sha256(
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DiskError) -> String {
    try file.sha256(name, isCancelled: isCancelled)
  }
}

extension FileDescriptor {
  /// The SHA-256 of the whole file in lower-case hex; it blocks on the disk, and throws when it is
  /// cancelled.
  package func sha256(
    _ name: String, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DiskError) -> String {
    var digest = SHA256Digest()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Block.size, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      if isCancelled() { throw .cancelled("read", name) }
      let count = try retryingInterrupts("read", name) {
        pread(number, buffer.baseAddress, buffer.count, off_t(offset))
      }
      guard count > 0 else { break }
      digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    guard let checksum = digest.finish() else { throw .noChecksum(of: name) }
    return checksum
  }
}

extension DiskError {
  /// The file was read, and libcrypto failed to compute its checksum.
  package static func noChecksum(of name: String) -> DiskError {
    DiskError(ENOMEM, "compute the checksum of", name)
  }
}
