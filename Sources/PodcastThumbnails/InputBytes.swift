import Glibc
import PodcastArtwork

/// All of standard input.
struct InputBytes: ~Copyable {
  private let block: MemoryBlock
  private let count: Int

  /// Reads to the end.
  ///
  /// - Throws: an ``ImageRefusal`` if there is more than ``ImageLimits/bytes``, or no memory.
  static func read() throws(ImageRefusal) -> InputBytes {
    let block = try MemoryBlock(count: ImageLimits.bytes + 1)
    let start = try block.start
    var count = 0
    while count < block.bytes.count {
      let read = Glibc.read(STDIN_FILENO, start + count, block.bytes.count - count)
      if read > 0 {
        count += read
      } else if read == 0 {
        break
      } else if errno != EINTR {
        throw .empty
      }
    }
    guard count <= ImageLimits.bytes else { throw .tooManyBytes }
    return InputBytes(block: block, count: count)
  }

  /// Lends the bytes.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(ImageRefusal) -> Result
  ) throws(ImageRefusal) -> Result {
    try body(UnsafeRawBufferPointer(start: block.bytes.baseAddress, count: count))
  }
}
