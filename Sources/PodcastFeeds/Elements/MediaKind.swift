/// What a media file is, by its announced type and its address.
///
/// Types are often missing, vague or wrong: `application/octet-stream`, or that of an image with the
/// address of an episode. Then the extension in the address decides.
enum MediaKind: Int {
  case audio, video
  /// Neither the type nor the address says what it is. Most are audio.
  case unknown
  /// A document, a page, an archive; or audio whose address is that of an image.
  case other
  /// Never an episode.
  case image

  /// Whether it is certainly audio or video.
  var isPlayable: Bool { self == .audio || self == .video }
  /// Whether it is certainly neither.
  var isOther: Bool { self == .other || self == .image }

  /// Decides.
  ///
  /// - Parameters:
  ///   - type: the announced media type, or only a class such as `audio`; nil when there is none.
  ///   - address: the address as published; it may be relative.
  init(type: String?, address: some BidirectionalCollection<UInt8>) {
    let ending = Self.ending(of: address)
    let named = type.map(Self.named) ?? .unknown
    switch (named, ending) {
    case (.audio, .image), (.video, .image): self = .other
    case (.audio, _), (.video, _): self = named
    case (_, .unknown): self = named
    case (.unknown, _), (_, .audio), (_, .video): self = ending
    default: self = named
    }
  }

  private static func named(_ type: String) -> MediaKind {
    // As nearly all feeds write it.
    if type.utf8.starts(with: "audio".utf8) { return .audio }
    let type = type.lowercased()
    if type.hasPrefix("audio") || type.hasPrefix("x-audio") || type.hasPrefix("application/ogg") {
      return .audio
    }
    if type.hasPrefix("video") { return .video }
    if type.hasPrefix("image") { return .image }
    let isVague =
      !type.utf8.contains(UInt8(ascii: "/")) && type != "document" && type != "executable"
      || type.hasPrefix("application/octet") || type.hasPrefix("binary/")
      || type.hasPrefix("application/force-download") || type.hasPrefix("application/x-download")
      || type.hasPrefix("application/download") || type.hasPrefix("application/mp4")
    return isVague ? .unknown : .other
  }

  /// What the extension in an address says.
  private static func ending(of address: some BidirectionalCollection<UInt8>) -> MediaKind {
    let path = address.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    var end = path.endIndex
    while end > path.startIndex, MarkupTag.isSpace(path[path.index(before: end)]) {
      end = path.index(before: end)
    }
    // The letters as one number, the first one lowest.
    var name: UInt64 = 0
    for _ in 0..<6 where end > path.startIndex {
      end = path.index(before: end)
      let byte = path[end]
      if byte == UInt8(ascii: ".") { return extensions[name] ?? .unknown }
      name = name << 8 | UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
    }
    return .unknown
  }

  /// What the names of extensions say. A name is its bytes, the first one lowest.
  private static let extensions: [UInt64: MediaKind] = {
    let kinds: [(MediaKind, String)] = [
      (.audio, "mp3 m4a m4b aac ogg oga opus flac wav wma mp2"),
      (.video, "mp4 m4v mov webm mkv avi wmv ogv mpg mpeg"),
      (.image, "jpg jpeg jpe png gif webp bmp svg avif heic heif ico tif tiff"),
    ]
    var table: [UInt64: MediaKind] = [:]
    for (kind, names) in kinds {
      for name in names.split(separator: " ") {
        table[name.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }] = kind
      }
    }
    return table
  }()
}
