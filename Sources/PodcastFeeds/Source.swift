public import PodcastModel

/// A source that a user named for downloads.
public enum Source: Sendable, Hashable {
  /// A podcast of Apple's catalog; the country and one episode's track id if a link has them.
  case apple(id: Int64, country: String?, episode: Int64?)
  /// The address of a feed: `http` or `https`.
  case feed(url: String)
  /// A feed in a file.
  case file(path: String)
  /// Sources from standard input, one per line.
  case standardInput
  /// Anything else: perhaps the name of a subscription.
  case name(String)

  /// Parses a source as typed or pasted.
  ///
  /// Throws ``PodgetError/Code/notFound`` for an empty text, an impossible Apple id, a link to
  /// Apple's catalog that does not lead to a podcast, and an address with an unknown scheme.
  public static func parse(_ text: String) throws(PodgetError) -> Source {
    let text = text.trimmingWhitespace()
    if text.isEmpty { throw PodgetError(.notFound, "The name of a source is empty.") }
    if text == "-" { return .standardInput }
    if let id = try appleID(text) { return .apple(id: id, country: nil, episode: nil) }
    if isPath(text) { return .file(path: text) }
    if let link = PodcastLink(text) {
      if let service = ClosedService.of(link.url) { throw service.error }
      if let source = try link.appleSource { return source }
      return .feed(url: link.url)
    }
    if let service = ClosedService.of(text) { throw service.error }
    if let scheme = text.firstRange(of: "://") {
      if scheme.upperBound == text.endIndex {
        throw PodgetError(
          .notFound, "\"\(text)\" names no host: write an address such as https://host/feed.xml.")
      }
      throw PodgetError(
        .notFound,
        "\"\(AddressRedaction.withoutCredentials(text))\" cannot be read: podget does not know the "
          + "scheme \"\(text[..<scheme.lowerBound])\".")
    }
    return .name(text)
  }

  private static func appleID(_ text: String) throws(PodgetError) -> Int64? {
    let digits = text.lowercased().hasPrefix("id") ? text.dropFirst(2) : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    guard let id = Int64(digits), id > 0 else {
      throw PodgetError(.notFound, "Apple's catalog has no podcast with the id \(digits).")
    }
    return id
  }

  private static func isPath(_ text: String) -> Bool {
    if ["./", "../", "/", "~/"].contains(where: text.hasPrefix) { return true }
    guard !text.contains("://"), PodcastLink(text) == nil else { return false }
    let name = text.lowercased()
    return [".xml", ".rss", ".atom"].contains(where: name.hasSuffix)
  }
}

/// Services whose links people paste, and which offer no feeds.
private enum ClosedService: String {
  case spotify = "Spotify"
  case youTube = "YouTube"

  /// The service that a link leads to; nil for other links.
  static func of(_ link: String) -> ClosedService? {
    if link.lowercased().hasPrefix("spotify:") { return .spotify }
    switch WebAddress(link)?.host {
    case "open.spotify.com", "spotify.link": return .spotify
    case "youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "youtu.be":
      return .youTube
    default: return nil
    }
  }

  /// Why nothing is downloaded from there.
  var error: PodgetError {
    PodgetError(
      .notFound, "\(rawValue) offers no feeds of podcasts.", remedy: .search("TITLE"))
  }
}

extension PodgetError {
  /// The error for a text that means no podcast and no file.
  package static func unknownSource(_ text: String) -> PodgetError {
    let shown = AddressRedaction.shown(text)
    let remedy: Remedy
    if text.contains(where: \.isWhitespace) {
      remedy = .search(shown)
    } else if shown != text || text.prefix(while: { $0 != "/" }).contains(".") {
      remedy = .beginWithScheme
    } else if text.contains("/") {
      return PodgetError(.notFound, "There is no file \(shown).")
    } else {
      remedy = .search(shown)
    }
    return PodgetError(
      .notFound, "This is no subscription, id, link, feed address or file.", remedy: remedy)
  }
}
