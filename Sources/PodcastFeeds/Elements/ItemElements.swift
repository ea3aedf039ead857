internal import PodcastModel

/// Elements that say something about one item.
extension FeedBuilder {
  /// Takes what an element has in its attributes; true when its text is wanted too.
  mutating func startItemElement(_ element: FeedElement, _ attributes: ElementAttributes) -> Bool {
    switch element {
    case .enclosure: addEnclosure(attributes, address: attributes["url"] ?? attributes["href"])
    case .rdfEnclosure: addRDFEnclosure(attributes)
    case .atomLink, .link:
      guard let href = attributes["href"] else { return wantsDetails && element == .link }
      addItemLink(href, attributes)
    case .itunesImage:
      item.artworkURL = item.artworkURL ?? attributes["href"].flatMap { address($0) }
    case .thumbnail:
      item.otherArtworkURL = item.otherArtworkURL ?? attributes["url"].flatMap { address($0) }
    case .chapters:
      guard wantsDetails else { return false }
      item.details.chaptersURL =
        item.details.chaptersURL ?? attributes["url"].flatMap { address($0) }
    case .transcript: if wantsDetails { addTranscript(attributes) }
    case .title, .atomTitle, .itunesTitle, .mediaTitle, .guid, .atomID, .pubDate, .dcDate,
      .atomPublished, .atomIssued, .atomUpdated, .atomModified, .atomCreated, .duration, .season,
      .episode, .episodeType, .podcastSeason, .podcastEpisode, .origEnclosureLink:
      return true
    case .description, .contentEncoded, .itunesSummary, .itunesSubtitle, .atomSummary,
      .atomContent:
      return wantsDescriptions || item.needsOpening
    case .explicit: return wantsDetails
    case .person: return wantsDetails && item.details.persons.count < FeedLimits.repeated
    default: break
    }
    return false
  }

  /// Takes the text of an element.
  mutating func endItemElement(_ element: FeedElement, _ text: [UInt8]) {
    switch element {
    case .title, .atomTitle: item.title = item.title ?? FeedText.title(text, titleKind)
    case .itunesTitle, .mediaTitle:
      item.otherTitle = item.otherTitle ?? FeedText.title(text, titleKind)
    case .guid, .atomID:
      guard item.guid == nil else { return }
      item.guid = FeedText.token(text, maximumBytes: FeedLimits.guidBytes)
      if element == .guid, isPermalink, let guid = item.guid, WebAddress(guid)?.isHTTP == true {
        item.permalink = guid
      }
    case .pubDate, .atomPublished, .atomIssued:
      item.published = item.published ?? FeedDate.date(text)
    case .dcDate, .atomUpdated, .atomModified, .atomCreated:
      item.otherDate = item.otherDate ?? FeedDate.date(text)
    case .duration: item.duration = item.duration ?? FeedDuration.duration(text)
    case .season, .podcastSeason:
      item.season = item.season ?? FeedText.positive(text, below: 1_000_000)
    case .episode, .podcastEpisode:
      item.number = item.number ?? FeedText.positive(text, below: 1_000_000)
    case .episodeType: item.kind = Episode.Kind(feed: text)
    case .origEnclosureLink: item.originalURL = item.originalURL ?? address(text)
    default: endDetail(element, text)
    }
  }

  private var wantsDescriptions: Bool { wantsDetails && limits.descriptionBytes > 0 }

  private mutating func endDetail(_ element: FeedElement, _ text: [UInt8]) {
    switch element {
    case .link: item.details.link = item.details.link ?? address(text)
    case .description, .contentEncoded, .itunesSummary, .itunesSubtitle, .atomSummary,
      .atomContent:
      if item.needsOpening { item.opening = FeedText.opening(of: text) }
      guard wantsDescriptions else { return }
      let end = FeedText.end(of: text, cutTo: limits.descriptionBytes)
      // A shorter one is not kept.
      if end > item.details.description?.utf8.count ?? 0 {
        item.add(description: FeedText.trimmed(text[..<end]))
      }
    case .explicit: item.details.isExplicit = item.details.isExplicit ?? Self.isExplicit(text)
    case .person:
      guard let name = FeedText.title(text) else { return }
      let role = attributes.role.flatMap { FeedText.token($0, maximumBytes: 64) }
      item.details.persons.append(
        EpisodeDetails.Person(
          name: name, role: role?.lowercased() ?? "host",
          url: attributes.href.flatMap { address($0) }))
    default: break
    }
  }

  /// Apple's words for it, old and new.
  static func isExplicit(_ text: [UInt8]) -> Bool? {
    switch FeedText.token(text, maximumBytes: 16)?.lowercased() {
    case "yes", "true", "explicit": true
    case "no", "false", "clean": false
    default: nil
    }
  }
}

/// The media files of an item.
extension FeedBuilder {
  private mutating func addEnclosure(
    _ attributes: ElementAttributes, address text: UnsafeBufferPointer<UInt8>?
  ) {
    guard let text else { return }
    let file = MediaFile(
      url: "", length: attributes["length"].flatMap { FeedText.positive($0, below: .max) },
      mimeType: Self.type(attributes["type"]), origin: .enclosure)
    offer(file, at: text)
  }

  /// Adds the file of an RSS 1.0 enclosure (mod_enclosure).
  private mutating func addRDFEnclosure(_ attributes: ElementAttributes) {
    let address =
      attributes["rdf:resource"] ?? attributes["resource"] ?? attributes["enc:url"]
      ?? attributes["url"]
    guard let address else { return }
    let length = attributes["enc:length"] ?? attributes["length"]
    let file = MediaFile(
      url: "", length: length.flatMap { FeedText.positive($0, below: .max) },
      mimeType: Self.type(attributes["enc:type"] ?? attributes["type"]), origin: .enclosure)
    offer(file, at: address)
  }

  private mutating func addItemLink(
    _ href: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes
  ) {
    let relation = attributes["rel"]
    if let relation, FeedText.isWord(relation, "enclosure") {
      addEnclosure(attributes, address: href)
    } else if wantsDetails, relation.map({ FeedText.isWord($0, "alternate") }) ?? true {
      item.details.link = item.details.link ?? address(href)
    }
  }

  /// Adds the file of a `media:content` (Media RSS 1.5.1), when it is audio or video.
  mutating func addMediaContent(_ attributes: ElementAttributes) {
    guard let text = attributes["url"] else { return }
    let file = MediaFile(
      url: "", length: attributes["filesize"].flatMap { FeedText.positive($0, below: .max) },
      mimeType: Self.type(attributes["type"]) ?? Self.type(attributes["medium"]),
      origin: .mediaContent,
      isDefault: attributes["isdefault"].map { FeedText.isWord($0, "true") } ?? false,
      seconds: attributes["duration"].flatMap { FeedDuration.seconds($0) },
      // Kilobits.
      bitrate: Self.bitrate(attributes["bitrate"], unit: 1000))
    offer(file, at: text)
  }

  /// Whether a `media:content` is a picture.
  static func isImage(_ attributes: ElementAttributes) -> Bool {
    let type = type(attributes["type"]) ?? type(attributes["medium"])
    return attributes["url"].map { MediaKind(type: type, address: $0) } == .image
  }

  /// Remembers what an alternate enclosure says about its sources.
  mutating func startAlternate(_ attributes: ElementAttributes) {
    alternate = MediaFile(
      url: "", length: attributes["length"].flatMap { FeedText.positive($0, below: .max) },
      mimeType: Self.type(attributes["type"]), origin: .alternate,
      isDefault: attributes["default"].map { FeedText.isWord($0, "true") } ?? false,
      bitrate: Self.bitrate(attributes["bitrate"], unit: 1))
    alternates += 1
    alternate?.alternate = alternates
  }

  /// Bits per second from a number with or without a fraction, which is dropped.
  private static func bitrate(_ text: UnsafeBufferPointer<UInt8>?, unit: Int64) -> Int64? {
    let number = text?.prefix { $0 != UInt8(ascii: ".") }
    return number.flatMap { FeedText.positive($0, below: 1_000_000_000) }.map { $0 * unit }
  }

  /// Notes the hashes of an alternate enclosure, if podget can compute them; signatures are ignored.
  mutating func addIntegrity(_ attributes: ElementAttributes) {
    guard let number = alternate?.alternate,
      attributes["type"].map({ FeedText.isWord($0, "sri") }) == true,
      let text = attributes["value"].flatMap({
        FeedText.token($0, maximumBytes: MediaIntegrity.maximumBytes)
      }), MediaIntegrity(text) != nil
    else { return }
    item.media.note(integrity: text, of: number)
  }

  /// Adds a chapter (Podlove Simple Chapters 1.2).
  mutating func addChapter(_ attributes: ElementAttributes) {
    guard item.details.chapters.count < FeedLimits.chapters,
      let start = attributes["start"].flatMap({ MediaTime.milliseconds($0) })
    else { return }
    let title = attributes["title"].flatMap { FeedText.title(Array($0)) }
    item.details.chapters.append(
      Chapter(
        start: .milliseconds(start), title: title ?? Chapter.untitled,
        url: attributes["href"].flatMap { address($0) }))
  }

  /// Adds a source of an alternate enclosure that can be fetched; others are magnet links and such.
  mutating func addSource(_ attributes: ElementAttributes) {
    guard var file = alternate, let text = attributes["uri"] else { return }
    if let type = Self.type(attributes["contenttype"]) { file.mimeType = type }
    offer(file, at: text)
  }

  /// Offers a file to the item. What stands beside the enclosures must say that it is audio or video.
  private mutating func offer(_ file: MediaFile, at text: UnsafeBufferPointer<UInt8>) {
    let kind = MediaKind(type: file.mimeType, address: text)
    guard file.origin == .enclosure || kind.isPlayable, item.media.wants(file, kind),
      let url = address(text)
    else { return }
    item.media.take(file, kind, url: url)
  }

  private mutating func addTranscript(_ attributes: ElementAttributes) {
    guard item.details.transcripts.count < FeedLimits.repeated,
      let url = attributes["url"].flatMap({ address($0) })
    else { return }
    item.details.transcripts.append(
      EpisodeDetails.Transcript(
        url: url, type: Self.type(attributes["type"]),
        language: attributes["language"].flatMap { FeedText.token($0, maximumBytes: 64) }))
  }

  private static func type(_ bytes: UnsafeBufferPointer<UInt8>?) -> String? {
    bytes.flatMap { FeedText.token($0, maximumBytes: 128) }
  }
}
