/// Finds out whether an MPEG audio file is complete, for servers that do not announce its length.
package enum MPEGFrames {
  /// Whether the last audio frame of a file is complete.
  ///
  /// The frames are read header by header, from the end of the ID3v2 tags to the end or to the tags
  /// at the end of the file (ID3v1, APEv2, Lyrics3); zeros may pad it. A file that was cut exactly
  /// between two frames looks complete.
  ///
  /// - Parameters:
  ///   - length: the length of the file in bytes.
  ///   - reading: returns `count` bytes at `offset`; it is called in order, 64 KiB at a time, after
  ///     a read at the end.
  /// - Returns: true when it is complete, false when it was cut; nil when it is not MPEG audio, or
  ///   when there is something else between its frames.
  package static func isWhole<Failure: Error>(
    length: Int64, reading: (_ offset: Int64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Bool? {
    let end = try audioEnd(length: length, reading: reading)
    var window = Window(length: length)
    var position: Int64 = 0
    while let tag = ID3Tag.length(try window.bytes(10, at: position, reading)) {
      position += Int64(tag)
      if position > end { return false }
    }
    // Encoders pad a tag with zeros that its length does not always include.
    position = try window.skippingZeros(from: position, reading)
    guard let first = MPEGFrameHeader(try window.bytes(4, at: position, reading)) else {
      return nil
    }

    var count = 0
    while position < end {
      let bytes = try window.bytes(10, at: position, reading)
      if let frame = MPEGFrameHeader(bytes), frame.isSameStream(as: first) {
        count += 1
        position += Int64(frame.length)
      } else if let tag = ID3Tag.length(bytes) {
        // Joined files keep the tags of their parts.
        position += Int64(tag)
      } else {
        // One header may be chance; two are a stream.
        guard count >= 2 else { return nil }
        return try ending(at: position, end: end, window: &window, reading)
      }
    }
    return count >= 2 || position == end ? position == end : nil
  }
}

extension MPEGFrames {
  /// The position at which the audio ends and the tags at the end of the file begin.
  private static func audioEnd<Failure: Error>(
    length: Int64, reading: (Int64, Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Int64 {
    var end = length
    // ID3v1, Lyrics3 and APEv2 may all be there, each once.
    for _ in 0..<3 {
      let count = min(Int64(TrailingTag.lookBehind), end)
      let bytes = try reading(end - count, Int(count))
      guard let tag = TrailingTag.length(endingIn: bytes), tag <= end else { break }
      end -= Int64(tag)
    }
    return end
  }

  /// The verdict if no frame of the stream begins here: zeros up to the end are padding, less than
  /// a header or the beginning of a tag is a truncated file, anything else is unknown.
  private static func ending<Failure: Error>(
    at position: Int64, end: Int64, window: inout Window,
    _ reading: (Int64, Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Bool? {
    let rest = end - position
    let bytes = try window.bytes(Int(min(rest, 32)), at: position, reading)
    if rest < 4, bytes.first == 0xFF { return false }
    if CutTag.isBeginning(bytes, rest: rest) { return false }
    return try window.skippingZeros(from: position, reading) >= end ? true : nil
  }
}

/// The last part of the file that was read.
private struct Window {
  private static let size = 64 * 1024

  private let length: Int64
  private var start: Int64 = 0
  private var content: [UInt8] = []

  init(length: Int64) {
    self.length = length
  }

  /// Up to `count` bytes at a position; fewer at the end of the file.
  mutating func bytes<Failure: Error>(
    _ count: Int, at position: Int64, _ reading: (Int64, Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> ArraySlice<UInt8> {
    let wanted = min(Int64(count), length - position)
    guard wanted > 0 else { return [] }
    if position < start || position + wanted > start + Int64(content.count) {
      content = try reading(position, Int(min(Int64(Self.size), length - position)))
      start = position
    }
    let offset = Int(position - start)
    return content.dropFirst(offset).prefix(Int(wanted))
  }

  /// The position of the first byte that is not zero, or the length of the file.
  mutating func skippingZeros<Failure: Error>(
    from position: Int64, _ reading: (Int64, Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Int64 {
    var position = position
    while position < length {
      let bytes = try self.bytes(256, at: position, reading)
      let zeros = bytes.prefix { $0 == 0 }.count
      position += Int64(zeros)
      if zeros < bytes.count || bytes.isEmpty { break }
    }
    return position
  }
}
