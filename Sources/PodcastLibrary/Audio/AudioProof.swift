package import FoundationEssentials
import PodcastModel
package import PodcastTransfer

/// What proves of a file with other tags that its audio is the recorded one: how the SHA-256 of the
/// recorded file began and ended around its audio.
///
/// If that checksum, continued with the audio of another file, ends in the recorded one, the audio is
/// the same. So no bytes are hashed twice when a file is recorded.
package struct AudioProof: Codable, Sendable, Hashable {
  /// How many bytes the recorded file has before its audio.
  package var start: Int64
  /// The stored SHA-256 of these bytes (``ContinuedSHA256``).
  package var state: Data
  /// The bytes after the audio.
  package var tail: Data

  /// Larger tags than these are not looked at: pictures are smaller.
  private static let mostStartBytes: Int64 = 64 << 20
  /// The tail is part of a line of a record; ID3v1 has 128 bytes.
  private static let mostTailBytes: Int64 = 1024
  private static let blockSize = 1 << 18

  /// The proof for a file; nil for a format whose tags are not apart from its audio, and for unusually
  /// large tags.
  package init?(of file: inout some AudioBytes) throws(DiskError) {
    guard let region = try AudioRegion.find(in: &file), region.start <= Self.mostStartBytes,
      file.length - region.end <= Self.mostTailBytes
    else { return nil }
    var sum = ContinuedSHA256()
    guard try Self.add(0..<region.start, of: &file, to: &sum, isCancelled: { false }) else {
      return nil
    }
    let tail = try file.look(Int(file.length - region.end), at: region.end)
    guard tail.count == Int(file.length - region.end) else { return nil }
    start = region.start
    state = Data(sum.stored)
    self.tail = Data(tail)
  }

  /// The proof for a file whose checksum is known; nil also if its tags cannot be read now, since it is
  /// needed only when they are changed.
  package static func known(of part: PartFile) -> AudioProof? {
    guard let length = try? part.size() else { return nil }
    var bytes = PartBytes(part, length: length, flag: CancelFlag())
    return (try? AudioProof(of: &bytes)) ?? nil
  }

  /// Whether another file has the same audio as the recorded one; nil if it has no audio between tags.
  ///
  /// - Parameters:
  ///   - bytes: the length of the recorded file.
  ///   - sha256: its checksum in lower-case hex.
  package func hasSameAudio(
    _ file: inout some AudioBytes, bytes: Int64, sha256: String, isCancelled: () -> Bool
  ) throws(DiskError) -> Bool? {
    guard let region = try AudioRegion.find(in: &file) else { return nil }
    guard var sum = ContinuedSHA256(Array(state), of: start), bytes >= start,
      bytes - start >= Int64(tail.count)
    else { return nil }
    guard region.end - region.start == bytes - start - Int64(tail.count) else { return false }
    guard try Self.add(region.start..<region.end, of: &file, to: &sum, isCancelled: isCancelled)
    else { return nil }
    sum.add(tail)
    return sum.checksum == sha256
  }

  /// Adds a part of a file; false if it ends before.
  private static func add(
    _ range: Range<Int64>, of file: inout some AudioBytes, to sum: inout ContinuedSHA256,
    isCancelled: () -> Bool
  ) throws(DiskError) -> Bool {
    var position = range.lowerBound
    while position < range.upperBound {
      if isCancelled() { throw .cancelled("read", "the audio") }
      let count = Int(min(Int64(blockSize), range.upperBound - position))
      let bytes = try file.look(count, at: position)
      guard !bytes.isEmpty else { return false }
      sum.add(bytes)
      position += Int64(bytes.count)
    }
    return true
  }
}
