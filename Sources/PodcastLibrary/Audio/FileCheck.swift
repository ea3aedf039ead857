/// Judges by its first bytes whether a file can be an episode.
///
/// What is refused is a list (HTML, XML, JSON, plain text); everything else is kept, since formats
/// are many and media types are often wrong.
package enum FileCheck {
  /// The first bytes of a file that a final verdict may need.
  package static let windowSize = 4096

  /// What the first bytes say.
  package enum Verdict: Sendable, Hashable {
    /// Known media, or a document that podcasts carry; with its usual extension, without a dot.
    case media(fileExtension: String)
    /// Text, which is no episode whatever its type says.
    case text(TextKind)
    /// Nothing known and no text: kept under the extension that was announced.
    case unknown
    /// More bytes are needed; never said of a whole file or of ``FileCheck/windowSize`` bytes.
    case tooShort
  }

  /// What sort of text it is.
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
  ///   - start: the first bytes; those after ``windowSize`` are not looked at.
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
    guard isFinal else { return .tooShort }
    if let text = TextContent.utf8(bytes) { return .text(TextContent.kind(of: text)) }
    if let found = AudioSignature.fileExtension(ofFramesWithin: bytes, isWhole: isWhole) {
      return .media(fileExtension: found)
    }
    return .unknown
  }

  /// The extension that a file gets: the one its bytes call for, unless the announced one belongs
  /// to the same container and says more (an MP4 file may rightly be called `m4a`).
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
