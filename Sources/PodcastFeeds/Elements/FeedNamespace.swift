internal import PodcastModel

/// The vocabularies of feeds, by the prefixes that they usually have.
enum FeedNamespace {
  /// The usual prefix of an element's vocabulary: empty for those of RSS, nil for one that says nothing
  /// here.
  ///
  /// The namespace decides, compared without case, scheme and a slash at its end (publishers write it
  /// in many ways); where it is unknown or missing, a usual prefix counts by itself. An element without a
  /// prefix in an unknown namespace is taken for one of RSS.
  static func usualPrefix(namespace: String?, prefix: String?) -> String? {
    if let namespace, let known = prefixes[comparable(namespace)] { return known }
    guard let prefix = prefix?.lowercased() else { return "" }
    return usual.contains(prefix) ? prefix : nil
  }

  private static func comparable(_ namespace: String) -> String {
    var text = namespace.trimmingWhitespace().lowercased()[...]
    if let scheme = text.firstRange(of: "://") { text = text[scheme.upperBound...] }
    while text.last == "/" { text.removeLast() }
    return String(text)
  }

  private static let prefixes: [String: String] = [
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "podcastindex.org/namespace/1.0": "podcast",
    "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
    "search.yahoo.com/mrss": "media",
    "www.rssboard.org/media-rss": "media",
    "purl.org/rss/1.0/modules/content": "content",
    "www.w3.org/2005/atom": "atom",
    "purl.org/atom/ns#": "atom",
    "purl.org/dc/elements/1.1": "dc",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "www.google.com/schemas/play-podcasts/1.0": "googleplay",
    "www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "purl.oclc.org/net/rss_2.0/enc#": "enc",
    "podlove.org/simple-chapters": "psc",
    "purl.org/rss/1.0": "",
    "my.netscape.com/rdf/simple/0.9": "",
    "channel.netscape.com/rdf/simple/0.9": "",
    "backend.userland.com/rss2": "",
    "www.w3.org/1999/xhtml": "xhtml",
  ]

  private static let usual: Set<String> = [
    "itunes", "podcast", "media", "content", "atom", "dc", "enc", "feedburner", "googleplay",
    "psc", "rdf",
  ]
}
