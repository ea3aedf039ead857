import Glibc
package import PodcastArtwork

/// Memory that may be refused: an array would end the process when there is not enough.
package struct MemoryBlock: ~Copyable {
  /// The bytes; they are zero at first.
  package let bytes: UnsafeMutableBufferPointer<UInt8>

  /// Takes memory.
  ///
  /// - Throws: ``ImageRefusal/memory``.
  package init(count: Int) throws(ImageRefusal) {
    guard let start = calloc(max(1, count), 1) else { throw .memory }
    bytes = UnsafeMutableBufferPointer(
      start: start.assumingMemoryBound(to: UInt8.self), count: count)
  }

  deinit { free(bytes.baseAddress) }

  /// The address of the first byte.
  package var start: UnsafeMutablePointer<UInt8> {
    get throws(ImageRefusal) {
      guard let start = bytes.baseAddress else { throw .memory }
      return start
    }
  }
}
