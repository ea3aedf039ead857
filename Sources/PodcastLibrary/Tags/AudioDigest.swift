package import PodcastTransfer

/// The SHA-256 of the audio in a file, without its tags: equal before and after the tags change.
///
/// Bytes that say where the audio is, such as the index of an MP4 file, count as what they point to.
package enum AudioDigest {
  private static let blockSize = 1 << 18
  /// More metadata blocks than these are not FLAC's.
  private static let mostBlocks = 10_000

  /// The digest in lower-case hex; nil for a file in which podget does not find the audio.
  package static func sum(
    of file: inout some AudioBytes, _ format: TaggedFormat
  ) throws(DiskError) -> String? {
    guard file.length <= AudioStructure.longestFile else { return nil }
    var digest = SHA2Digest()
    let isFound =
      switch format {
      case .mp3:
        if let region = try AudioRegion.find(in: &file) {
          try add(region.start..<region.end, of: &file, to: &digest)
        } else {
          false
        }
      case .flac:
        if let start = try flacStart(&file) {
          try add(start..<file.length, of: &file, to: &digest)
        } else {
          false
        }
      case .mp4: try MP4Audio.add(&file, to: &digest)
      case .vorbis: try OggAudio.add(&file, headers: 3, to: &digest)
      case .opus: try OggAudio.add(&file, headers: 2, to: &digest)
      }
    guard isFound else { return nil }
    guard let sum = digest.finish() else { throw .noChecksum(of: "the audio") }
    return sum
  }

  /// Where the frames begin: behind the metadata blocks (RFC 9639, section 8).
  private static func flacStart(_ file: inout some AudioBytes) throws(DiskError) -> Int64? {
    guard try file.look(4, at: 0).elementsEqual("fLaC".utf8) else { return nil }
    var position: Int64 = 4
    for _ in 0..<mostBlocks {
      let header = Array(try file.look(4, at: position))
      guard header.count == 4 else { return nil }
      position += 4 + header[1..<4].bigEndian
      guard position <= file.length else { return nil }
      if header[0] & 0x80 != 0 { return position < file.length ? position : nil }
    }
    return nil
  }

  /// Adds a part of a file; false if it ends before.
  static func add(
    _ range: Range<Int64>, of file: inout some AudioBytes, to digest: inout SHA2Digest
  ) throws(DiskError) -> Bool {
    var position = range.lowerBound
    while position < range.upperBound {
      let count = Int(min(Int64(blockSize), range.upperBound - position))
      let bytes = try file.next(count, at: position)
      guard !bytes.isEmpty else { return false }
      digest.add(bytes)
      position += Int64(bytes.count)
    }
    return true
  }
}

extension SHA2Digest {
  /// Adds bytes.
  mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { add($0) } }

  /// Adds a number, so that what follows cannot be taken for what comes before.
  mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { add($0) }
  }
}
