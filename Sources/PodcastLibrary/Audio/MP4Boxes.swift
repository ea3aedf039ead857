import PodcastTransfer

/// Reads through the boxes of an MP4 file (ISO/IEC 14496-12): whether their sizes are consistent,
/// whether the index is there, and whether the data that it points to is.
enum MP4Boxes {
  /// A box's position in the file.
  struct Box {
    var type: String
    var content: Int64
    var end: Int64
    /// Whether it has no size of its own and ends with the file.
    var isOpenEnded = false
  }

  private struct Contents {
    var hasIndex = false
    var hasMedia = false
    /// Whether the media is in fragments, each with an index of its own.
    var isFragmented = false
    /// Whether the last box shows that nothing is missing behind it.
    var hasMarkedEnd = true
    var duration: Duration?
    /// The farthest position at which media begins, by the index.
    var farthestChunk: Int64 = 0
  }

  /// The boxes that contain the boxes of interest.
  private static let parents: Set<String> = ["moov", "trak", "mdia", "minf", "stbl"]

  /// Reads through a file.
  static func walk(_ file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    var found = Contents()
    var position: Int64 = 0
    while let box = try box(at: position, end: file.length, &file) {
      if box.type == "mdat" { found.hasMedia = true }
      if box.type == "moof" { found.isFragmented = true }
      // After the last fragment, the index of all fragments may follow.
      found.hasMarkedEnd =
        !box.isOpenEnded && (!found.isFragmented || box.type == "mfra")
      if box.end > file.length {
        return AudioStructure(
          ending: .cut(
            "Its part \(box.type) is \(box.end - file.length) bytes longer than the file."),
          duration: found.duration)
      }
      if box.type == "moov" {
        found.hasIndex = true
        try descend(box, depth: 0, &found, &file)
      }
      position = box.end
    }
    guard found.hasIndex else {
      let isMedia = found.hasMedia
      return AudioStructure(ending: isMedia ? .cut("Its index (moov) is missing.") : .unknown)
    }
    guard found.farthestChunk < file.length else {
      return AudioStructure(
        ending: .cut("Its index points past the end of the file."), duration: found.duration)
    }
    let hasChunks = found.hasMedia && found.farthestChunk > 0
    let isMarked = found.hasMarkedEnd && (hasChunks || found.isFragmented)
    return AudioStructure(ending: isMarked ? .whole : .unmarked, duration: found.duration)
  }

  /// The box that begins at a position; nil if there is none, as in junk after the last one.
  static func box(
    at position: Int64, end: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> Box? {
    guard position < end, end - position >= 8 else { return nil }
    let bytes = Array(try file.look(16, at: position))
    guard bytes.count >= 8, bytes[4..<8].allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0xA9 })
    else { return nil }
    let type = String(decoding: bytes[4..<8], as: UTF8.self)
    switch bytes[..<4].bigEndian {
    case 0: return Box(type: type, content: position + 8, end: end, isOpenEnded: true)
    case 1:
      guard bytes.count == 16 else { return nil }
      let size = bytes[8..<16].bigEndian
      guard size >= 16, size < .max - position else { return nil }
      return Box(type: type, content: position + 16, end: position + size)
    case let size where size >= 8:
      return Box(type: type, content: position + 8, end: position + size)
    default: return nil
    }
  }

  private static func descend(
    _ parent: Box, depth: Int, _ found: inout Contents, _ file: inout some AudioBytes
  ) throws(DiskError) {
    var position = parent.content
    while let box = try box(at: position, end: parent.end, &file), box.end <= parent.end {
      switch box.type {
      case "mvhd": found.duration = try duration(box, &file)
      case "stco", "co64":
        try chunks(of: box, &file) { found.farthestChunk = max(found.farthestChunk, $0) }
      case let type where parents.contains(type) && depth < 8:
        try descend(box, depth: depth + 1, &found, &file)
      default: break
      }
      position = box.end
    }
  }

  /// The duration in the movie header, whose version 1 has longer fields.
  private static func duration(
    _ box: Box, _ file: inout some AudioBytes
  ) throws(DiskError) -> Duration? {
    let bytes = Array(try file.look(32, at: box.content))
    guard bytes.count == 32 else { return nil }
    let isLong = bytes[0] == 1
    let scale = isLong ? bytes[20..<24] : bytes[12..<16]
    let units = isLong ? bytes[24..<32] : bytes[16..<20]
    // All ones mean that the duration is unknown.
    guard !units.allSatisfy({ $0 == 0xFF }) else { return nil }
    return AudioStructure.duration(samples: units.bigEndian, perSecond: scale.bigEndian)
  }

  /// Passes on where chunks begin, as a box of the type `stco` or `co64` lists it (ISO/IEC 14496-12,
  /// 8.7.5), as far as the file can be read.
  static func chunks(
    of box: Box, _ file: inout some AudioBytes, note: (Int64) -> Void
  ) throws(DiskError) {
    let size = box.type == "co64" ? 8 : 4
    var position = box.content + 8
    while position < box.end {
      let wanted = Int(min(64 * 1024, box.end - position))
      let bytes = Array(try file.look(wanted, at: position))
      guard bytes.count == wanted else { return }
      for start in stride(from: 0, through: bytes.count - size, by: size) {
        note(bytes[start..<(start + size)].bigEndian)
      }
      position += Int64(wanted)
    }
  }
}
