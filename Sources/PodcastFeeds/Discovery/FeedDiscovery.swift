package import PodcastModel

/// Finds the feeds that a web page links to (RSS Advisory Board, RSS Autodiscovery; HTML Standard,
/// section 4.6.7.1).
package enum FeedDiscovery {
  /// How much of a page is looked at. Links to feeds stand at its beginning.
  static let maximumBytes = 1024 * 1024
  /// The most links that are reported.
  static let maximumLinks = 100
  /// The most tags that are looked at because they may change or be such a link.
  static let maximumTags = 2000
  /// The longest tag that is looked at, in bytes.
  private static let maximumTag = 8192

  /// The feeds in the order of the page, each address once.
  ///
  /// - Parameters:
  ///   - page: the page as UTF-8.
  ///   - url: its address, to which links are relative.
  package static func links(in page: UnsafeBufferPointer<UInt8>, url: FeedURL?) -> [FeedLink] {
    found(in: page, url: url).links
  }

  /// The same, with how many bytes the addresses got from their bases.
  static func found(
    in page: UnsafeBufferPointer<UInt8>, url: FeedURL?
  ) -> (links: [FeedLink], work: Int) {
    var scan = Scan(base: url?.text)
    let end = min(page.count, maximumBytes)
    var index = 0
    while index < end, scan.links.count < maximumLinks, scan.tags < maximumTags {
      guard let open = page[index..<end].firstIndex(of: UInt8(ascii: "<")) else { break }
      if page[open..<end].starts(with: "<!--".utf8) {
        index = endOfComment(page, from: open + 4, to: end)
        continue
      }
      let rest = UnsafeBufferPointer(rebasing: page[(open + 1)..<min(end, open + maximumTag)])
      var (length, scanner) = (0, TagScanner())
      guard scanner.scan(rest, &length) == UInt8(ascii: ">") else {
        index = open + 1
        continue
      }
      let text = UnsafeBufferPointer(rebasing: rest[..<length])
      let tag = MarkupTag(text)
      scan.add(tag, text)
      index = open + length + 2
      if tag.kind != .end, let range = tag.name,
        let name = hiding.first(where: { Self.isName(text[range], $0) })
      {
        index = endOfText(page, name, from: index, to: end)
      }
    }
    return (scan.links, scan.addresses.bytes)
  }

  /// The elements whose content is text, whatever is in it (HTML Standard, sections 13.1.2.1 and 13.1.2.2).
  private static let hiding = ["script", "style", "title", "textarea"]

  /// The place of the end tag of such an element; the end where there is none.
  private static func endOfText(
    _ page: UnsafeBufferPointer<UInt8>, _ name: String, from start: Int, to end: Int
  ) -> Int {
    var index = start
    let length = name.utf8.count
    while let open = page[index..<end].firstIndex(of: UInt8(ascii: "<")) {
      index = open + 1
      guard end - index > length + 1, page[index] == UInt8(ascii: "/"),
        isName(page[(index + 1)...(index + length)], name),
        !MarkupTag.isNameByte(page[index + length + 1])
      else { continue }
      return open
    }
    return end
  }

  /// Whether bytes are a name, in any case.
  private static func isName(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ name: String) -> Bool {
    bytes.elementsEqual(name.utf8) { $0 | 0x20 == $1 }
  }

  private static func endOfComment(
    _ page: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> Int {
    var index = start
    while index + 2 < end {
      if page[index] == 0x2D, page[index + 1] == 0x2D, page[index + 2] == 0x3E { return index + 3 }
      index += 1
    }
    return end
  }
}

/// The links that were found so far.
private struct Scan {
  private(set) var addresses: AddressResolver
  var links: [FeedLink] = []
  private var known: Set<FeedURL> = []
  /// How many bases and links to feeds there were, repeated and useless ones included.
  private(set) var tags = 0

  init(base: String?) { addresses = AddressResolver(base: base) }

  mutating func add(_ tag: MarkupTag, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let name = tag.name, tag.kind != .end else { return }
    switch String(decoding: bytes[name], as: UTF8.self).lowercased() {
    case "base":
      tags += 1
      if let href = attributes(tag, bytes)["href"] { addresses.replaceBase(href.utf8) }
    case "link": addLink(attributes(tag, bytes))
    default: break
    }
  }

  private mutating func addLink(_ attributes: [String: String]) {
    let relations = (attributes["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
    guard relations.contains("alternate") || relations.contains("feed"),
      let type = attributes["type"].map(Self.mediaType), Self.types.contains(type),
      let href = attributes["href"]
    else { return }
    tags += 1
    guard let url = addresses.absolute(href.utf8).flatMap(FeedURL.init),
      known.insert(url).inserted
    else { return }
    let title = attributes["title"].flatMap { FeedText.line(Array($0.utf8)) }
    links.append(FeedLink(url: url, title: title, type: type))
  }

  /// The attributes by their names in lower case, references replaced.
  private func attributes(
    _ tag: MarkupTag, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> [String: String] {
    var attributes: [String: String] = [:]
    tag.forEachAttribute { attribute in
      let key = String(decoding: bytes[attribute.name], as: UTF8.self).lowercased()
      guard attributes.count < MarkupTag.maximumAttributes, attributes[key] == nil else { return }
      attributes[key] = CharacterReference.decoded(
        UnsafeBufferPointer(rebasing: bytes[attribute.value]))
    }
    return attributes
  }

  private static func mediaType(_ text: String) -> String {
    text.prefix { $0 != ";" }.trimmingWhitespace().lowercased()
  }

  private static let types: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
    "application/x.atom+xml", "application/x-atom+xml", "text/rss+xml",
  ]
}
