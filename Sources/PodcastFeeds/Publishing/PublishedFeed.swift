internal import PodcastModel

extension PublishedPodcast {
  /// The name of the feed in the podcast's folder.
  package static let feedName = "feed.xml"
  /// The name of the page in the podcast's folder, and of that of all podcasts.
  package static let pageName = "index.html"

  /// The path of a file of the podcast below the base.
  package func path(_ file: String) -> String { "\(name.text)/\(file)" }

  /// The feed: RSS 2.0 with the namespaces of itunes and podcast.
  ///
  /// It says what the library knows and nothing else, so neither a language nor a category. It has no
  /// time of writing: equal episodes give equal bytes.
  ///
  /// - Parameters:
  ///   - base: the address below which it is served.
  ///   - isListed: whether directories may list it.
  package func feed(at base: PublicationBase, isListed: Bool) -> [UInt8] {
    var output = PublishedMarkup()
    output.raw(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" \
      xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" \
      xmlns:podcast="https://podcastindex.org/namespace/1.0">
        <channel>

      """)
    let page = base.address(of: path(Self.pageName))
    output.element("title", title, indent: "    ")
    output.element("link", page, indent: "    ")
    output.element("description", "Episodes of \(title)", indent: "    ")
    output.raw("    <atom:link href=\"")
    output.text(base.address(of: path(Self.feedName)))
    output.raw("\" rel=\"self\" type=\"application/rss+xml\"/>\n")
    output.raw("    <generator>podget</generator>\n")
    output.element("itunes:author", author, indent: "    ")
    if let name = artwork {
      let artwork = base.address(of: path(name))
      output.raw("    <itunes:image href=\"")
      output.text(artwork)
      output.raw("\"/>\n    <image>\n")
      output.element("url", artwork, indent: "      ")
      output.element("title", title, indent: "      ")
      output.element("link", page, indent: "      ")
      output.raw("    </image>\n")
    }
    if !isListed {
      output.raw(
        """
            <itunes:block>Yes</itunes:block>
            <podcast:block>yes</podcast:block>

        """)
    }
    output.element("podcast:guid", guid, indent: "    ")
    for item in items { item.write(to: &output, base.address(of: path(item.file))) }
    output.raw("  </channel>\n</rss>\n")
    return output.bytes
  }
}

extension PublishedItem {
  fileprivate func write(to output: inout PublishedMarkup, _ address: String) {
    output.raw("    <item>\n")
    output.element("title", title, indent: "      ")
    output.raw("      <guid isPermaLink=\"false\">")
    output.text(guid)
    output.raw("</guid>\n")
    output.element("pubDate", date.map(FeedDateText.text), indent: "      ")
    output.raw("      <enclosure url=\"")
    output.text(address)
    output.raw("\" length=\"")
    output.text(String(bytes))
    output.raw("\" type=\"")
    output.text(mediaType)
    output.raw("\"/>\n")
    output.element("itunes:duration", seconds.map { String($0) }, indent: "      ")
    output.element("itunes:season", season.map { String($0) }, indent: "      ")
    output.element("itunes:episode", number.map { String($0) }, indent: "      ")
    if kind != .full { output.element("itunes:episodeType", kind.rawValue, indent: "      ") }
    output.raw("    </item>\n")
  }
}
