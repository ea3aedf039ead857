package import PodcastModel

/// Which of a library's records are of one podcast, by sure evidence only: a subscription, Apple's
/// id, or the feed's address. An address that a subscription had before is evidence only together with
/// a title of it: another show may be there by now.
///
/// Publishers give a public feed and a premium one the same title, so a title decides only for
/// records that have nothing else, and only if no other podcast has it.
package struct LibraryPodcasts: Sendable {
  /// What identifies a podcast; equal values are one podcast.
  package enum Key: Hashable, Sendable {
    /// The subscription with this short name.
    case subscription(String)
    /// A podcast of Apple's catalog that is not followed.
    case apple(Int64)
    /// A feed, by its address in comparable form, that is not followed and has no known id.
    case feed(String)
    /// Records that have only this title.
    case title(String)

    /// A text that is different for different podcasts.
    package var text: String {
      switch self {
      case .subscription(let name): "subscription \(name)"
      case .apple(let id): "id \(id)"
      case .feed(let feed): "feed \(feed)"
      case .title(let title): "title \(title)"
      }
    }
  }

  private let subscriptions: [Subscription]
  private var subscribed: SubscriptionPlaces
  /// The subscriptions by ids that only records know. Nil for an id that several may have.
  private var recordedIDs: [Int64: Int?] = [:]
  /// Apple's ids by the feeds that they are recorded with. Nil for a feed with several.
  private var idsOfFeeds: [String: Int64?] = [:]
  /// Nil for a title that several subscriptions have.
  private var subscribedTitles: [String: Int?] = [:]
  /// The titles that podcasts have which are not followed.
  private var otherTitles: Set<String> = []
  private var keys: [Podcast: Key] = [:]
  /// What is one with other podcasts, because a person said so.
  private var wholes: [Key: Key] = [:]
  /// The same by what the person said.
  private var wholesByFact: [EpisodeKey: Key] = [:]
  private let facts: PodcastFacts

  /// Identifies podcasts as records describe them.
  ///
  /// - Parameters:
  ///   - podcasts: those of all records, in any order and number.
  ///   - subscriptions: those of the library.
  ///   - facts: say which podcasts are one; nothing else makes two of them one.
  package init(
    _ podcasts: some Sequence<Podcast>, subscriptions: [Subscription],
    facts: PodcastFacts = PodcastFacts()
  ) {
    self.subscriptions = subscriptions
    self.facts = facts
    subscribed = SubscriptionPlaces(subscriptions)
    for (place, subscription) in subscriptions.enumerated() {
      let title = subscription.title.lowercased()
      subscribedTitles[title] = subscribedTitles[title] == nil ? place : .some(nil)
    }
    var all: Set<Podcast> = []
    var last: Podcast?
    // The episodes of a podcast are adjacent, as in its folder.
    for podcast in podcasts where podcast != last {
      all.insert(podcast)
      last = podcast
    }
    connect(all)
    for podcast in all where Self.isIdentified(podcast) {
      let key = key(of: podcast)
      keys[podcast] = key
      if case .subscription = key { continue }
      otherTitles.insert(podcast.title.lowercased())
    }
    for podcast in all where !Self.isIdentified(podcast) { keys[podcast] = key(of: podcast) }
    join()
  }

  /// Makes podcasts one. A subscription stays what its episodes belong to.
  private mutating func join() {
    guard facts.joins else { return }
    for (fact, podcasts) in facts.wholes {
      let members = podcasts.map { ownKey(of: $0) }
      let followed = members.first { if case .subscription = $0 { true } else { false } }
      let known = members.compactMap { wholes[$0] }.first
      guard let whole = known ?? followed ?? members.first else { continue }
      for member in members { wholes[member] = whole }
      wholesByFact[fact] = whole
    }
    for (podcast, key) in keys { keys[podcast] = whole(of: key, podcast) }
  }

  /// What a podcast is part of, by its own key and its description.
  private func whole(of key: Key, _ podcast: Podcast) -> Key {
    guard !wholesByFact.isEmpty else { return key }
    return wholes[key] ?? facts.wholeKey(of: podcast).flatMap { wholesByFact[$0] } ?? key
  }

  /// What a podcast is part of.
  package func whole(of key: Key) -> Key { wholes[key] ?? key }

  /// The descriptions of a podcast in the records, and that of its subscription.
  package func podcasts(of key: Key) -> [Podcast] {
    let recorded = keys.filter { $0.value == key }.map(\.key).sorted {
      ($0.title, $0.feedURL?.text ?? "") < ($1.title, $1.feedURL?.text ?? "")
    }
    guard case .subscription(let name) = key else { return recorded }
    return recorded + subscriptions.filter { $0.name == name }.map(\.podcast)
  }

  /// The podcast with a key that is followed.
  package func subscription(of key: Key) -> Subscription? {
    guard case .subscription(let name) = key else { return nil }
    return subscriptions.first { $0.name == name }
  }

  /// Learns which ids and feeds belong together.
  private mutating func connect(_ podcasts: Set<Podcast>) {
    for podcast in podcasts {
      guard let id = podcast.id, let feed = PodcastIdentity(podcast).feed else { continue }
      if let known = idsOfFeeds[feed], known != id {
        idsOfFeeds[feed] = .some(nil)
      } else {
        idsOfFeeds[feed] = id
      }
    }
    subscribed.learnTitles(of: podcasts)
    connectIDs(podcasts) { subscribed, podcast in subscribed.surePlace(of: podcast) }
    for podcast in podcasts {
      if let place = podcast.id.flatMap({ recordedIDs[$0] ?? nil }) {
        subscribed.learn(podcast, at: place)
      }
    }
    connectIDs(podcasts) { subscribed, podcast in subscribed.place(feedOf: podcast) }
  }

  /// Learns which ids subscriptions have that do not know theirs.
  private mutating func connectIDs(
    _ podcasts: Set<Podcast>, _ place: (SubscriptionPlaces, Podcast) -> Int?
  ) {
    for podcast in podcasts {
      guard let id = podcast.id, subscribed.place(id: id) == nil,
        case .some(id) = PodcastIdentity(podcast).feed.flatMap({ idsOfFeeds[$0] ?? nil }),
        let place = place(subscribed, podcast), subscriptions[place].id == nil
      else { continue }
      if let known = recordedIDs[id], known != place {
        recordedIDs[id] = .some(nil)
      } else {
        recordedIDs[id] = place
      }
    }
  }

  /// The podcast that a record describes.
  package func key(of podcast: Podcast) -> Key {
    if let key = keys[podcast] { return key }
    return whole(of: ownKey(of: podcast), podcast)
  }

  /// The podcast that a record describes, without those that it is one with.
  private func ownKey(of podcast: Podcast) -> Key {
    let title = podcast.title.lowercased()
    guard Self.isIdentified(podcast) else {
      if let place = subscribedTitles[title] ?? nil, !otherTitles.contains(title) {
        return .subscription(subscriptions[place].name)
      }
      return .title(podcast.title)
    }
    let feed = PodcastIdentity(podcast).feed
    var id = podcast.id
    // The id that is recorded with an earlier address of a subscription is the subscription's.
    if id == nil, subscribed.unprovenPlace(of: podcast) == nil {
      id = feed.flatMap { idsOfFeeds[$0] ?? nil }
    }
    if let place = place(of: podcast, id: id) { return .subscription(subscriptions[place].name) }
    if let id { return .apple(id) }
    return feed.map { .feed($0) } ?? .title(podcast.title)
  }

  /// The podcasts of an Apple id or of a feed's address; none for other sources.
  func keys(of source: Source) -> Set<Key> {
    switch source {
    case .apple(let id, _, nil): return [key(of: Podcast(id: id, title: ""))]
    case .feed(let url):
      guard let feed = FeedURL(url) else { return [] }
      let named = Podcast(title: "", feedURL: feed)
      let key = key(of: named)
      let identity = PodcastIdentity(named).feed
      guard case .feed = key, wholes[key] == nil else { return [key] }
      let recorded = keys.filter { PodcastIdentity($0.key).feed == identity }.map(\.value)
      if let place = subscribed.unprovenPlace(of: named) {
        // Another show that is there by now is meant; without one, the show that was there.
        let others = Set(recorded).filter { if case .subscription = $0 { false } else { true } }
        return others.isEmpty ? [.subscription(subscriptions[place].name)] : others
      }
      // Several ids are recorded with some feeds.
      return Set(recorded + [key])
    case .apple, .file, .standardInput, .name: return []
    }
  }

  /// The podcasts that some record has under a title.
  func keys(titled title: String) -> Set<Key> {
    let title = title.lowercased()
    return Set(
      keys.lazy.filter {
        $0.key.title.lowercased() == title || $0.key.shownTitle.lowercased() == title
      }.map(\.value))
  }

  /// How a user names a podcast, for messages.
  package func name(of key: Key) -> String {
    switch key {
    case .subscription(let name): name
    case .apple(let id): String(id)
    case .feed:
      keys.first { $0.value == key }?.key.feedURL?.redacted ?? key.text
    case .title: "records without an id and an address"
    }
  }

  /// The same if it can be typed; nil for records that have only a title, and for an address whose
  /// query is hidden.
  func typedName(of key: Key) -> String? {
    switch key {
    case .subscription, .apple: return name(of: key)
    case .feed:
      let url = keys.first { $0.value == key }?.key.feedURL
      return url.flatMap { AddressRedaction.shown($0.text) == $0.text ? $0.text : nil }
    case .title: return nil
    }
  }

  /// The place of its subscription.
  ///
  /// - Parameter id: its own id, or the one that its feed is recorded with.
  private func place(of podcast: Podcast, id: Int64?) -> Int? {
    if let place = podcast.id.flatMap({ subscribed.place(id: $0) }) { return place }
    if let place = subscribed.place(feedOf: podcast) {
      // Apple's id decides if both have one.
      if let id = podcast.id, let own = subscriptions[place].id, own != id { return nil }
      return place
    }
    return id.flatMap { subscribed.place(id: $0) ?? recordedIDs[$0] ?? nil }
  }

  /// Whether it has more than a title.
  static func isIdentified(_ podcast: Podcast) -> Bool {
    podcast.id != nil || podcast.feedURL != nil
  }
}
