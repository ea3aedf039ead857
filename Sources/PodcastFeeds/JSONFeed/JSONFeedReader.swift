internal import FoundationEssentials
internal import PodcastModel

/// Reads JSON Feed 1.0 and 1.1.
struct JSONFeedReader {
  private let wantsDetails: Bool
  private let preference: MediaPreference?
  private let limits: FeedLimits
  private var addresses: AddressResolver
  private var document: FeedDocument
  private var detailBytes = 0
  /// Whether it says that it is a feed.
  private var isNamed = false
  private var hasItems = false
  private var passedLimit: FeedBuilder.PassedLimit?

  /// - Parameter url: the address of the feed, to which relative ones are relative.
  init(
    url: FeedURL?, wantsDetails: Bool, limits: FeedLimits, preference: MediaPreference? = nil
  ) {
    self.wantsDetails = wantsDetails
    self.preference = preference
    self.limits = limits
    addresses = AddressResolver(base: url?.text, maximumBytes: limits.addressBytes)
    document = FeedDocument(podcast: Podcast(title: "", feedURL: url), format: .json)
  }

  /// How much was done besides reading each byte.
  var work: Int { addresses.bytes }

  /// Reads a document; nil when it is no feed, which has a list of items. One that is cut or damaged
  /// gives what came before.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> FeedDocument? {
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Fault) {
      try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
        if name == "items", scanner.isArray() {
          hasItems = true
          try scanner.array { scanner throws(JSONScanner.Fault) in
            if addresses.isExhausted { passedLimit = passedLimit ?? .addresses }
            if passedLimit != nil { return try scanner.skip() }
            if let item = try JSONItem.read(&scanner, details: wantsDetails) { add(item) }
          }
        } else {
          try readMember(name, &scanner)
        }
      }
    } catch {
      document.error = PodgetError(.decoding, "The feed is cut short or is not valid JSON.")
    }
    guard hasItems || isNamed && document.error != nil else { return nil }
    if let passedLimit, document.error == nil {
      document.error = FeedReader.error(of: passedLimit, limits)
    }
    if document.podcast.title.isEmpty { document.podcast.title = "Untitled podcast" }
    return document
  }
}

extension JSONFeedReader {
  private mutating func readMember(
    _ name: String, _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) {
    switch name {
    case "version":
      if try scanner.scalar()?.text?.contains("jsonfeed.org") == true { isNamed = true }
    case "title": document.podcast.title = line(try scanner.scalar()) ?? ""
    case "author", "authors":
      let name = try authorName(&scanner)
      document.podcast.author = document.podcast.author ?? name
    case "icon":
      document.podcast.artworkURL = address(try scanner.scalar()) ?? document.podcast.artworkURL
    case "favicon":
      let icon = address(try scanner.scalar())
      document.podcast.artworkURL = document.podcast.artworkURL ?? icon
    case "feed_url": document.selfURL = address(try scanner.scalar()).flatMap(FeedURL.init)
    case "next_url": document.nextPage = address(try scanner.scalar()).flatMap(FeedURL.init)
    case "expired": document.isComplete = try scanner.scalar()?.isTrue ?? false
    default: try scanner.skip()
    }
  }

  /// The name of an author, or of the first one in an array that has one.
  private func authorName(_ scanner: inout JSONScanner) throws(JSONScanner.Fault) -> String? {
    var found: String?
    if scanner.isObject() {
      try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
        if name == "name" { found = line(try scanner.scalar()) } else { try scanner.skip() }
      }
    } else if scanner.isArray() {
      try scanner.array { scanner throws(JSONScanner.Fault) in
        guard found == nil, scanner.isObject() else { return try scanner.skip() }
        found = try authorName(&scanner)
      }
    } else {
      try scanner.skip()
    }
    return found
  }

  private mutating func add(_ item: JSONItem) {
    guard let file = file(of: item) else {
      document.unplayableCount += 1
      return
    }
    guard document.episodes.count < limits.items else {
      passedLimit = .items
      return
    }
    let guid = item.id?.text.flatMap {
      FeedText.token($0.utf8, maximumBytes: FeedLimits.guidBytes)
    }
    document.episodes.append(
      Episode(
        guid: guid, title: line(item.title) ?? file.title(or: opening(of: item)),
        date: date(item.published) ?? date(item.modified),
        duration: file.seconds.map { .seconds($0) }, enclosure: file.enclosure,
        artworkURL: address(item.image) ?? address(item.bannerImage)))
    guard wantsDetails else { return }
    var details = details(item)
    detailBytes += details.bytes
    if detailBytes > limits.detailBytes { details = EpisodeDetails() }
    document.details.append(details)
  }

  /// The best attachment of an item; nil when none can be fetched, and where all are images.
  private mutating func file(of item: JSONItem) -> MediaFile? {
    var media = MediaChoice()
    media.preference = preference
    for attachment in item.attachments {
      guard case .string(let text)? = attachment.url else { continue }
      let file = MediaFile(
        url: "", length: attachment.size.flatMap { length($0) },
        mimeType: attachment.mimeType?.text.flatMap {
          FeedText.token($0.utf8, maximumBytes: 128)
        }, origin: .enclosure,
        seconds: attachment.duration?.text.flatMap { FeedDuration.seconds($0.utf8) })
      let kind = MediaKind(type: file.mimeType, address: text.utf8)
      if media.wants(file, kind), let url = addresses.absolute(text.utf8) {
        media.take(file, kind, url: url)
      }
    }
    return media.chosen(playing: nil)
  }

  private func opening(of item: JSONItem) -> String? {
    item.description.flatMap { FeedText.opening(of: $0.utf8) }
  }

  private mutating func details(_ item: JSONItem) -> EpisodeDetails {
    var details = EpisodeDetails()
    if limits.descriptionBytes > 0, let text = item.description {
      var bytes = Array(text.utf8)
      FeedText.cut(&bytes, to: min(limits.descriptionBytes, FeedLimits.textBytes))
      details.description = String(decoding: bytes, as: UTF8.self)
    }
    details.link = address(item.url) ?? address(item.externalURL)
    return details
  }

  private func line(_ value: JSONValue?) -> String? {
    value?.text.flatMap { FeedText.line($0.utf8) }
  }

  private mutating func address(_ value: JSONValue?) -> String? {
    guard case .string(let text)? = value else { return nil }
    return addresses.absolute(text.utf8)
  }

  private func date(_ value: JSONValue?) -> Date? { value?.text.flatMap { FeedDate.date($0.utf8) } }

  private func length(_ value: JSONValue) -> Int64? {
    guard let text = value.text else { return nil }
    if let length: Int64 = FeedText.positive(text.utf8, below: .max) { return length }
    return Double(text).flatMap { Int64(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
