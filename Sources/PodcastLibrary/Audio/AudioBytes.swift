package import PodcastTransfer

/// The bytes of an audio file, for code that reads through it.
package protocol AudioBytes {
  /// The length of the file in bytes.
  var length: Int64 { get }

  /// Up to `count` bytes at any position, fewer at the end of the file: for headers and for tags
  /// behind the audio.
  mutating func look(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8>

  /// The same in the order of the file, for code that reads all of it.
  mutating func next(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8>
}

extension AudioBytes {
  /// The position of the first byte that is not zero, starting at `position`, or the file's length.
  mutating func skippingZeros(from position: Int64) throws(DiskError) -> Int64 {
    var position = position
    while position < length {
      let bytes = try next(4096, at: position)
      let zeros = bytes.prefix { $0 == 0 }.count
      position += Int64(zeros)
      if zeros < bytes.count || bytes.isEmpty { break }
    }
    return position
  }
}

/// A file that returns nothing more after very many reads: each read may cost a system call, and a
/// file can contain a small part for every eight of its bytes.
struct BoundedLooks<File: AudioBytes>: AudioBytes {
  private(set) var file: File
  /// How many reads are left.
  private(set) var left: Int

  /// Files of many hours in fragments of a second need a tenth of the limit.
  init(_ file: File, limit: Int = 1 << 20) {
    self.file = file
    left = limit
  }

  var length: Int64 { file.length }

  mutating func look(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8> {
    guard left > 0 else { return [] }
    left -= 1
    return try file.look(count, at: offset)
  }

  mutating func next(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8> {
    try file.next(count, at: offset)
  }
}

extension Collection<UInt8> {
  /// The bytes as an unsigned big-endian number; 0 if it is too large.
  var bigEndian: Int64 { reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.signed }

  /// The bytes as an unsigned little-endian number; 0 if it is too large.
  var littleEndian: Int64 { reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.signed }
}

extension UInt64 {
  fileprivate var signed: Int64 { Int64(exactly: self) ?? 0 }
}
