import PodcastModel
import PodcastTransfer

/// Reads through the pages of an Ogg file (RFC 3533, section 6): whether each has its checksum and
/// follows the one before, whether the last one is complete and marked as the last, and how many
/// samples there are.
enum OggPages {
  private struct Passage {
    var serial: Int64?
    var rate: Int64 = 0
    /// Samples at the beginning that are not played (RFC 7845, section 4.2).
    var skipped: Int64 = 0
    var granule: Int64 = 0
    var milliseconds: Int64 = 0
    var isEnded = false
    /// The expected number of the next page in the stream.
    var expected: Int64?
    var pages = 0
    var badPages = 0
    var gaps = 0

    /// What is wrong between the beginning and the end, in a sentence.
    var damage: String? {
      if badPages > 0 { return "The checksum of \(badPages) of its \(pages) pages is wrong." }
      guard gaps > 0 else { return nil }
      return gaps == 1
        ? "Pages are missing in one place." : "Pages are missing in \(gaps) places."
    }

    /// Adds the duration of the stream that ends here; files may be joined from several.
    mutating func endStream() {
      let time = AudioStructure.duration(samples: granule - skipped, perSecond: rate)
      // Very many streams may each claim a very long duration.
      milliseconds = ByteSum.of([
        milliseconds, time.map { $0.components.seconds * 1000 + $0.milliseconds },
      ])
      (granule, skipped, serial, expected) = (0, 0, nil, nil)
    }
  }

  /// Reads through a file.
  static func walk(_ file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    var passage = Passage()
    var position: Int64 = 0
    while position < file.length {
      let header = Array(try file.next(27 + 255, at: position))
      guard header.starts(with: "OggS".utf8) else {
        // Players find the next page as well; data after the last one is not audio.
        guard let next = try nextPage(after: position, &file) else { break }
        position = next
        continue
      }
      guard let size = size(header), position + size <= file.length else {
        passage.endStream()
        return structure(passage, .cut("Its last page is cut."))
      }
      try take(header, size, at: position, &passage, &file)
      position += size
    }
    passage.endStream()
    return structure(passage, passage.isEnded ? .whole : .open("Its last page is missing."))
  }

  private static func structure(
    _ passage: Passage, _ ending: AudioStructure.Ending
  ) -> AudioStructure {
    let time = passage.milliseconds
    return AudioStructure(
      ending: ending, duration: time > 0 ? .milliseconds(time) : nil, damage: passage.damage)
  }

  /// The page's length in bytes; nil when its header is incomplete.
  private static func size(_ header: [UInt8]) -> Int64? {
    guard header.count >= 27, header.count >= 27 + Int(header[26]) else { return nil }
    let segments = header[27..<(27 + Int(header[26]))]
    return Int64(27 + segments.count) + segments.reduce(0) { $0 + Int64($1) }
  }

  private static func take(
    _ header: [UInt8], _ size: Int64, at position: Int64, _ passage: inout Passage,
    _ file: inout some AudioBytes
  ) throws(DiskError) {
    passage.pages += 1
    if !OggChecksum.isRight(try file.next(Int(size), at: position)) { passage.badPages += 1 }
    let serial = header[14..<18].littleEndian
    if header[5] & 2 != 0 {
      let packet = Array(
        try file.next(64, at: position + 27 + Int64(header[26])).prefix(Int(min(64, size))))
      if let (rate, skipped) = codec(packet) {
        if passage.serial != nil { passage.endStream() }
        (passage.serial, passage.rate, passage.skipped) = (serial, rate, skipped)
        passage.isEnded = false
      }
    }
    guard passage.serial == nil || passage.serial == serial else { return }
    if passage.serial != nil {
      let number = header[18..<22].littleEndian
      if let expected = passage.expected, number != expected { passage.gaps += 1 }
      passage.expected = (number + 1) & 0xFFFF_FFFF
    }
    let granule = header[6..<14].littleEndian
    passage.granule = max(passage.granule, granule)
    if header[5] & 4 != 0 { passage.isEnded = true }
  }

  /// Samples per second, and how many are not played, from the first packet of an audio stream.
  private static func codec(_ packet: [UInt8]) -> (rate: Int64, skipped: Int64)? {
    if packet.starts(with: "OpusHead".utf8), packet.count >= 12 {
      return (48_000, packet[10..<12].littleEndian)
    }
    if packet.dropFirst().starts(with: "vorbis".utf8), packet.count >= 16 {
      return (packet[12..<16].littleEndian, 0)
    }
    if packet.starts(with: "Speex   ".utf8), packet.count >= 40 {
      return (packet[36..<40].littleEndian, 0)
    }
    guard packet.dropFirst().starts(with: "FLAC".utf8), packet.count >= 31 else { return nil }
    return (FLACStream.samplesPerSecond(packet[17...]), 0)
  }

  private static func nextPage(
    after position: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> Int64? {
    var position = position + 1
    while position < file.length {
      let bytes = try file.next(4096, at: position)
      if let found = bytes.firstRange(of: Array("OggS".utf8)) {
        return position + Int64(found.lowerBound - bytes.startIndex)
      }
      // The mark may cross the end of the searched bytes.
      guard bytes.count > 3 else { return nil }
      position += Int64(bytes.count - 3)
    }
    return nil
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.attoseconds / 1_000_000_000_000_000 }
}
