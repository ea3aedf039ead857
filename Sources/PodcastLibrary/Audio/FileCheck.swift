/// Decides by its first bytes whether a file can be an episode.
///
/// Only some types are refused (HTML, XML, JSON, plain text). Everything else is kept, because
/// there are many formats and media types are often wrong.
package enum FileCheck {
  /// The number of first bytes that a final verdict may need.
  package static let windowSize = 4096

  /// The verdict on the first bytes.
  package enum Verdict: Sendable, Hashable {
    /// Known media, or a document that podcasts contain; with its usual extension, without a dot.
    case media(fileExtension: String)
    /// Text, which is never an episode, whatever its media type.
    case text(TextKind)
    /// Unknown, but not text: kept with the announced extension.
    case unknown
    /// More bytes are needed; never returned for a complete file or for ``FileCheck/windowSize``
    /// bytes.
    case tooShort
  }

  /// The kind of text.
  package enum TextKind: String, Sendable, Hashable, CaseIterable {
    /// A web page, such as an error page or a portal's login.
    case html
    /// XML, such as a cloud store's error or a feed.
    case xml
    /// JSON, such as an interface's error.
    case json
    /// Any other text.
    case plain
  }

  /// The verdict on the beginning of a file.
  ///
  /// - Parameters:
  ///   - start: the first bytes; those after ``windowSize`` are ignored.
  ///   - isWhole: whether they are all the bytes of the file.
  package static func verdict(start: [UInt8], isWhole: Bool) -> Verdict {
    let window = start.prefix(windowSize)
    let isFinal = isWhole || window.count == windowSize
    let bytes = window.count == start.count ? start : Array(window)
    if let text = TextContent.utf16(bytes) {
      // FF FE is the mark of UTF-16 far more often than the header of an MPEG layer I frame.
      return isFinal ? .text(TextContent.kind(of: text)) : .tooShort
    }
    if let found = AudioSignature.fileExtension(of: bytes) { return .media(fileExtension: found) }
    if let kind = TextContent.markup(bytes) { return .text(kind) }
    // A player would play what it names, whatever follows.
    if TextContent.isPlaylist(bytes) { return .text(.plain) }
    guard isFinal else { return .tooShort }
    if let text = TextContent.utf8(bytes) { return .text(TextContent.kind(of: text)) }
    if let found = AudioSignature.fileExtension(ofFramesWithin: bytes, isWhole: isWhole) {
      return .media(fileExtension: found)
    }
    return .unknown
  }

  /// Whether a file begins as known media do at their first byte. That is stricter than
  /// ``verdict(start:isWhole:)``, which also finds frames behind something else.
  package static func isKnownMedia(start: [UInt8]) -> Bool {
    let window = start.count > windowSize ? Array(start.prefix(windowSize)) : start
    return TextContent.utf16(window) == nil && AudioSignature.fileExtension(of: window) != nil
  }

  /// The extension that a file gets: the one for its bytes, unless the announced one belongs to the
  /// same container and is more precise (an MP4 file may correctly be called `m4a`).
  package static func fileExtension(found: String, announced: String) -> String {
    let isFamily = families.contains { $0.contains(found) && $0.contains(announced) }
    return isFamily ? announced : found
  }
}

extension FileCheck {
  private static let families: [Set<String>] = [
    ["mp4", "m4a", "m4b", "m4v", "mov", "3gp", "3g2", "m4r", "m4p", "qt"],
    ["ogg", "oga", "ogv", "ogx", "opus", "spx"],
    ["mkv", "mka", "webm", "weba", "mk3d"],
    ["wma", "wmv", "asf"],
    ["mp3", "mp2", "mp1", "mpga"],
    ["aif", "aiff", "aifc"],
    ["mpg", "mpeg", "vob"],
    ["ts", "m2ts", "mts"],
    ["wav", "wave", "bwf", "rf64"],
    ["zip", "epub", "cbz"],
  ]
}
