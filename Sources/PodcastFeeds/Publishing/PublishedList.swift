extension PublishedPodcast {
  /// The name of the list of all feeds.
  package static let listName = "subscriptions.opml"

  /// The list of all feeds (OPML 2.0). It has no date: equal podcasts give equal bytes.
  package static func list(of podcasts: [PublishedPodcast], at base: PublicationBase) -> [UInt8] {
    var document = OPMLDocument(title: "Podcasts", dateCreated: nil)
    document.nodes = podcasts.map { podcast in
      .outline(
        OPMLOutline([
          "type": "rss", "text": podcast.title, "title": podcast.title,
          "xmlUrl": base.address(of: podcast.path(feedName)),
          "htmlUrl": base.address(of: podcast.path(pageName)),
        ]))
    }
    return document.bytes()
  }
}
