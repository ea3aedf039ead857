/// Which file of an episode is wanted, if its feed offers several (`podcast:alternateEnclosure`,
/// `media:content`).
public enum MediaPreference: Sendable, Hashable {
  /// The shortest file.
  case smallest
  /// The longest file: the one with the most bytes for the same time.
  case best
  /// A media type, such as `audio/opus`, or a word of one, such as `opus` or `video`; in lower case.
  case type(String)

  /// Reads a preference as a user writes it; nil for a text that is none.
  public init?(_ text: String) {
    let text = text.lowercased()
    switch text {
    case "smallest": self = .smallest
    case "best": self = .best
    default:
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      let isType =
        parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isWord) }
      guard isType, text.utf8.count <= 128 else { return nil }
      self = .type(text)
    }
  }

  /// The preference as a user writes it.
  public var text: String {
    switch self {
    case .smallest: "smallest"
    case .best: "best"
    case .type(let type): type
    }
  }

  /// Whether a file is of the wanted type, by its announced type or else by its address.
  ///
  /// - Parameters:
  ///   - mimeType: the announced media type, perhaps with codecs.
  ///   - url: the address.
  package func accepts(mimeType: String?, url: String) -> Bool {
    guard case .type(let wanted) = self else { return true }
    let type = mimeType?.lowercased() ?? ""
    if wanted.contains("/") { return type.prefix { $0 != ";" }.trimmingWhitespace() == wanted }
    let words = type.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let announced = FileExtension.announced(for: Enclosure(url: url, mimeType: mimeType))
    return announced == wanted || words.contains { $0 == wanted }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "+"): true
    default: false
    }
  }
}
