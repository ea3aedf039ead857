import PodcastTransfer

/// The media of an MP4 file (ISO/IEC 14496-12): the contents of its `mdat` boxes, and where in them the
/// index says that chunks begin.
enum MP4Audio {
  private static let parents: Set<String> = [
    "moov", "trak", "mdia", "minf", "stbl", "moof", "traf",
  ]
  /// More boxes than these at the top are not looked at: files of many hours in fragments have fewer.
  private static let mostBoxes = 1 << 20
  private static let deepest = 8

  /// Adds the media of a file; false if it has none, or no index of it.
  static func add(
    _ file: inout some AudioBytes, to digest: inout SHA2Digest
  ) throws(DiskError) -> Bool {
    var bounded = BoundedLooks(file, limit: mostBoxes)
    defer { file = bounded.file }
    var boxes: [MP4Boxes.Box] = []
    var position: Int64 = 0
    while let box = try MP4Boxes.box(at: position, end: file.length, &bounded),
      box.end <= file.length
    {
      if ["mdat", "moov", "moof"].contains(box.type) { boxes.append(box) }
      position = box.end
    }
    let media = boxes.filter { $0.type == "mdat" }.map { $0.content..<$0.end }
    guard !media.isEmpty, boxes.contains(where: { $0.type == "moov" }) else { return false }
    for box in boxes where box.type != "mdat" {
      try descend(box, depth: 0, media, &bounded, &digest)
    }
    for range in media {
      digest.add(range.upperBound - range.lowerBound)
      guard try AudioDigest.add(range, of: &bounded, to: &digest) else { return false }
    }
    return true
  }

  private static func descend(
    _ parent: MP4Boxes.Box, depth: Int, _ media: [Range<Int64>], _ file: inout some AudioBytes,
    _ digest: inout SHA2Digest
  ) throws(DiskError) {
    var position = parent.content
    while let box = try MP4Boxes.box(at: position, end: parent.end, &file), box.end <= parent.end {
      switch box.type {
      case "stco", "co64":
        // Counted from the media that they are in.
        try MP4Boxes.chunks(of: box, &file) { offset in
          let place = place(of: offset, in: media)
          digest.add(Int64(place))
          digest.add(place < media.count ? offset - media[place].lowerBound : 0)
        }
      case "tfhd": try addBase(box, &file, &digest)
      case let type where parents.contains(type) && depth < deepest:
        try descend(box, depth: depth + 1, media, &file, &digest)
      default: break
      }
      position = box.end
    }
  }

  /// Adds the base of a fragment's offsets, counted from the fragment.
  private static func addBase(
    _ box: MP4Boxes.Box, _ file: inout some AudioBytes, _ digest: inout SHA2Digest
  ) throws(DiskError) {
    let bytes = Array(try file.look(16, at: box.content))
    guard bytes.count == 16, bytes[3] & 1 != 0 else { return }
    let (distance, overflows) = bytes[8..<16].bigEndian.subtractingReportingOverflow(box.content)
    digest.add(overflows ? 0 : distance)
  }

  /// The number of the range that has an offset; the ranges are in order. Their count if none has it.
  private static func place(of offset: Int64, in ranges: [Range<Int64>]) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(offset) ? low : ranges.count
  }
}
