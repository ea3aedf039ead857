/// The format of an image by its first bytes: what a server calls it does not matter.
package enum ImageFormat: Sendable, Hashable {
  case jpeg, png, webP

  /// How many bytes tell the format.
  private static let examined = 512

  /// Finds out the format.
  ///
  /// - Throws: an ``ImageRefusal`` for a format that is not decoded.
  package init(of bytes: UnsafeRawBufferPointer) throws(ImageRefusal) {
    guard !bytes.isEmpty else { throw .empty }
    let start = Array(bytes.prefix(Self.examined))
    func has(_ text: String, at place: Int = 0) -> Bool {
      start.dropFirst(place).starts(with: text.utf8)
    }
    if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webP
    } else if has("GIF8") {
      throw .gif
    } else if has("ftyp", at: 4) {
      throw .isoMedia
    } else if Self.isMarkup(start) {
      throw .markup
    } else {
      throw .unknownFormat
    }
  }

  /// Whether the first character is `<`, after white space and a byte order mark.
  private static func isMarkup(_ start: [UInt8]) -> Bool {
    let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start[...]
    return text.first { $0 != 0x20 && !(0x09...0x0D).contains($0) } == UInt8(ascii: "<")
  }
}
