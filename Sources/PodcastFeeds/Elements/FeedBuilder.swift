internal import PodcastModel

/// Makes a ``FeedDocument`` of the elements that ``MarkupReader`` reports.
///
/// It keeps a stack of what each open element stands for, so that the title of an image, of a live
/// item or of a quoted source is never taken for the title of the podcast or of an episode.
struct FeedBuilder {
  /// What the elements in an open element say something about.
  enum Scope {
    case document
    /// The whole feed: `rss`, `channel`, or Atom's `feed`.
    case feed
    /// The `image` of a channel.
    case image
    /// An Atom author, of the feed or of an entry.
    case author
    case item
    /// `media:group` and `media:content` in an item.
    case media
    /// `podcast:alternateEnclosure` in an item.
    case alternate
    /// `psc:chapters` in an item.
    case chapters
    /// An element whose text is being gathered.
    case text
    /// Nothing that is read here, but for items: the element may have lost its end tag.
    case other
    /// Nothing that is read here, nor in it.
    case ignored
  }

  /// A limit of the whole document.
  enum PassedLimit {
    /// ``FeedLimits/items``
    case items
    /// ``FeedLimits/addressBytes``
    case addresses
  }

  private struct Frame {
    var scope: Scope
    var element: FeedElement?
    /// Whether the element has an `xml:base`.
    var hasBase = false
    /// How many declarations of namespaces hold around it.
    var bindings = 0
  }

  let wantsDetails: Bool
  let limits: FeedLimits
  private let preference: MediaPreference?
  var document: FeedDocument
  var feedFields = FeedFields()
  var item = ItemFields()
  /// The alternate enclosure whose sources are being read, and the number of those in the item.
  var alternate: MediaFile?
  var alternates = 0
  /// The attributes of the element whose text is being gathered, where they matter.
  var attributes = TextAttributes()
  /// What the title is whose text is being gathered.
  var titleKind = FeedText.Kind.escaped
  /// Whether the guid whose text is being gathered may be an address (RSS 2.0, `isPermaLink`).
  var isPermalink = false
  private var isInItem = false
  /// The limit that was passed, if one was. Nothing behind that place is read.
  private(set) var passedLimit: PassedLimit?

  private var names = ElementNames()
  private var frames = [Frame(scope: .document)]
  private var addresses: AddressResolver
  private var text: [UInt8] = []
  private var detailBytes = 0
  private var attributeCount = 0
  private var textBytes = 0

  /// - Parameters:
  ///   - url: the address of the feed, to which relative ones are relative.
  ///   - preference: which file of an item is wanted.
  init(
    url: FeedURL?, wantsDetails: Bool, limits: FeedLimits, preference: MediaPreference? = nil
  ) {
    self.wantsDetails = wantsDetails
    self.limits = limits
    self.preference = preference
    document = FeedDocument(podcast: Podcast(title: "", feedURL: url), format: .rss)
    addresses = AddressResolver(base: url?.text, maximumBytes: limits.addressBytes)
  }

  /// How much was done: attributes, and bytes of texts and addresses.
  var work: Int { attributeCount + names.work + textBytes + addresses.bytes }

  /// The document as far as it has been read.
  func result() -> FeedDocument {
    var document = document
    feedFields.apply(to: &document.podcast)
    return document
  }

  /// The absolute address that some text means here.
  mutating func address(_ bytes: some Collection<UInt8>) -> String? {
    addresses.absolute(bytes)
  }
}

extension FeedBuilder: MarkupTarget {
  var wantsText: Bool { frames.last?.scope == .text }
  var isStopped: Bool { passedLimit != nil }

  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes) {
    if addresses.isExhausted { passedLimit = passedLimit ?? .addresses }
    if passedLimit != nil { return }
    let parent = frames.last?.scope ?? .ignored
    var frame = Frame(scope: parent, bindings: names.bindingCount)
    if attributes.count > 0 {
      attributeCount += attributes.count
      names.declare(attributes)
    }
    if parent != .ignored {
      let element = names.element(name)
      if parent == .text, element != .item {
        startMarkup(name)
      } else {
        frame.element = element
        frame.hasBase = attributes["xml:base"].map { addresses.begin(base: $0) } ?? false
        frame.scope = element.map { scope(of: $0, in: parent, attributes) } ?? otherScope
      }
    }
    frames.append(frame)
  }

  mutating func end(_ name: UnsafeBufferPointer<UInt8>) {
    guard passedLimit == nil, frames.count > 1, let frame = frames.popLast() else { return }
    if let element = frame.element {
      let parent = frames.last?.scope ?? .ignored
      switch frame.scope {
      case .text: end(element, in: parent)
      case .item: finishItem()
      case .alternate: alternate = nil
      default: break
      }
    } else if frame.scope == .text {
      endMarkup(name)
    }
    if frame.hasBase { addresses.endBase() }
    names.endDeclarations(to: frame.bindings)
  }

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    // One byte more shows that there is more.
    let room = FeedLimits.textBytes + 1 - text.count
    if room > 0 { text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes.prefix(room))) }
  }
}

extension FeedBuilder {
  private mutating func scope(
    of element: FeedElement, in parent: Scope, _ attributes: ElementAttributes
  ) -> Scope {
    switch parent {
    case .document:
      guard let format = Self.format(of: element) else { return .ignored }
      document.format = format
      return .feed
    case .feed:
      switch element {
      case .channel: return .feed
      case .item, .atomEntry:
        startItem(attributes)
        return .item
      case .image: return .image
      case .atomAuthor: return .author
      case .liveItem: return .ignored
      default:
        return startFeedElement(element, attributes) ? startText(element, attributes) : .other
      }
    case .image where element == .item, .author where element == .item:
      return startLostItem(attributes)
    case .image:
      return element == .url ? startText(element, attributes) : .other
    case .author:
      return element == .atomName ? startText(element, attributes) : .other
    case .item:
      switch element {
      case .item: return startLostItem(attributes)
      case .mediaGroup: return .media
      case .mediaContent: return startMediaContent(attributes)
      case .alternateEnclosure:
        startAlternate(attributes)
        return .alternate
      case .simpleChapters: return wantsDetails ? .chapters : .other
      default:
        return startItemElement(element, attributes) ? startText(element, attributes) : .other
      }
    case .media:
      switch element {
      case .mediaContent: return startMediaContent(attributes)
      case .mediaTitle, .thumbnail:
        return startItemElement(element, attributes) ? startText(element, attributes) : .other
      default: return .other
      }
    case .alternate:
      switch element {
      case .source: addSource(attributes)
      case .integrity: addIntegrity(attributes)
      default: break
      }
      return .other
    case .chapters:
      if element == .simpleChapter { addChapter(attributes) }
      return element == .item ? startLostItem(attributes) : .other
    case .text, .other: return element == .item ? startLostItem(attributes) : .other
    case .ignored: return .ignored
    }
  }

  private mutating func startMediaContent(_ attributes: ElementAttributes) -> Scope {
    addMediaContent(attributes)
    // The title of a picture is no episode's.
    return Self.isImage(attributes) ? .other : .media
  }

  /// What an unknown element stands for: below `rss` only a channel can be meant.
  private var otherScope: Scope {
    frames.count == 2 && frames[1].element == .rss ? .feed : .other
  }

  /// Begins an item in an element that should have been closed before it, perhaps an item. What was
  /// gathered of the elements around it is dropped, and so is what follows in them.
  private mutating func startLostItem(_ attributes: ElementAttributes) -> Scope {
    finishItem()
    for index in frames.indices where frames[index].scope == .text { frames[index].scope = .other }
    alternate = nil
    startItem(attributes)
    return .item
  }

  private static func format(of element: FeedElement) -> FeedFormat? {
    switch element {
    case .rss, .channel: .rss
    case .rdf: .rdf
    case .atomFeed: .atom
    default: nil
    }
  }

  private mutating func startText(_ element: FeedElement, _ attributes: ElementAttributes) -> Scope
  {
    text.removeAll(keepingCapacity: true)
    switch element {
    case .funding, .trailer, .person: self.attributes = TextAttributes(attributes)
    case .title, .atomTitle:
      let isAtom = element == .atomTitle || document.format == .atom
      titleKind =
        isAtom ? FeedText.Kind(type: attributes["type"], otherwise: .plain) : .escaped
    case .guid:
      isPermalink = attributes["ispermalink"].map { !FeedText.isWord($0, "false") } ?? true
    case .mediaTitle: titleKind = FeedText.Kind(type: attributes["type"], otherwise: .escaped)
    default: titleKind = .escaped
    }
    return .text
  }

  private mutating func end(_ element: FeedElement, in parent: Scope) {
    textBytes += text.count
    FeedText.cut(&text, to: FeedLimits.textBytes)
    switch parent {
    case .feed: endFeedElement(element, text)
    case .image: feedFields.imageURL = feedFields.imageURL ?? address(text)
    case .author: feedFields.atomAuthor = feedFields.atomAuthor ?? FeedText.line(text)
    case .item, .media: endItemElement(element, text)
    default: break
    }
  }

  private mutating func startItem(_ attributes: ElementAttributes) {
    item = ItemFields()
    item.media.preference = preference
    alternates = 0
    isInItem = true
    if document.format == .rdf, let about = attributes["rdf:about"] {
      item.guid = FeedText.token(about, maximumBytes: FeedLimits.guidBytes)
    }
  }

  /// Makes an episode of the item that is being read; nothing where there is none.
  private mutating func finishItem() {
    guard isInItem else { return }
    isInItem = false
    guard let episode = item.episode else {
      document.unplayableCount += 1
      return
    }
    guard document.episodes.count < limits.items else {
      passedLimit = .items
      return
    }
    document.episodes.append(episode)
    guard wantsDetails else { return }
    var details = item.details
    details.sortChapters()
    details.link = details.link ?? item.permalink.flatMap { address($0.utf8) }
    detailBytes += details.bytes
    if detailBytes > limits.detailBytes { details = EpisodeDetails() }
    document.details.append(details)
  }

  /// Markup in a text: XHTML in Atom, or HTML that was not escaped. It is part of a description, and
  /// dropped from anything else.
  private mutating func startMarkup(_ name: UnsafeBufferPointer<UInt8>) {
    if isInDescription { addTag(UInt8(ascii: "<"), MarkupName.local(name)) }
  }

  private mutating func endMarkup(_ name: UnsafeBufferPointer<UInt8>) {
    let local = MarkupName.local(name)
    // In HTML `</br>` is a second line break.
    guard isInDescription, !HTMLElement.isVoid(local) else { return }
    text.append(UInt8(ascii: "<"))
    addTag(UInt8(ascii: "/"), local)
  }

  private mutating func addTag(_ start: UInt8, _ name: UnsafeBufferPointer<UInt8>) {
    text.append(start)
    text.append(contentsOf: name)
    text.append(UInt8(ascii: ">"))
  }

  private var isInDescription: Bool {
    guard text.count <= FeedLimits.textBytes else { return false }
    switch frames.last(where: { $0.element != nil })?.element {
    case .description, .contentEncoded, .atomContent, .atomSummary, .itunesSummary: return true
    default: return false
    }
  }
}
