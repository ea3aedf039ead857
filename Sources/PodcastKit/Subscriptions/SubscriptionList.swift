package import FoundationEssentials
import PodcastFeeds
package import PodcastModel

/// The podcasts that a library follows, in the order of its `subscriptions.opml`.
///
/// What podget does not know in the file stays where it is: outlines, attributes and comments of
/// other programs or of a person.
package struct SubscriptionList: Sendable {
  /// The podcasts, each once.
  package private(set) var subscriptions: [Subscription] = [] {
    didSet { index = nil }
  }
  private var document: OPMLDocument
  /// Where subscriptions are by what they are looked up by; nil after a change.
  private var index: Index?

  fileprivate struct Index {
    var feeds: [FeedIdentity: Int] = [:]
    var ids: [Int64: Int] = [:]
    var names: Set<String> = []
    var firstURLs: Set<String> = []
  }

  /// The list of a library that follows nothing.
  package init() {
    document = OPMLDocument(title: "Podcasts", dateCreated: nil)
  }

  /// Reads a list.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: the file's name, for messages.
  /// - Throws: a ``PodgetError`` with the code `decoding` that names line and column.
  package init(_ bytes: [UInt8], name: String) throws(PodgetError) {
    func failure(_ line: Int, _ column: Int, _ sentence: String) -> PodgetError {
      PodgetError(
        .decoding, "\(name):\(line):\(column): \(sentence) The file is left as it is; correct it.")
    }
    do throws(OPMLError) {
      document = try OPMLDocument(reading: bytes)
    } catch {
      throw failure(error.line, error.column, error.sentence)
    }
    var known: Set<FeedIdentity> = []
    var found: [Subscription] = []
    var problem: PodgetError?
    Self.forEachOutline(in: document.nodes) { outline, folders in
      guard problem == nil else { return }
      do throws(OptionValueError) {
        guard let subscription = try SubscriptionOutline.subscription(outline, in: folders),
          known.insert(FeedIdentity(subscription.feedURL)).inserted
        else { return }
        found.append(subscription)
      } catch {
        problem = failure(outline.line, outline.column, error.description)
      }
    }
    if let problem { throw problem }
    subscriptions = found
    try nameAll(name)
  }

  /// The list as a file.
  package var bytes: [UInt8] { document.bytes() }

  /// The subscriptions that a text names: by its short name; otherwise by a title that only one of
  /// them has.
  package func named(_ text: String) -> Subscription? {
    let wanted = text.lowercased()
    if let exact = subscriptions.first(where: { $0.name.lowercased() == wanted }) { return exact }
    let titled = subscriptions.filter { $0.title.lowercased() == wanted }
    return titled.count == 1 ? titled[0] : nil
  }

  /// The subscription with an Apple id.
  package mutating func subscription(id: Int64) -> Subscription? {
    indexed().ids[id].map { subscriptions[$0] }
  }

  /// The subscription with a feed's address.
  package mutating func subscription(feed: FeedURL) -> Subscription? {
    indexed().feeds[FeedIdentity(feed)].map { subscriptions[$0] }
  }

  /// The subscription of a podcast: with its id, its UUID or its address.
  package mutating func subscription(of other: Subscription) -> Subscription? {
    if let id = other.id, let found = subscription(id: id) { return found }
    if let found = subscription(feed: other.feedURL) { return found }
    guard let guid = other.guid else { return nil }
    return subscriptions.first { $0.guid == guid }
  }

  /// Whether a subscription has a short name, in any case.
  package mutating func hasName(_ name: String) -> Bool {
    indexed().names.contains(name.lowercased())
  }

  /// A short name for a title that no subscription has.
  package mutating func freeName(for title: String) -> String {
    let names = indexed().names
    return SubscriptionName.unique(for: title, isTaken: names.contains)
  }

  private mutating func indexed() -> Index {
    if let index { return index }
    var new = Index()
    for (place, subscription) in subscriptions.enumerated() { new.add(subscription, at: place) }
    index = new
    return new
  }
}

extension SubscriptionList {
  /// Adds a podcast at the end.
  package mutating func add(_ subscription: Subscription) {
    var subscription = subscription
    // The first address identifies the state of a feed, also after moves.
    var index = indexed()
    let first = subscription.firstURL
    var number = 2
    while index.firstURLs.contains(subscription.firstURL) {
      subscription.firstURL = "\(first)#\(number)"
      number += 1
    }
    var outline = OPMLOutline()
    SubscriptionOutline.write(subscription, to: &outline, in: [])
    document.nodes.append(.outline(outline))
    index.add(subscription, at: subscriptions.endIndex)
    subscriptions.append(subscription)
    self.index = index
  }

  /// Replaces the subscription with the same short name.
  package mutating func replace(_ subscription: Subscription) {
    guard let place = subscriptions.firstIndex(where: { $0.name == subscription.name }) else {
      return
    }
    let old = FeedIdentity(subscriptions[place].feedURL)
    Self.edit(&document.nodes, []) { outline, folders in
      guard Self.isOutline(outline, of: old) else { return true }
      SubscriptionOutline.write(subscription, to: &outline, in: folders)
      return true
    }
    subscriptions[place] = subscription
  }

  /// Takes a subscription to another address. If another one has that address already, the older of
  /// the two stays, with its name and its settings.
  ///
  /// - Parameters:
  ///   - name: the short name of the subscription that moves.
  ///   - target: its new address. A user name and a password stay on their own origin.
  package mutating func move(_ name: String, to target: FeedURL) {
    guard let place = subscriptions.firstIndex(where: { $0.name == name }) else { return }
    var moved = subscriptions[place]
    if let other = subscription(feed: target), other.name != name,
      let otherPlace = subscriptions.firstIndex(where: { $0.name == other.name })
    {
      guard place < otherPlace else { return remove(name) }
      remove(other.name)
    }
    moved.feedURL = moved.feedURL.moved(to: target)
    replace(moved)
  }

  /// Removes the subscription with a short name. An outline that holds others stays as their folder.
  package mutating func remove(_ name: String) {
    guard let place = subscriptions.firstIndex(where: { $0.name == name }) else { return }
    let old = FeedIdentity(subscriptions[place].feedURL)
    Self.edit(&document.nodes, []) { outline, _ in
      guard Self.isOutline(outline, of: old) else { return true }
      guard !outline.outlines.isEmpty else { return false }
      for attribute in outline.attributes
      where ["xmlurl", "url", "type"].contains(attribute.local.lowercased()) {
        outline[attribute.local] = nil
      }
      return true
    }
    subscriptions.remove(at: place)
  }

  /// Gives the subscription with a short name another one.
  package mutating func rename(_ name: String, to newName: String) {
    guard let place = subscriptions.firstIndex(where: { $0.name == name }) else { return }
    var subscription = subscriptions[place]
    subscription.name = newName
    let old = FeedIdentity(subscription.feedURL)
    Self.edit(&document.nodes, []) { outline, folders in
      guard Self.isOutline(outline, of: old) else { return true }
      SubscriptionOutline.write(subscription, to: &outline, in: folders)
      return true
    }
    subscriptions[place] = subscription
  }

  /// The file for another program: only the subscriptions, in folders by their first category.
  ///
  /// - Parameter keepsCredentials: whether user names and passwords are written.
  package func exported(keepsCredentials: Bool, at now: Date) -> [UInt8] {
    var document = OPMLDocument(title: "Podcasts", dateCreated: now)
    for subscription in subscriptions {
      var folders: [String] = []
      if let path = subscription.categories.first {
        folders = path.split(separator: "/").map { String($0) }
      }
      var outline = OPMLOutline()
      SubscriptionOutline.write(
        subscription, to: &outline, in: folders, keepsCredentials: keepsCredentials)
      Self.insert(outline, into: &document.nodes, folders[...])
    }
    return document.bytes()
  }
}

extension SubscriptionList.Index {
  fileprivate mutating func add(_ subscription: Subscription, at place: Int) {
    let feed = FeedIdentity(subscription.feedURL)
    feeds[feed] = feeds[feed] ?? place
    if let id = subscription.id { ids[id] = ids[id] ?? place }
    names.insert(subscription.name.lowercased())
    firstURLs.insert(subscription.firstURL)
  }
}

extension SubscriptionList {
  /// Gives a name to each subscription that has none, as in a file that a person wrote.
  private mutating func nameAll(_ file: String) throws(PodgetError) {
    var taken: Set<String> = []
    for subscription in subscriptions where !subscription.name.isEmpty {
      guard taken.insert(subscription.name.lowercased()).inserted else {
        throw PodgetError(
          .decoding,
          "\(file): two subscriptions have the name \(subscription.name); give one of them another."
        )
      }
    }
    for place in subscriptions.indices where subscriptions[place].name.isEmpty {
      let name = SubscriptionName.unique(for: subscriptions[place].title, isTaken: taken.contains)
      taken.insert(name)
      subscriptions[place].name = name
    }
  }

  private static func isOutline(_ outline: OPMLOutline, of feed: FeedIdentity) -> Bool {
    guard !outline.isComment, let address = outline.feedAddress, let url = FeedURL(address) else {
      return false
    }
    return FeedIdentity(url) == feed
  }

  private static func forEachOutline(
    in nodes: [OPMLNode], _ folders: [String] = [], _ body: (OPMLOutline, [String]) -> Void
  ) {
    for outline in nodes.lazy.compactMap(\.outline) where !outline.isComment {
      body(outline, folders)
      forEachOutline(in: outline.nodes, folders + [title(of: outline)], body)
    }
  }

  /// Changes outlines in place; the body answers whether the outline stays.
  private static func edit(
    _ nodes: inout [OPMLNode], _ folders: [String],
    _ body: (inout OPMLOutline, [String]) -> Bool
  ) {
    nodes = nodes.compactMap { node in
      guard case .outline(var outline) = node else { return node }
      guard !outline.isComment else { return node }
      guard body(&outline, folders) else { return nil }
      edit(&outline.nodes, folders + [title(of: outline)], body)
      return .outline(outline)
    }
  }

  private static func insert(
    _ outline: OPMLOutline, into nodes: inout [OPMLNode], _ folders: ArraySlice<String>
  ) {
    guard let folder = folders.first else { return nodes.append(.outline(outline)) }
    for place in nodes.indices {
      guard case .outline(var found) = nodes[place], found.feedAddress == nil,
        title(of: found) == folder
      else { continue }
      insert(outline, into: &found.nodes, folders.dropFirst())
      nodes[place] = .outline(found)
      return
    }
    var new = OPMLOutline(["text": folder, "title": folder])
    insert(outline, into: &new.nodes, folders.dropFirst())
    nodes.append(.outline(new))
  }

  private static func title(of outline: OPMLOutline) -> String {
    outline["text"] ?? outline["title"] ?? ""
  }
}
