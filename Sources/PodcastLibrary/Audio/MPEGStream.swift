import PodcastTransfer

/// Reads through MPEG audio as it is published: with tags and junk between the frames, joined from
/// parts of different rates, and often with an incomplete last frame.
enum MPEGStream {
  /// What was found so far.
  private struct Passage {
    var frames: Int64 = 0
    var seconds = 0.0
    var junk: Int64 = 0
    /// The number of frames by the encoder (the Xing, Info or VBRI header in the first frame).
    var announced: Int64?
    var position: Int64 = 0
    /// What the last bytes are the beginning of, if it is recognized without its header.
    var cutPart: String?
  }

  /// Reads through a file.
  static func walk(_ file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    let end = try TrailingTag.audioEnd(of: &file)
    var passage = Passage()
    while let tag = ID3Tag.length(try file.look(10, at: passage.position)) {
      passage.position += Int64(tag)
    }
    guard passage.position < file.length else {
      let isCut = passage.position > file.length
      return AudioStructure(ending: isCut ? .cut("It ends within its first tag.") : .unknown)
    }
    try pass(&passage, to: end, in: &file)
    guard passage.frames >= 2, passage.junk < file.length / 2 else { return AudioStructure() }
    let duration = Duration.milliseconds(Int64(passage.seconds * 1000))
    return AudioStructure(
      ending: ending(passage, end: end, length: file.length), duration: duration)
  }

  private static func ending(
    _ passage: Passage, end: Int64, length: Int64
  ) -> AudioStructure.Ending {
    // A program that wrote a tag behind the audio had reached its end.
    guard end == length else { return .whole }
    let isCut = passage.position > end || passage.cutPart != nil
    let announced = passage.announced ?? 0
    let lacks = announced - passage.frames > max(2, announced / 1000)
    switch (isCut, lacks) {
    case (true, true):
      return .cut("It has \(passage.frames) of the \(announced) frames that it announces.")
    case (true, false): return .open("Its last \(passage.cutPart ?? "frame") is cut.")
    case (false, true):
      return .open("It has \(passage.frames) of the \(announced) frames that it announces.")
    // Joined files keep the count of their first part, which says nothing about the others.
    case (false, false):
      let isAsAnnounced = announced > 0 && (-2...2).contains(announced - passage.frames)
      return isAsAnnounced ? .whole : .unmarked
    }
  }

  private static func pass(
    _ passage: inout Passage, to end: Int64, in file: inout some AudioBytes
  ) throws(DiskError) {
    var stream: MPEGFrameHeader?
    while passage.position < end {
      let bytes = try file.next(10, at: passage.position)
      if let frame = MPEGFrameHeader(bytes) {
        var isAudio = stream.map { frame.isSameStream(as: $0) } ?? false
        if !isAudio { isAudio = try isFollowed(frame, at: passage.position, end: end, &file) }
        if isAudio {
          if stream == nil, let count = try announced(frame, at: passage.position, &file) {
            // The frame with the count is silent and not counted.
            passage.announced = count
          } else {
            passage.frames += 1
            passage.seconds += Double(frame.samples) / Double(frame.samplesPerSecond)
          }
          stream = frame
          passage.position += Int64(frame.length)
          continue
        }
      } else if let tag = ID3Tag.length(bytes) {
        passage.position += Int64(tag)
        continue
      }
      if let part = try cutPart(at: passage.position, end: end, &file) {
        passage.cutPart = part
        break
      }
      let next = try resynchronized(after: passage.position, end: end, &file)
      passage.junk += next - passage.position
      passage.position = next
    }
  }

  /// What begins at a position and is cut within its header, or within a tag behind the audio.
  private static func cutPart(
    at position: Int64, end: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> String? {
    let rest = end - position
    // The longest tag that has no length at its beginning (Lyrics3).
    guard rest < 6000 else { return nil }
    let bytes = try file.look(Int(min(rest, 32)), at: position)
    if rest < 4, bytes.first == 0xFF { return "frame" }
    return CutTag.isBeginning(bytes, rest: rest) ? "tag" : nil
  }

  /// Whether another frame of the same kind follows, or the end.
  private static func isFollowed(
    _ frame: MPEGFrameHeader, at position: Int64, end: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> Bool {
    let next = position + Int64(frame.length)
    if next == end { return true }
    guard let other = MPEGFrameHeader(try file.look(4, at: next)) else { return false }
    return other.isSameStream(as: frame)
  }

  /// Where the next two consecutive frames begin; the end when there are none.
  private static func resynchronized(
    after position: Int64, end: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> Int64 {
    var position = position + 1
    while position < end {
      let bytes = try file.next(4096, at: position)
      guard !bytes.isEmpty else { break }
      // A tag between two parts begins with an I.
      guard let found = bytes.firstIndex(where: { $0 == 0xFF || $0 == UInt8(ascii: "I") }) else {
        position += Int64(bytes.count)
        continue
      }
      position += Int64(found - bytes.startIndex)
      let start = try file.next(10, at: position)
      if ID3Tag.length(start) != nil { return position }
      if let frame = MPEGFrameHeader(start),
        try isFollowed(frame, at: position, end: end, &file)
      {
        return position
      }
      position += 1
    }
    return end
  }

  /// The number of frames that the encoder wrote into the first one; nil without it.
  private static func announced(
    _ frame: MPEGFrameHeader, at position: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> Int64? {
    let bytes = Array(try file.look(min(frame.length, 64), at: position))
    // After the side information, whose length is one of these.
    for offset in [36, 21, 13] where bytes.count >= offset + 12 {
      let name = bytes[offset..<(offset + 4)]
      guard name.elementsEqual("Xing".utf8) || name.elementsEqual("Info".utf8) else { continue }
      let hasCount = bytes[offset + 7] & 1 != 0
      return hasCount ? bytes[(offset + 8)..<(offset + 12)].bigEndian : 0
    }
    guard bytes.count >= 54, bytes[36..<40].elementsEqual("VBRI".utf8) else { return nil }
    return bytes[50..<54].bigEndian
  }
}
