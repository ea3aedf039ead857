internal import FoundationEssentials
internal import PodcastModel

/// Reads JSON Feed 1.0 and 1.1.
struct JSONFeedReader {
  private let wantsDetails: Bool
  private let limits: FeedLimits
  private let base: String?
  private var document: FeedDocument
  private var detailBytes = 0
  private var isFeed = false
  private var hasTooManyItems = false

  /// - Parameter url: the address of the feed, to which relative ones are relative.
  init(url: FeedURL?, wantsDetails: Bool, limits: FeedLimits) {
    self.wantsDetails = wantsDetails
    self.limits = limits
    base = url?.text
    document = FeedDocument(podcast: Podcast(title: "", feedURL: url), format: .json)
  }

  /// Reads a document; nil when it is no feed. One that is cut or damaged gives what came before.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> FeedDocument? {
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Fault) {
      try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
        if name == "items", scanner.isArray() {
          isFeed = true
          try scanner.array { scanner throws(JSONScanner.Fault) in
            addItem(try scanner.value())
          }
        } else {
          add(name, try scanner.value())
        }
      }
    } catch {
      document.error = PodgetError(.decoding, "The feed is cut short or is not valid JSON.")
    }
    guard isFeed else { return nil }
    if hasTooManyItems, document.error == nil {
      document.error = FeedReader.tooManyItems(limits.items)
    }
    if document.podcast.title.isEmpty { document.podcast.title = "Untitled podcast" }
    return document
  }
}

extension JSONFeedReader {
  private mutating func add(_ name: String, _ value: JSONValue) {
    switch name {
    case "version": if value.text?.contains("jsonfeed.org") == true { isFeed = true }
    case "title": document.podcast.title = line(value) ?? ""
    case "author", "authors":
      let authors = [value] + value.elements
      let names = authors.compactMap { line($0["name"]) }
      document.podcast.author = document.podcast.author ?? names.first
    case "icon": document.podcast.artworkURL = address(value) ?? document.podcast.artworkURL
    case "favicon": document.podcast.artworkURL = document.podcast.artworkURL ?? address(value)
    case "feed_url": document.selfURL = address(value).flatMap(FeedURL.init)
    case "next_url": document.nextPage = address(value).flatMap(FeedURL.init)
    case "expired": document.isComplete = value.isTrue
    default: break
    }
  }

  private mutating func addItem(_ value: JSONValue) {
    guard case .object = value else { return }
    guard let file = MediaFile.best(of: files(value)) else {
      document.unplayableCount += 1
      return
    }
    guard document.episodes.count < limits.items else {
      hasTooManyItems = true
      return
    }
    let guid = value["id"]?.text.flatMap {
      FeedText.token($0.utf8, maximumBytes: FeedLimits.guidBytes)
    }
    let dates = [value["date_published"], value["date_modified"]]
    document.episodes.append(
      Episode(
        guid: guid, title: line(value["title"]) ?? "Untitled episode",
        date: dates.compactMap { date($0) }.first,
        duration: file.seconds.map { .seconds($0) }, enclosure: file.enclosure,
        artworkURL: address(value["image"]) ?? address(value["banner_image"])))
    if wantsDetails { document.details.append(details(value)) }
  }

  private func files(_ item: JSONValue) -> [MediaFile] {
    (item["attachments"]?.elements ?? []).prefix(FeedLimits.repeated).compactMap { attachment in
      guard let url = address(attachment["url"]) else { return nil }
      return MediaFile(
        url: url, length: attachment["size_in_bytes"].flatMap { length($0) },
        mimeType: attachment["mime_type"]?.text.flatMap {
          FeedText.token($0.utf8, maximumBytes: 128)
        }, origin: .enclosure,
        seconds: attachment["duration_in_seconds"]?.text.flatMap { FeedDuration.seconds($0.utf8) })
    }
  }

  private mutating func details(_ item: JSONValue) -> EpisodeDetails {
    var details = EpisodeDetails()
    let texts = [item["content_html"], item["content_text"], item["summary"]]
    if let text = texts.lazy.compactMap({ $0?.text }).first(where: { !$0.isEmpty }) {
      var bytes = Array(text.utf8)
      FeedText.cut(&bytes, to: FeedLimits.descriptionBytes)
      detailBytes += bytes.count
      if detailBytes <= limits.detailBytes {
        details.description = String(decoding: bytes, as: UTF8.self)
      }
    }
    details.link = address(item["url"]) ?? address(item["external_url"])
    return details
  }

  private func line(_ value: JSONValue?) -> String? {
    value?.text.flatMap { FeedText.line($0.utf8) }
  }

  private func address(_ value: JSONValue?) -> String? {
    guard case .string(let text)? = value else { return nil }
    return FeedAddress.absolute(text, base: base)
  }

  private func date(_ value: JSONValue?) -> Date? { value?.text.flatMap { FeedDate.date($0.utf8) } }

  private func length(_ value: JSONValue) -> Int64? {
    guard let text = value.text else { return nil }
    if let length: Int64 = FeedText.positive(text.utf8, below: .max) { return length }
    return Double(text).flatMap { Int64(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
