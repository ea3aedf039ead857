internal import PodcastModel

/// The address below which a published folder is served: http or https, ASCII, and ending with a slash.
package struct PublicationBase: Sendable, Hashable {
  /// The longest address in bytes: names below it have room in any address.
  static let maximumBytes = 1024

  /// The address, with a slash at its end.
  package let text: String

  /// Checks an address; nil for one that cannot have names below it. What is not ASCII in its path is
  /// percent-encoded. A user name or a password would be in every address of the feeds, so that neither
  /// is accepted.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes, let feed = FeedURL(text),
      let parts = feed.parts, parts.userinfo == nil,
      parts.port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      !text.utf8.contains(UInt8(ascii: "?")), !text.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    guard ["http://", "https://"].contains(where: text.lowercased().hasPrefix) else { return nil }
    let address = Self.encoded(WebAddress.forRequest(text))
    guard address.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.text = address.hasSuffix("/") ? address : "\(address)/"
  }

  /// The address with characters encoded that servers take and no address may have.
  private static func encoded(_ address: String) -> String {
    let bytes = address.utf8.flatMap { byte in
      "\"<>\\^`{|}".utf8.contains(byte) ? Array(PercentEncoding.encoded(byte).utf8) : [byte]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The address of something below it; the path has only characters that stay as they are.
  package func address(of path: String) -> String { text + path }
}
