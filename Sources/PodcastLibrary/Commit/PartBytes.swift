package import PodcastTransfer

/// The bytes of a part file, for code that reads through audio.
package struct PartBytes: AudioBytes {
  private static let windowSize = 64 * 1024

  package let length: Int64
  private let part: PartFile
  private let flag: CancelFlag
  /// The last part of the file that was read in order, and where it begins.
  private var window: [UInt8] = []
  private var start: Int64 = 0

  /// Reads the first `length` bytes of a part file, until `flag` is set.
  package init(_ part: PartFile, length: Int64, flag: CancelFlag) {
    self.part = part
    self.length = length
    self.flag = flag
  }

  package mutating func look(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8>
  {
    let wanted = Int(max(0, min(Int64(count), length - offset)))
    if let held = held(wanted, at: offset) { return held }
    return try part.bytes(wanted, at: offset)[...]
  }

  package mutating func next(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8>
  {
    let wanted = Int(max(0, min(Int64(count), length - offset)))
    if let held = held(wanted, at: offset) { return held }
    guard !flag.isSet else { throw .cancelled("read", part.name) }
    window = try part.bytes(
      Int(max(Int64(wanted), min(Int64(Self.windowSize), length - offset))), at: offset)
    start = offset
    return window.prefix(wanted)
  }

  private func held(_ count: Int, at offset: Int64) -> ArraySlice<UInt8>? {
    guard offset >= start, offset - start + Int64(count) <= Int64(window.count) else { return nil }
    let first = Int(offset - start)
    return window[first..<(first + count)]
  }
}
