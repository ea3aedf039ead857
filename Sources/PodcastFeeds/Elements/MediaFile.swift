internal import PodcastModel

/// A media file that an item offers, before one is chosen.
struct MediaFile {
  /// What offers it, the best first: an `enclosure` is the publisher's choice, and the others stand
  /// beside it.
  enum Origin: Int {
    case enclosure, mediaContent, alternate
  }

  var url: String
  var length: Int64?
  var mimeType: String?
  var origin: Origin
  /// Whether the publisher marks it as the default.
  var isDefault = false
  /// The playing time in seconds (`media:content`).
  var seconds: Int?

  /// The file of an item that is downloaded: enclosures before what stands beside them, audio before
  /// video before others, then the publisher's default, then the order of the feed.
  static func best(of files: [MediaFile]) -> MediaFile? {
    if files.count < 2 { return files.first }
    return files.enumerated().min { one, other in
      one.element.rank(at: one.offset) < other.element.rank(at: other.offset)
    }?.element
  }

  /// The file as an enclosure.
  var enclosure: Enclosure { Enclosure(url: url, length: length, mimeType: mimeType) }

  /// Whether it is audio or video, by its type or else by the extension in its address.
  var isPlayable: Bool { kind < 2 }

  private func rank(at place: Int) -> (Int, Int, Int, Int) {
    (origin.rawValue, kind, isDefault ? 0 : 1, place)
  }

  /// 0 for audio, 1 for video, 2 for anything else.
  private var kind: Int {
    let type = mimeType?.lowercased() ?? ""
    if type.hasPrefix("audio") || type.hasPrefix("x-audio") || type == "application/ogg" {
      return 0
    }
    if type.hasPrefix("video") { return 1 }
    let isVague = type.isEmpty || type.hasPrefix("application/octet") || type == "binary"
    guard isVague, let path = WebAddress(url)?.path, let dot = path.lastIndex(of: ".") else {
      return 2
    }
    switch path[dot...].dropFirst().lowercased() {
    case "mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "flac", "wav", "wma", "mp2": return 0
    case "mp4", "m4v", "mov", "webm", "mkv", "avi", "wmv", "ogv", "mpg", "mpeg": return 1
    default: return 2
    }
  }
}
