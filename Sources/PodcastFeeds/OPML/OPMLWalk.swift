internal import PodcastModel

/// Goes through the outlines of another program's list.
struct OPMLWalk {
  private(set) var entries: [OPMLImport.Entry] = []
  private(set) var title: String?

  /// The longest path of folders in bytes. Deeper folders do not count.
  private static let maximumPathBytes = 1024
  /// The longest name of a folder in bytes.
  private static let maximumNameBytes = 256
  /// The most categories of a feed.
  private static let maximumCategories = 64

  /// What holds an outline.
  private struct Place {
    /// The folders, with slashes between them; empty outside all folders.
    var path = ""
    var isComment = false
    /// Whether it lies in a feed, as the episodes do that some programs list.
    var isInFeed = false
  }

  /// Adds the outlines of a root element.
  mutating func add(_ root: OPMLElement) { visit(root, Place()) }
}

extension OPMLWalk {
  private mutating func visit(_ element: OPMLElement, _ place: Place) {
    switch element.local.lowercased() {
    case "outline":
      visit(OPMLOutline(element), place)
    case "head":
      let found = element.nodes.lazy.compactMap(\.element)
        .first { $0.local.lowercased() == "title" }
      if title == nil, let text = found?.text { title = FeedText.line(Array(text.utf8)) }
      visit(element.nodes, place)
    default:
      visit(element.nodes, place)
    }
  }

  private mutating func visit(_ nodes: [OPMLNode], _ place: Place) {
    for case .element(let element) in nodes { visit(element, place) }
  }

  private mutating func visit(_ outline: OPMLOutline, _ place: Place) {
    var inside = place
    inside.isComment = place.isComment || outline.isComment
    let address = outline.feedAddress
    let hasChildren = outline.nodes.contains { $0.element?.local.lowercased() == "outline" }
    if address == nil, hasChildren, !place.isInFeed {
      inside.path = Self.path(outline, in: place.path)
    } else if address == nil || (place.isInFeed && outline.filled("xmlurl") == nil) {
      // What is in a feed and is none belongs to it.
      if !place.isInFeed { addIgnored(outline, inside) }
    } else if let address {
      addFeed(outline, address, inside)
      inside.isInFeed = true
    }
    visit(outline.nodes, inside)
  }

  private mutating func addFeed(_ outline: OPMLOutline, _ address: String, _ place: Place) {
    let url = OPMLAddress.url(address)
    let verdict: OPMLImport.Verdict =
      if place.isComment {
        .ignored(reason: "It is commented out.")
      } else if url == nil {
        .invalid(reason: OPMLAddress.fault(of: address))
      } else {
        .feed
      }
    add(outline, address: address, url: verdict == .feed ? url : nil, place, verdict)
  }

  private mutating func addIgnored(_ outline: OPMLOutline, _ place: Place) {
    let type = outline.filled("type")?.lowercased()
    let address = outline.filled("url")
    let isLink = address != nil && (type == "link" || type == "include")
    add(
      outline, address: address, url: nil, place,
      .ignored(
        reason: isLink
          ? "It is a link to a page or to another list." : "It has no address of a feed."))
  }

  private mutating func add(
    _ outline: OPMLOutline, address: String?, url: FeedURL?, _ place: Place,
    _ verdict: OPMLImport.Verdict
  ) {
    let title = outline.filled("title") ?? outline.filled("text")
    entries.append(
      OPMLImport.Entry(
        title: title.flatMap { FeedText.line(Array($0.utf8)) }, address: address, url: url,
        categories: Self.categories(outline, place),
        settings: outline.attributes.filter { $0.namespace == OPMLDocument.namespace },
        line: outline.line, verdict: verdict))
  }
}

extension OPMLWalk {
  /// The path of a folder. A slash in its name would look like another folder.
  private static func path(_ outline: OPMLOutline, in path: String) -> String {
    guard let name = outline.filled("text") ?? outline.filled("title"),
      let line = FeedText.line(
        name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "-") : $0 },
        maximumBytes: maximumNameBytes)
    else { return path }
    let longer = path.isEmpty ? line : "\(path)/\(line)"
    return longer.utf8.count > maximumPathBytes ? path : longer
  }

  /// The folders, then what `category` lists: paths with slashes, with commas between them (OPML 2.0).
  private static func categories(_ outline: OPMLOutline, _ place: Place) -> [String] {
    var found = place.path.isEmpty ? [] : [place.path]
    let list = outline.filled("category") ?? ""
    for item in list.utf8.split(separator: UInt8(ascii: ",")) {
      guard found.count < maximumCategories else { break }
      let names = item.split(separator: UInt8(ascii: "/")).compactMap {
        FeedText.line($0, maximumBytes: maximumNameBytes)
      }
      let path = names.joined(separator: "/")
      if !path.isEmpty, path.utf8.count <= maximumPathBytes, !found.contains(path) {
        found.append(path)
      }
    }
    return found
  }
}

/// Addresses of feeds in lists.
enum OPMLAddress {
  /// The address of the feed that a text means; nil when it means none.
  static func url(_ text: String) -> FeedURL? {
    let isRelative = text.utf8.starts(with: "//".utf8)
    guard let link = isRelative ? text : PodcastLink(text)?.url else { return nil }
    return FeedAddress.absolute(link, base: nil).flatMap { FeedURL($0) }
  }

  /// Why a text is no address of a feed.
  static func fault(of text: String) -> String {
    guard let scheme = text.firstRange(of: "://") else { return "Its address is no web address." }
    let name = text[..<scheme.lowerBound].lowercased()
    let isScheme =
      !name.isEmpty && name.utf8.count <= 20
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard isScheme, name != "http", name != "https" else {
      return "Its address is no web address."
    }
    return "Its address has the scheme \"\(name)\", which podget does not fetch."
  }
}
