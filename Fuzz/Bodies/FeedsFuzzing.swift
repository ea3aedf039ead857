import FoundationEssentials

@testable import PodcastFeeds
@testable import PodcastModel

/// Feeds and web pages in any pieces: the same as at once, with what podget relies on.
enum FeedsFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let details = input.flag()
    let charsets = [nil, "iso-8859-1", "windows-1251", "shift_jis", "gb2312", "iso-2022-jp"]
    let charset = charsets[input.choice(charsets.count)]
    let size = input.choice(64) + 1
    let bytes = input.remaining()
    let url = FeedURL("https://example.com/show/feed.xml")
    let preferences: [MediaPreference?] = [nil, .smallest, .best, .type("opus")]
    let preference = preferences[size % preferences.count]
    let reader = FeedReader(
      url: url, charset: charset, details: details, preference: preference)
    let whole = outcome { () throws(PodgetError) in
      bytes.withUnsafeBytes { reader.feed($0) }
      return try reader.finish()
    }
    // Two kilobytes of a base for each of the shortest elements, and what an empty input costs.
    try FuzzFailure.require(
      reader.work <= 200 * bytes.count + 4096, "\(bytes.count) bytes cost \(reader.work).")
    let pieces = outcome { () throws(PodgetError) in
      let reader = FeedReader(
        url: url, charset: charset, details: details, preference: preference)
      for start in stride(from: 0, to: bytes.count, by: size) {
        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.feed($0) }
      }
      return try reader.finish()
    }
    try FuzzFailure.require(whole == pieces, "Pieces of \(size) give something else.")
    switch whole {
    case .success(.feed(let document)): try check(document, details: details)
    case .success(.webPage(let links)): try check(links)
    case .failure(let error):
      try FuzzFailure.require(!error.message.isEmpty, "An error without words.")
    }
    try check(bytes.withUnsafeBufferPointer { FeedDiscovery.links(in: $0, url: url) })
    try checkMarkup(bytes)
  }

  private static func outcome(
    _ read: () throws(PodgetError) -> FeedContent
  ) -> Result<FeedContent, PodgetError> {
    do throws(PodgetError) {
      return .success(try read())
    } catch {
      return .failure(error)
    }
  }

  private static func check(_ document: FeedDocument, details: Bool) throws {
    try FuzzFailure.require(!document.podcast.title.isEmpty, "A podcast without a title.")
    try FuzzFailure.require(document.unplayableCount >= 0, "A negative count.")
    try FuzzFailure.require(
      document.details.count == (details ? document.episodes.count : 0), "Details are missing.")
    for episode in document.episodes + document.trailers {
      try FuzzFailure.require(!episode.title.isEmpty, "An episode without a title.")
      try FuzzFailure.require(
        episode.title.utf8.count <= FeedLimits.titleBytes, "A title without end.")
      try FuzzFailure.require(episode.guid != "", "An empty guid.")
      try FuzzFailure.require(
        WebAddress(episode.enclosure.url)?.isHTTP == true, "The address \(episode.enclosure.url)")
      try FuzzFailure.require(episode.enclosure.length.map { $0 > 0 } ?? true, "A length of zero.")
      try FuzzFailure.require(episode.duration.map { $0 > .zero } ?? true, "A duration of zero.")
      try FuzzFailure.require((episode.number ?? 1) > 0 && (episode.season ?? 1) > 0, "A number.")
      _ = episode.date?.timestamp
    }
  }

  private static func check(_ links: [FeedLink]) throws {
    try FuzzFailure.require(Set(links.map(\.url)).count == links.count, "A link twice.")
    try FuzzFailure.require(links.count <= FeedDiscovery.maximumLinks, "Too many links.")
  }

  /// What was read is the same when it is written without faults and read again.
  private static func checkMarkup(_ bytes: [UInt8]) throws {
    var clean: [UInt8] = []
    var cleaner = UTF8Cleaner()
    bytes.withUnsafeBufferPointer { cleaner.add($0, to: &clean) }
    cleaner.finish(to: &clean)
    try FuzzFailure.require(
      clean.withUnsafeBufferPointer { UTF8Cleaner.isValid($0) }, "This is no UTF-8.")
    let once = written(clean)
    try FuzzFailure.require(written(once) == once, "Well-formed markup is read as something else.")
  }

  private static func written(_ bytes: [UInt8]) -> [UInt8] {
    var reader = MarkupReader(MarkupCopy())
    bytes.withUnsafeBufferPointer { reader.add($0) }
    return reader.target.written
  }
}

/// Writes what a reader of markup tells.
private struct MarkupCopy: MarkupTarget {
  /// What was written, the last tag ended.
  var written: [UInt8] { isOpen ? output + [UInt8(ascii: ">")] : output }

  private var output: [UInt8] = []
  private var depth = 0
  /// Whether the last tag may still become one of an empty element.
  private var isOpen = false

  var wantsText: Bool { depth > 0 }

  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes) {
    endTag()
    output.append(UInt8(ascii: "<"))
    output += name
    for attribute in attributes.all {
      output.append(0x20)
      output += attribute.name
      output += "=\"".utf8
      append(attribute.value)
      output.append(UInt8(ascii: "\""))
    }
    depth += 1
    isOpen = true
  }

  mutating func end(_ name: UnsafeBufferPointer<UInt8>) {
    depth -= 1
    output += isOpen ? "/>".utf8 : "</".utf8
    if !isOpen {
      output += name
      output.append(UInt8(ascii: ">"))
    }
    isOpen = false
  }

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    endTag()
    append(bytes)
  }

  private mutating func endTag() {
    if isOpen { output.append(UInt8(ascii: ">")) }
    isOpen = false
  }

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\""), 0x09, 0x0A, 0x0D:
        output += "&#\(byte);".utf8
      default: output.append(byte)
      }
    }
  }
}
