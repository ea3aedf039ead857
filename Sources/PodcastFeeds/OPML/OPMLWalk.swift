internal import PodcastModel

/// Takes the outlines of another program's list.
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

  /// An element that is open.
  private struct Open {
    var place: Place
    /// An outline without an address: a folder as soon as there is an outline in it.
    var pending: OPMLOutline?
    var isHead = false
    var isTitle = false
  }

  private var open: [Open] = []
  private var namespaces = OPMLNamespaces()
  private var places: OPMLPlaces
  private var text: [UInt8] = []
  private var outlines = 0

  /// - Parameter bytes: the whole list.
  init(_ bytes: [UInt8]) { places = OPMLPlaces(bytes) }

  /// Ends what is open.
  mutating func finish() {
    while !open.isEmpty { end() }
  }
}

extension OPMLWalk: MarkupTarget {
  var wantsText: Bool { open.last?.isTitle == true }
  var isStopped: Bool { outlines > OPMLLimits.outlines }

  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes) {
    let local = MarkupName.local(name)
    let parent = open.last
    var new = Open(place: parent?.place ?? Place())
    if MarkupName.isEqual(local, "outline") {
      outlines += 1
      var outline = OPMLOutline()
      outline.position = places.position(of: attributes.place)
      outline.attributes = namespaces.enter(attributes, &places)
      new.place = enclosing()
      visit(outline, &new)
    } else {
      _ = namespaces.enter(attributes, &places)
      new.isHead = MarkupName.isEqual(local, "head")
      new.isTitle = parent?.isHead == true && title == nil && MarkupName.isEqual(local, "title")
      if new.isTitle { text.removeAll(keepingCapacity: true) }
    }
    open.append(new)
  }

  mutating func end(_ name: UnsafeBufferPointer<UInt8>) { end() }

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    if text.count < FeedLimits.textBytes { text += bytes }
  }
}

extension OPMLWalk {
  private mutating func end() {
    namespaces.leave()
    guard let ended = open.popLast() else { return }
    if let outline = ended.pending { addIgnored(outline, ended.place) }
    if ended.isTitle { title = FeedText.line(text) }
  }

  /// The place of an outline in those that are open, of which the innermost may become a folder.
  private mutating func enclosing() -> Place {
    guard let last = open.indices.last else { return Place() }
    if let outer = open.lastIndex(where: { $0.pending != nil }), let folder = open[outer].pending {
      open[outer].pending = nil
      let path = Self.path(folder, in: open[outer].place.path)
      for index in outer...last { open[index].place.path = path }
    }
    return open[last].place
  }

  private mutating func visit(_ outline: OPMLOutline, _ new: inout Open) {
    new.place.isComment = new.place.isComment || outline.isComment
    guard let address = outline.feedAddress else {
      // What is in a feed and is none belongs to it.
      if !new.place.isInFeed { new.pending = outline }
      return
    }
    guard !new.place.isInFeed || outline.filled("xmlurl") != nil else { return }
    addFeed(outline, address, new.place)
    new.place.isInFeed = true
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
