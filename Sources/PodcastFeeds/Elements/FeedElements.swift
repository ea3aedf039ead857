internal import PodcastModel

/// Elements that say something about the whole feed.
extension FeedBuilder {
  /// Takes what an element has in its attributes; true when its text is wanted too.
  mutating func startFeedElement(_ element: FeedElement, _ attributes: ElementAttributes) -> Bool {
    switch element {
    case .atomLink, .link:
      if let href = attributes["href"] { addFeedLink(href, attributes) }
      return false
    case .itunesImage, .googleplayImage:
      guard let href = attributes["href"] ?? attributes["url"] else { return false }
      if element == .itunesImage {
        feedFields.itunesImage = feedFields.itunesImage ?? address(href)
      } else {
        feedFields.otherImage = feedFields.otherImage ?? address(href)
      }
      return false
    case .title, .atomTitle, .itunesTitle, .author, .itunesAuthor, .googleplayAuthor,
      .managingEditor, .creator, .podcastGUID, .atomLogo, .atomIcon, .newFeedURL, .block,
      .complete, .ttl, .medium, .locked:
      return true
    case .funding: return document.funding.count < FeedLimits.repeated
    case .trailer: return document.trailers.count < FeedLimits.repeated
    default: return false
    }
  }

  /// Takes the text of an element.
  mutating func endFeedElement(_ element: FeedElement, _ text: [UInt8]) {
    switch element {
    case .title, .atomTitle:
      feedFields.title = feedFields.title ?? FeedText.title(text, titleKind)
    case .itunesTitle: feedFields.otherTitle = feedFields.otherTitle ?? FeedText.title(text)
    case .author, .itunesAuthor:
      feedFields.itunesAuthor = feedFields.itunesAuthor ?? FeedText.title(text)
    case .googleplayAuthor:
      feedFields.googleplayAuthor = feedFields.googleplayAuthor ?? FeedText.title(text)
    case .managingEditor: feedFields.editor = feedFields.editor ?? FeedText.title(text)
    case .creator: feedFields.creator = feedFields.creator ?? FeedText.title(text)
    case .atomLogo: feedFields.otherImage = feedFields.otherImage ?? address(text)
    case .atomIcon: feedFields.icon = feedFields.icon ?? address(text)
    case .podcastGUID:
      document.podcastGUID = document.podcastGUID ?? FeedText.token(text, maximumBytes: 128)
    case .newFeedURL:
      document.newFeedURL = document.newFeedURL ?? address(text).flatMap(FeedURL.init)
    case .block: document.isBlocked = document.isBlocked || FeedText.isWord(text, "yes")
    case .complete: document.isComplete = document.isComplete || FeedText.isWord(text, "yes")
    case .locked: document.isLocked = document.isLocked || FeedText.isWord(text, "yes")
    case .ttl:
      let minutes: Int64? = FeedText.positive(text, below: 10_000_000)
      document.ttl = document.ttl ?? minutes.map { .seconds($0 * 60) }
    case .medium:
      document.medium =
        document.medium ?? FeedText.token(text, maximumBytes: 64)?.lowercased()
    case .funding: addFunding(text)
    case .trailer: addTrailer(text)
    default: break
    }
  }

  private mutating func addFeedLink(
    _ href: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes
  ) {
    guard let relation = attributes["rel"] else { return }
    if FeedText.isWord(relation, "self") {
      document.selfURL = document.selfURL ?? address(href).flatMap(FeedURL.init)
    } else if FeedText.isWord(relation, "next") || FeedText.isWord(relation, "prev-archive") {
      document.nextPage = document.nextPage ?? address(href).flatMap(FeedURL.init)
    }
  }

  private mutating func addFunding(_ text: [UInt8]) {
    guard let url = (attributes.url ?? attributes.href).flatMap({ address($0) }) else { return }
    document.funding.append(FeedDocument.Funding(url: url, title: FeedText.title(text) ?? ""))
  }

  private mutating func addTrailer(_ text: [UInt8]) {
    guard let url = attributes.url.flatMap({ address($0) }) else { return }
    let enclosure = Enclosure(
      url: url, length: attributes.length.flatMap { FeedText.positive($0, below: .max) },
      mimeType: attributes.type.flatMap { FeedText.token($0, maximumBytes: 128) })
    document.trailers.append(
      Episode(
        title: FeedText.title(text) ?? "Trailer",
        date: attributes.pubDate.flatMap { FeedDate.date($0) }, enclosure: enclosure,
        kind: .trailer))
  }
}
