import PodcastModel

/// A link to a podcast as people paste it, turned into a web address.
struct PodcastLink: Sendable, Hashable {
  /// The `http` or `https` address.
  let url: String

  private let address: WebAddress

  /// Accepts web addresses, addresses with a scheme of podcast players (`feed:`, `pcast:`, `itpc:`,
  /// `podcast:`, `itms:` and such, before a host or a complete address), and Apple's links without
  /// any scheme. Nil for anything else.
  init?(_ text: String) {
    var rest = text[...]
    var isLink = false
    while let prefix = Self.prefix(of: rest) {
      rest = rest.dropFirst(prefix.count)
      isLink = true
    }
    if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
    let lowered = rest.prefix(8).lowercased()
    let url =
      lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
      ? String(rest) : "http://\(rest)"
    guard let address = WebAddress(url), address.isHTTP else { return nil }
    guard isLink || url.utf8.count == rest.utf8.count || Self.appleHosts.contains(address.host)
    else { return nil }
    self.url = url
    self.address = address
  }

  /// The podcast of Apple's catalog that the link leads to; nil when it leads elsewhere. Throws
  /// when it leads to Apple's catalog, but not to a podcast.
  var appleSource: Source? {
    get throws(PodgetError) {
      let parts = address.path.split(separator: "/")
      guard Self.appleHosts.contains(address.host) else {
        return otherAppsID(parts).map { .apple(id: $0, country: nil, episode: nil) }
      }
      let country = parts.first.flatMap(Self.country)
      let place = country == nil ? parts[...] : parts.dropFirst()
      guard let id = podcastID(place) else {
        let shown = AddressRedaction.withoutCredentials(url)
        throw PodgetError(
          .notFound, "The link \(shown) does not lead to a podcast; paste the show's link.")
      }
      return .apple(
        id: id, country: country ?? address.parameter("country").flatMap(Self.country),
        episode: address.parameter("i").flatMap(Self.number))
    }
  }
}

extension PodcastLink {
  private static let appleHosts: Set<String> = [
    "podcasts.apple.com", "embed.podcasts.apple.com", "geo.podcasts.apple.com",
    "itunes.apple.com", "geo.itunes.apple.com", "phobos.apple.com", "itunes.com",
    "www.itunes.com",
  ]

  private static let schemes = [
    "feed:", "pcast:", "itpc:", "podcast:", "podcasts:", "itms:", "itmss:", "itms-podcast:",
    "itms-podcasts:",
  ]

  private static func prefix(of text: Substring) -> String? {
    let start = text.prefix(16).lowercased()
    guard let scheme = schemes.first(where: start.hasPrefix) else { return nil }
    return start.hasPrefix(scheme + "//") ? scheme + "//" : scheme
  }

  /// The id in a path below the country, or in the query of the old addresses.
  private func podcastID(_ place: ArraySlice<Substring>) -> Int64? {
    guard let kind = place.first else { return nil }
    switch kind.lowercased() {
    case "podcast", "itunes-u":
      return place.dropFirst().compactMap(Self.prefixedNumber).last
    case "lookup", "webobjects":
      return address.parameter("id").flatMap(Self.number)
    default:
      return Self.prefixedNumber(kind)
    }
  }

  /// The Apple id in links of other players.
  private func otherAppsID(_ parts: [Substring]) -> Int64? {
    guard let first = parts.first?.lowercased() else { return nil }
    switch address.host {
    case "pca.st", "castro.fm":
      return first == "itunes" && parts.count > 1 ? Self.number(parts[1]) : nil
    case "overcast.fm", "www.overcast.fm":
      return first.hasPrefix("itunes") ? Self.number(first.dropFirst(6)) : nil
    default:
      return nil
    }
  }

  private static func country(_ text: Substring) -> String? {
    let code = text.lowercased()
    let isCode = code.utf8.count == 2 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    return isCode ? code : nil
  }

  private static func prefixedNumber(_ text: Substring) -> Int64? {
    text.lowercased().hasPrefix("id") ? number(text.dropFirst(2)) : nil
  }

  private static func number(_ text: Substring) -> Int64? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
      number > 0
    else { return nil }
    return number
  }
}
