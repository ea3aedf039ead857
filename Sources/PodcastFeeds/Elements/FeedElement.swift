/// The elements that say something here, by usual prefix and local name in lower case.
///
/// The same name may mean different things in a channel and in an item; ``FeedBuilder`` tells them
/// apart by what they stand in.
enum FeedElement: String, CaseIterable {
  // The skeleton.
  case rss
  case rdf = "rdf:rdf"
  case atomFeed = "atom:feed"
  case channel
  case item
  case atomEntry = "atom:entry"
  case image
  case liveItem = "podcast:liveitem"

  // Titles and people.
  case title
  case atomTitle = "atom:title"
  case itunesTitle = "itunes:title"
  case mediaTitle = "media:title"
  case author
  case atomAuthor = "atom:author"
  case atomName = "atom:name"
  case itunesAuthor = "itunes:author"
  case googleplayAuthor = "googleplay:author"
  case managingEditor = "managingeditor"
  case creator = "dc:creator"
  case person = "podcast:person"

  // Identity and time.
  case guid
  case atomID = "atom:id"
  case podcastGUID = "podcast:guid"
  case pubDate = "pubdate"
  case dcDate = "dc:date"
  case atomPublished = "atom:published"
  case atomIssued = "atom:issued"
  case atomUpdated = "atom:updated"
  case atomModified = "atom:modified"
  case atomCreated = "atom:created"
  case duration = "itunes:duration"
  case season = "itunes:season"
  case episode = "itunes:episode"
  case episodeType = "itunes:episodetype"
  case podcastSeason = "podcast:season"
  case podcastEpisode = "podcast:episode"

  // Media.
  case enclosure
  case rdfEnclosure = "enc:enclosure"
  case atomLink = "atom:link"
  case link
  case origEnclosureLink = "feedburner:origenclosurelink"
  case mediaGroup = "media:group"
  case mediaContent = "media:content"
  case thumbnail = "media:thumbnail"
  case alternateEnclosure = "podcast:alternateenclosure"
  case source = "podcast:source"
  case integrity = "podcast:integrity"
  case itunesImage = "itunes:image"
  case googleplayImage = "googleplay:image"
  case url
  case atomLogo = "atom:logo"
  case atomIcon = "atom:icon"
  case trailer = "podcast:trailer"

  // What the whole feed says about itself.
  case newFeedURL = "itunes:new-feed-url"
  case block = "itunes:block"
  case complete = "itunes:complete"
  case ttl
  case medium = "podcast:medium"
  case locked = "podcast:locked"
  case funding = "podcast:funding"

  // Details.
  case description
  case contentEncoded = "content:encoded"
  case itunesSummary = "itunes:summary"
  case itunesSubtitle = "itunes:subtitle"
  case atomContent = "atom:content"
  case atomSummary = "atom:summary"
  case explicit = "itunes:explicit"
  case chapters = "podcast:chapters"
  case transcript = "podcast:transcript"
  case simpleChapters = "psc:chapters"
  case simpleChapter = "psc:chapter"

  /// All of them by their names; a search in a table, where `init(rawValue:)` compares with each.
  static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}
