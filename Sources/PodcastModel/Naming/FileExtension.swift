/// The extension that an enclosure announces, before its bytes are known.
package enum FileExtension {
  /// The announced extension: lower-case ASCII letters and digits, without a dot; never empty.
  ///
  /// The first of these is used: the directory's; the address's, if it is one of a media file; the
  /// media type's; the address's, unless it is one of a page or script; `mp3`.
  package static func announced(for enclosure: Enclosure) -> String {
    if let announced = enclosure.fileExtension.flatMap(sanitized) { return announced }
    let fromAddress = pathExtension(of: enclosure.url)
    if let fromAddress, media.contains(fromAddress) { return fromAddress }
    if let fromType = enclosure.mimeType.flatMap(forMediaType) { return fromType }
    if let fromAddress, !pages.contains(fromAddress) { return fromAddress }
    return "mp3"
  }

  /// The extension without a leading dot, in lower case; nil unless it is one to eight ASCII
  /// letters and digits with at least one letter.
  package static func sanitized(_ text: String) -> String? {
    let bare = (text.hasPrefix(".") ? text.dropFirst() : text[...]).lowercased()
    guard (1...8).contains(bare.utf8.count), bare.utf8.allSatisfy(isLetterOrDigit),
      bare.utf8.contains(where: { $0 >= UInt8(ascii: "a") })
    else { return nil }
    return bare
  }

  /// The extension of a media type; its parameters and its case are ignored.
  package static func forMediaType(_ type: String) -> String? {
    let essence = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    return mediaTypes[essence]
  }

  /// The media type of files with an extension, as podcast programs and browsers know it; nil for an
  /// extension that is none of a media file.
  package static func mediaType(of fileExtension: String) -> String? {
    typesOfExtensions[fileExtension]
  }
}

extension FileExtension {
  /// Whether it is the extension of audio or video files, with or without its dot.
  package static func isAudioOrVideo(_ text: String) -> Bool {
    sanitized(text).map { media.contains($0) && !["pdf", "epub", "zip"].contains($0) } ?? false
  }

  private static func pathExtension(of url: String) -> String? {
    var path = url.prefix { $0 != "?" && $0 != "#" }
    if let scheme = path.firstRange(of: "://") { path = path[scheme.upperBound...] }
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let name = path[path.index(after: slash)...]
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return sanitized(String(name[name.index(after: dot)...]))
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }

  private static let media: Set<String> = [
    "mp3", "m4a", "m4b", "m4v", "mp4", "mov", "aac", "ogg", "oga", "ogv", "opus", "spx", "flac",
    "wav", "aif", "aiff", "wma", "wmv", "asf", "mkv", "mka", "webm", "avi", "flv", "mpg", "mpeg",
    "mp2", "ts", "3gp", "3g2", "amr", "caf", "ape", "wv", "pdf", "epub", "zip",
  ]

  private static let pages: Set<String> = [
    "php", "asp", "aspx", "ashx", "jsp", "cgi", "pl", "do", "html", "htm", "xml", "rss", "json",
  ]

  private static let mediaTypes: [String: String] = [
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/x-mp3": "mp3", "x-audio/mp3": "mp3",
    "audio/mpeg3": "mp3", "audio/x-mpeg": "mp3", "audio/mpg": "mp3", "audio/x-mpg": "mp3",
    "audio/mp4": "m4a", "audio/m4a": "m4a", "audio/x-m4a": "m4a", "audio/x-m4b": "m4b",
    "audio/aac": "aac", "audio/x-aac": "aac", "audio/aacp": "aac", "audio/ogg": "ogg",
    "application/ogg": "ogg", "audio/vorbis": "ogg", "audio/opus": "opus", "audio/flac": "flac",
    "audio/x-flac": "flac", "audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav",
    "audio/vnd.wave": "wav", "audio/aiff": "aiff", "audio/x-aiff": "aiff",
    "audio/x-ms-wma": "wma", "audio/webm": "webm", "audio/amr": "amr", "video/mp4": "mp4",
    "video/x-mp4": "mp4", "video/m4v": "m4v", "video/x-m4v": "m4v", "video/quicktime": "mov",
    "video/webm": "webm", "video/x-matroska": "mkv", "audio/x-matroska": "mka",
    "video/x-msvideo": "avi", "video/mpeg": "mpg", "video/x-flv": "flv", "video/x-ms-wmv": "wmv",
    "video/3gpp": "3gp", "application/pdf": "pdf", "application/epub+zip": "epub",
    "application/zip": "zip",
  ]

  private static let typesOfExtensions: [String: String] = [
    "mp3": "audio/mpeg", "mp2": "audio/mpeg", "m4a": "audio/x-m4a", "m4b": "audio/mp4",
    "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg",
    "spx": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "aif": "audio/aiff",
    "aiff": "audio/aiff", "wma": "audio/x-ms-wma", "mka": "audio/x-matroska", "amr": "audio/amr",
    "caf": "audio/x-caf", "mp4": "video/mp4", "m4v": "video/x-m4v", "mov": "video/quicktime",
    "webm": "video/webm", "mkv": "video/x-matroska", "avi": "video/x-msvideo", "mpg": "video/mpeg",
    "mpeg": "video/mpeg", "ogv": "video/ogg", "wmv": "video/x-ms-wmv", "flv": "video/x-flv",
    "3gp": "video/3gpp", "3g2": "video/3gpp2", "ts": "video/mp2t", "pdf": "application/pdf",
    "epub": "application/epub+zip", "zip": "application/zip",
  ]
}
