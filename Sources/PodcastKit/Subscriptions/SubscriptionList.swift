package import FoundationEssentials
import PodcastFeeds
package import PodcastModel

/// The podcasts that a library follows, in the order of its `subscriptions.opml`.
///
/// What podget does not know in the file stays where it is: outlines, attributes and comments of
/// other programs or of a person. Changes are made in the file's tree once, when it is written.
package struct SubscriptionList: Sendable {
  /// A subscription, and where it is in the tree.
  private struct Entry {
    var subscription: Subscription
    /// What its outline in the tree is found by; nil for a new one.
    var outline: FeedIdentity?
    var isChanged = false
  }

  private var document: OPMLDocument
  private var entries: [Entry] = []
  /// Outlines in the tree whose subscriptions were removed, and whether they can be brought back.
  private var removed: [FeedIdentity: Bool] = [:]
  /// What can be brought back, by its present address, and that by each of its addresses.
  private var kept: [FeedIdentity: Subscription] = [:]
  private var keptPlaces: [FeedIdentity: FeedIdentity] = [:]
  /// Outlines of what was brought back.
  private var restored: Set<FeedIdentity> = []
  /// Where entries are by what they are looked up by; nil after a change that moves them.
  private var index: SubscriptionIndex?

  /// What in the file has no effect, in sentences that name the file, the line and the column: at most
  /// a few, and then how many more there are.
  package private(set) var warnings: [String] = []

  /// How many warnings there are at most: a file may have any number of faults.
  private static let mostWarnings = 20
  /// How many outlines are kept at most, besides those with what a person has said.
  private static let mostKept = 1000

  /// The podcasts, each once.
  package var subscriptions: [Subscription] { entries.map(\.subscription) }

  /// Whether the file has password commands, also of what can be brought back.
  var hasCommands: Bool {
    (subscriptions + kept.values).contains { $0.settings[.passwordCommand] != nil }
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
    var names: Set<String> = []
    var firstURLs: Set<String> = []
    var problem: PodgetError?
    var moreWarnings = 0
    SubscriptionTree.forEachOutline(in: document.nodes) { outline, folders in
      guard problem == nil else { return }
      if SubscriptionOutline.isKept(outline) {
        let before = SubscriptionOutline.restored(outline)
        // A wrong one is a comment.
        guard let old = (try? SubscriptionOutline.subscription(before, in: folders)) ?? nil else {
          return
        }
        let identity = FeedIdentity(old.feedURL)
        // Of two with one address, the first one.
        guard kept[identity] == nil else { return }
        kept[identity] = old
        for address in old.earlierURLs where keptPlaces[FeedIdentity(address)] == nil {
          keptPlaces[FeedIdentity(address)] = identity
        }
        return
      }
      var isSubscription = false
      defer {
        for attribute in SubscriptionOutline.attributesWithoutEffect(
          in: outline, isSubscription: isSubscription)
        {
          guard warnings.count < Self.mostWarnings else {
            moreWarnings += 1
            continue
          }
          let place = "\(name):\(attribute.position.line):\(attribute.position.column)"
          warnings.append("Warning: \(place): \(SubscriptionOutline.warning(about: attribute))")
        }
      }
      do throws(SubscriptionOutline.Fault) {
        guard var subscription = try SubscriptionOutline.subscription(outline, in: folders) else {
          return
        }
        let identity = FeedIdentity(subscription.feedURL)
        guard known.insert(identity).inserted else { return }
        isSubscription = true
        if !subscription.name.isEmpty, !names.insert(subscription.name.lowercased()).inserted {
          throw SubscriptionOutline.Fault(
            sentence: "Another subscription has the name \(subscription.name).",
            position: outline.position)
        }
        subscription.firstURL = Self.unique(subscription.firstURL, among: &firstURLs)
        entries.append(Entry(subscription: subscription, outline: identity))
      } catch {
        problem = failure(error.position.line, error.position.column, error.sentence)
      }
    }
    if moreWarnings > 0 {
      warnings.append("Warning: \(name): \(moreWarnings) more attributes have no effect.")
    }
    if let problem { throw problem }
    for place in entries.indices {
      entries[place].subscription.forgetEarlier(where: known.contains)
    }
    // A person need not invent names.
    var numbers = SubscriptionName.Numbers()
    for place in entries.indices where entries[place].subscription.name.isEmpty {
      let name = numbers.name(for: entries[place].subscription.title, isTaken: names.contains)
      names.insert(name)
      entries[place].subscription.name = name
    }
  }

  /// The list as a file.
  package var bytes: [UInt8] { applied.bytes() }

  private var applied: OPMLDocument {
    var changes: [FeedIdentity: Subscription] = [:]
    for entry in entries where entry.isChanged {
      if let outline = entry.outline { changes[outline] = entry.subscription }
    }
    var document = document
    if !changes.isEmpty || !removed.isEmpty {
      var restored = restored
      SubscriptionTree.edit(&document.nodes, changes, removing: removed, restoring: &restored)
    }
    for entry in entries where entry.outline == nil {
      var outline = OPMLOutline()
      SubscriptionOutline.write(entry.subscription, to: &outline, in: [])
      document.nodes.append(.outline(outline))
    }
    return document
  }

  /// The file for another program: only the subscriptions, in folders by their first category.
  ///
  /// - Parameter keepsCredentials: whether user names and passwords are written.
  package func exported(keepsCredentials: Bool, at now: Date) -> [UInt8] {
    var document = OPMLDocument(title: "Podcasts", dateCreated: now)
    for subscription in subscriptions {
      let folders = subscription.categories.first.map(SubscriptionOutline.folders) ?? []
      var outline = OPMLOutline()
      SubscriptionOutline.write(
        subscription, to: &outline, in: folders, keepsCredentials: keepsCredentials)
      SubscriptionTree.insert(outline, into: &document.nodes, folders[...])
    }
    return document.bytes()
  }
}

extension SubscriptionList {
  /// The subscription that a text names: by its short name; otherwise by a title that only one of
  /// them has.
  package mutating func named(_ text: String) -> Subscription? {
    let wanted = text.lowercased()
    return indexed { $0.names[wanted] ?? $0.titles[wanted].flatMap { $0 } }
  }

  /// Why a title means no subscription: several have it. Their names are in the sentence. Nil for
  /// anything else.
  package func ambiguity(of title: String) -> PodgetError? {
    let wanted = title.lowercased()
    let names = subscriptions.filter { $0.title.lowercased() == wanted }.map(\.name)
    guard names.count > 1, !subscriptions.contains(where: { $0.name.lowercased() == wanted }) else {
      return nil
    }
    return PodgetError(
      .notFound,
      "\(names.count) subscriptions have this title; name one of them: "
        + "\(names.joined(separator: ", ")).")
  }

  /// The subscription with an Apple id.
  package mutating func subscription(id: Int64) -> Subscription? {
    indexed { $0.places.place(id: id) }
  }

  /// The subscription with a feed's address: its own, or one that it had before. Another show may be
  /// at an earlier address by now; see ``subscription(of:)``.
  package mutating func subscription(feed: FeedURL) -> Subscription? {
    indexed { $0.places.place(feed: feed) }
  }

  /// The subscription of a podcast: with its id or its address. An address that the subscription had
  /// before counts only with its title.
  package mutating func subscription(of podcast: Podcast) -> Subscription? {
    indexed { $0.places.place(of: podcast) }
  }

  /// The subscription that had the address of a podcast before, although nothing shows that the podcast
  /// is the same.
  mutating func unprovenSubscription(of podcast: Podcast) -> Subscription? {
    indexed { $0.places.place(of: podcast) == nil ? $0.places.unprovenPlace(of: podcast) : nil }
  }

  /// The subscription of a podcast: with its id, its address or its UUID at the same host with the same
  /// query. A premium feed has the UUID of the public one.
  package mutating func subscription(of other: Subscription) -> Subscription? {
    if let found = subscription(of: other.podcast) { return found }
    guard let found = namesake(of: other), found.isLikelySameFeed(as: other.feedURL) else {
      return nil
    }
    return found
  }

  /// The subscription with the UUID of a podcast, at whatever address.
  mutating func namesake(of other: Subscription) -> Subscription? {
    guard let guid = other.guid else { return nil }
    return indexed { $0.guids[guid] }
  }

  /// The subscription with a short name, in any case.
  mutating func subscription(shortName name: String) -> Subscription? {
    let wanted = name.lowercased()
    return indexed { $0.names[wanted] }
  }

  /// Whether a subscription has a short name, in any case.
  package mutating func hasName(_ name: String) -> Bool { subscription(shortName: name) != nil }

  /// A short name for a title that no subscription has.
  package mutating func freeName(for title: String) -> String {
    prepareIndex()
    guard var index else { return title }
    // One owner at a time, so that nothing of it is copied.
    self.index = nil
    defer { self.index = index }
    let names = index.names
    return index.numbers.name(for: title) { names[$0] != nil }
  }

  private mutating func indexed(_ place: (SubscriptionIndex) -> Int?) -> Subscription? {
    prepareIndex()
    return index.flatMap(place).map { entries[$0].subscription }
  }

  private mutating func prepareIndex() {
    guard index == nil else { return }
    var new = SubscriptionIndex()
    for (place, entry) in entries.enumerated() { new.add(entry.subscription, at: place) }
    index = new
  }
}

extension SubscriptionList {
  /// Adds a podcast at the end. One that can be brought back has its place, its settings and its name
  /// again, where no others are given.
  ///
  /// - Parameter hasName: whether a person chose the name.
  /// - Returns: the subscription as it is in the list.
  @discardableResult
  package mutating func add(_ subscription: Subscription, hasName: Bool = false) -> Subscription {
    prepareIndex()
    guard var index else { return subscription }
    self.index = nil
    var subscription = subscription
    var identity = FeedIdentity(subscription.feedURL)
    // A person who names an address means it; a server may know an earlier one, or spell it.
    if kept[identity] == nil, subscription.isFromAccount,
      let present = keptPlaces[identity], let url = kept[present]?.feedURL,
      index.places.place(feed: url) == nil
    {
      identity = present
    }
    let old = kept.removeValue(forKey: identity)
    if let old {
      subscription.takeSettings(of: old)
      if !hasName, !old.name.isEmpty, index.names[old.name.lowercased()] == nil {
        subscription.name = old.name
      }
      restored.insert(identity)
    }
    subscription.firstURL = Self.unique(subscription.firstURL, among: &index.firstURLs)
    index.add(subscription, at: entries.endIndex)
    let outline = old.map { FeedIdentity($0.feedURL) }
    entries.append(Entry(subscription: subscription, outline: outline, isChanged: true))
    self.index = index
    return subscription
  }

  /// Replaces the subscription with the same short name.
  package mutating func replace(_ subscription: Subscription) {
    replace(subscription, named: subscription.name)
  }

  /// Gives the subscription with a short name another one.
  package mutating func rename(_ name: String, to newName: String) {
    guard var renamed = named(name) else { return }
    renamed.name = newName
    replace(renamed, named: name)
  }

  private mutating func replace(_ subscription: Subscription, named name: String) {
    guard let place = place(of: name), entries[place].subscription != subscription else { return }
    // With thousands of changes, making the index again for each takes minutes.
    if !entries[place].subscription.isFound(like: subscription) { index = nil }
    entries[place].subscription = subscription
    entries[place].isChanged = true
  }

  /// Takes a subscription to another address. If another one has that address already, the older of
  /// the two stays, with its name and its settings, except for the login: one that was given for the
  /// new address is the one to use there.
  ///
  /// - Parameters:
  ///   - name: the short name of the subscription that moves.
  ///   - old: the address that it leaves; if it has another one by now, nothing changes.
  ///   - target: its new address. A user name and a password are never taken from a feed.
  ///   - login: what becomes of the login of the subscription.
  ///   - merging: whether it may become one with another one.
  package mutating func move(
    _ name: String, from old: FeedURL, to target: FeedURL, _ login: MovingLogin = .stays,
    merging: MovingTogether = .always
  ) {
    guard let place = place(of: name),
      FeedIdentity(entries[place].subscription.feedURL) == FeedIdentity(old),
      let target = FeedURL(target.withoutCredentials)
    else { return }
    var moved = entries[place].subscription
    guard moved.move(to: target, login) else { return }
    let wanted = FeedIdentity(target)
    let other = entries.firstIndex {
      FeedIdentity($0.subscription.feedURL) == wanted && $0.subscription.name != name
    }
    guard let other else { return replace(moved, named: name) }
    let there = entries[other].subscription
    guard merging == .always || moved.isOnePodcast(as: there) else { return }
    let (removed, name) = place < other ? (there.name, name) : (name, there.name)
    var left = place < other ? moved : there
    if there.hasLogin {
      left.takeAddressAndLogin(of: there)
    } else if login == .follows {
      left.takeAddressAndLogin(of: moved)
    }
    left.remember(moved.addresses + there.addresses)
    remove(removed)
    replace(left, named: name)
  }

  /// Removes the subscription with a short name. An outline that holds others stays as their folder.
  package mutating func remove(_ name: String) { remove([name]) }

  /// Removes the subscriptions with these short names.
  ///
  /// - Parameter isKept: whether they can be brought back: no person has removed them.
  package mutating func remove(_ names: Set<String>, isKept: Bool = false) {
    var room = Self.mostKept - kept.count
    entries.removeAll { entry in
      let subscription = entry.subscription
      guard names.contains(subscription.name) else { return false }
      if let outline = entry.outline {
        let isOwn = !subscription.isFromAccount || subscription.settings != SubscriptionSettings()
        removed[outline] = isKept && (isOwn || room > 0)
        if isKept, !isOwn { room -= 1 }
      }
      return true
    }
    index = nil
  }

  private mutating func place(of name: String) -> Int? {
    prepareIndex()
    return index?.names[name.lowercased()].flatMap {
      entries[$0].subscription.name == name ? $0 : nil
    }
  }

  /// The first address identifies the state of a feed, also after moves.
  private static func unique(_ firstURL: String, among known: inout Set<String>) -> String {
    var unique = firstURL
    var number = 2
    while !known.insert(unique).inserted {
      unique = "\(firstURL)#\(number)"
      number += 1
    }
    return unique
  }
}

extension Subscription {
  /// Whether it is found by the same names, ids and addresses as another one.
  fileprivate func isFound(like other: Subscription) -> Bool {
    name == other.name && title == other.title && id == other.id && guid == other.guid
      && feedURL == other.feedURL && firstURL == other.firstURL && earlierURLs == other.earlierURLs
  }
}

/// Where subscriptions are in a list.
private struct SubscriptionIndex {
  var places = SubscriptionPlaces()
  var guids: [String: Int] = [:]
  var names: [String: Int] = [:]
  /// Nil for a title that several have.
  var titles: [String: Int?] = [:]
  var firstURLs: Set<String> = []
  var numbers = SubscriptionName.Numbers()

  mutating func add(_ subscription: Subscription, at place: Int) {
    places.add(subscription, at: place)
    if let guid = subscription.guid { guids[guid] = guids[guid] ?? place }
    names[subscription.name.lowercased()] = place
    let title = subscription.title.lowercased()
    titles[title] = titles[title] == nil ? place : .some(nil)
    firstURLs.insert(subscription.firstURL)
  }
}
