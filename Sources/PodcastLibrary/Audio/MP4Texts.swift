import PodcastTransfer

/// The text metadata of an MP4 file, in `moov/udta/meta/ilst`.
enum MP4Texts {
  private static let longest = 4096

  /// Reads a file's texts.
  static func read(_ file: inout some AudioBytes) throws(DiskError) -> EpisodeTags {
    var tags = EpisodeTags()
    var range: (start: Int64, end: Int64) = (0, file.length)
    for wanted in ["moov", "udta", "meta", "ilst"] {
      guard let box = try find(wanted, in: range, &file) else { return tags }
      // The box meta has a version and flags before its content.
      range = (box.content + (wanted == "meta" ? 4 : 0), box.end)
    }
    var position = range.start
    while let item = try MP4Boxes.box(at: position, end: range.end, &file), item.end <= range.end {
      if let data = try find("data", in: (item.content, item.end), &file) {
        let size = min(data.end - data.content - 8, Int64(longest))
        let bytes = try file.look(Int(max(0, size)), at: data.content + 8)
        let text = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
        // The sign © is not UTF-8 here, so only the rest can be compared.
        switch item.type.suffix(3) {
        case "nam": tags.title = text
        case "alb": tags.album = text
        case "day": tags.date = text
        default: if item.type == "egid" { tags.guid = text }
        }
      }
      position = item.end
    }
    return tags
  }

  private static func find(
    _ type: String, in range: (start: Int64, end: Int64), _ file: inout some AudioBytes
  ) throws(DiskError) -> MP4Boxes.Box? {
    var position = range.start
    while let box = try MP4Boxes.box(at: position, end: range.end, &file), box.end <= range.end {
      if box.type == type { return box }
      position = box.end
    }
    return nil
  }
}
