package import PodcastModel

/// What a person said of the podcasts of a library: titles, folders, and which are one.
///
/// A podcast is found by any id that it has here, by its present address, and by an earlier address
/// together with the title that it had there: another show may be there by now. A title alone may be that
/// of another podcast.
package struct PodcastFacts: Sendable {
  /// A member with the time when it was said.
  private struct Part<Value: Codable & Sendable & Hashable>: Sendable {
    var value: Value?
    var time = RecordTime.never

    /// Takes a later value; of two at one time, it does not matter which line comes first.
    mutating func take(_ said: PodcastFact.Said<Value>?, _ written: RecordTime) {
      guard let said else { return }
      func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "" }
      let isLater = written > time || written == time && text(said.value) > text(value)
      if isLater { (value, time) = (said.value, written) }
    }

    /// Takes what another key of the same podcast has.
    mutating func take(_ other: Self) { take(PodcastFact.Said(other.value), other.time) }
  }

  /// One podcast.
  private struct Entity: Sendable {
    /// How it is described, with the last time of each.
    var names: [Podcast: RecordTime] = [:]
    var title = Part<String>()
    var folder = Part<String>()
    var moves = Part<[String]>()
    var into = Part<EpisodeKey>()
    /// The present address, in comparable form.
    var feed: String?
    /// The titles, in comparable form, that it had at each address.
    var titles: [String: Set<String>] = [:]

    /// Whether its records have addresses that nothing else joins.
    var hasSeveralAddresses: Bool { titles.count > 1 }

    /// The descriptions, the present one last.
    var podcasts: [Podcast] {
      names.sorted { first, second in
        first.value != second.value
          ? first.value < second.value
          : (first.key.feedURL?.text ?? "", first.key.title)
            < (second.key.feedURL?.text ?? "", second.key.title)
      }.map(\.key)
    }

    /// The present address of descriptions, in comparable form.
    static func feed(of podcasts: [Podcast]) -> String? {
      podcasts.last { $0.feedURL != nil }.flatMap { PodcastIdentity($0).feed }
    }

    /// Takes what was said of the same podcast under another key.
    mutating func take(_ other: Entity) {
      names.merge(other.names) { max($0, $1) }
      title.take(other.title)
      folder.take(other.folder)
      moves.take(other.moves)
      into.take(other.into)
    }
  }

  private var entities: [EpisodeKey: Entity] = [:]
  /// The keys that are another name of a podcast with a smaller one.
  private var aliases: [EpisodeKey: EpisodeKey] = [:]
  private var byID: [Int64: [EpisodeKey]] = [:]
  private var byFeed: [String: [EpisodeKey]] = [:]
  /// What each is merged into at last.
  private var parents: [EpisodeKey: EpisodeKey] = [:]
  /// Whether any has had several addresses.
  private var hasMoved = false
  /// The latest time that a line has.
  package private(set) var latest = RecordTime.never

  /// Nothing was said.
  package init() {}

  /// Takes lines in any order.
  package init(_ facts: some Sequence<PodcastFact>) {
    for fact in facts {
      latest = max(latest, fact.written)
      var entity = entities[fact.key] ?? Entity()
      for (place, name) in fact.names.enumerated() {
        let podcast = name.podcast
        guard podcast.id != nil || podcast.feedURL != nil else { continue }
        // The last one of a line is the present one.
        let isPresent = place == fact.names.count - 1
        let time = RecordTime(
          microseconds: max(0, fact.written.microseconds - (isPresent ? 0 : 1)))
        entity.names[podcast] = max(entity.names[podcast] ?? .never, time)
      }
      entity.title.take(fact.title, fact.written)
      entity.folder.take(fact.folder, fact.written)
      entity.moves.take(fact.moves, fact.written)
      entity.into.take(fact.into, fact.written)
      entities[fact.key] = entity
    }
    unite()
    for key in entities.keys.sorted(by: { $0.text < $1.text }) { index(key) }
    connect()
    hasMoved = entities.values.contains(where: \.hasSeveralAddresses)
  }

  /// Two machines may begin with two keys for one podcast, one of them before it moved or got an id. What
  /// has one id, or one present address and not two ids, is one podcast.
  private mutating func unite() {
    guard entities.count > 1 else { return }
    var byID: [Int64: EpisodeKey] = [:]
    for key in entities.keys.sorted(by: { $0.text < $1.text }) {
      for id in Set((entities[key]?.names.keys).map { $0.compactMap(\.id) } ?? []).sorted() {
        if let first = byID[id] { unite(key, with: first) } else { byID[id] = key }
      }
    }
    var byFeed: [String: EpisodeKey] = [:]
    for key in entities.keys.sorted(by: { $0.text < $1.text }) {
      guard let podcasts = entities[key]?.podcasts, let feed = Entity.feed(of: podcasts) else {
        continue
      }
      guard let first = byFeed[feed] else {
        byFeed[feed] = key
        continue
      }
      let hasOther = entities[first]?.names.keys.contains { $0.id != nil } ?? false
      if !hasOther || !podcasts.contains(where: { $0.id != nil }) { unite(key, with: first) }
    }
    Self.shorten(&aliases)
  }

  private mutating func unite(_ key: EpisodeKey, with first: EpisodeKey) {
    let (key, first) = (Self.last(from: key, &aliases), Self.last(from: first, &aliases))
    guard key != first, let other = entities.removeValue(forKey: key) else { return }
    entities[first]?.take(other)
    aliases[key] = first
  }

  /// The key that a podcast has here, which another machine may call otherwise.
  private func ownKey(_ key: EpisodeKey) -> EpisodeKey { aliases[key] ?? key }

  /// What a podcast was merged into.
  private func target(of key: EpisodeKey) -> EpisodeKey? {
    entities[key]?.into.value.map(ownKey).flatMap { entities[$0] == nil || $0 == key ? nil : $0 }
  }

  private mutating func index(_ key: EpisodeKey) {
    let podcasts = entities[key]?.podcasts ?? []
    entities[key]?.feed = Entity.feed(of: podcasts)
    for podcast in podcasts {
      if let feed = PodcastIdentity(podcast).feed {
        entities[key]?.titles[feed, default: []].insert(PodcastIdentity(podcast).title)
      }
      if let id = podcast.id, byID[id]?.last != key { byID[id, default: []].append(key) }
      if let feed = PodcastIdentity(podcast).feed, byFeed[feed]?.last != key {
        byFeed[feed, default: []].append(key)
      }
    }
  }

  /// Two machines may merge A into B and B into A. The later merge counts.
  private mutating func connect() {
    let merges = entities.compactMap { key, entity in
      target(of: key).map { (key, $0, entity.into.time) }
    }.sorted { ($0.2, $0.0.text) > ($1.2, $1.0.text) }
    for (key, target, _) in merges {
      let (own, other) = (Self.last(from: key, &parents), Self.last(from: target, &parents))
      if own != other { parents[own] = other }
    }
    Self.shorten(&parents)
  }

  /// The end of the chain that begins with a key. Chains are shortened: a file may have very long ones.
  private static func last(
    from key: EpisodeKey, _ links: inout [EpisodeKey: EpisodeKey]
  ) -> EpisodeKey {
    var last = key
    while let next = links[last] { last = next }
    var place = key
    while let next = links[place], next != last {
      links[place] = last
      place = next
    }
    return last
  }

  /// Lets each key of chains lead to the end of its chain.
  private static func shorten(_ links: inout [EpisodeKey: EpisodeKey]) {
    for key in Array(links.keys) { links[key] = last(from: key, &links) }
  }

  private func root(_ key: EpisodeKey) -> EpisodeKey { parents[key] ?? key }
}

extension PodcastFacts {
  /// Whether nothing was said.
  package var isEmpty: Bool { entities.isEmpty }

  /// The same of each podcast by itself, without the ones that a person made one with it.
  package var withoutMerges: PodcastFacts {
    var facts = self
    facts.parents = [:]
    return facts
  }

  /// Whether any podcast is one with another, or has had several addresses.
  package var joins: Bool { !parents.isEmpty || hasMoved }

  /// The keys of a podcast: usually none or one. Apple's id decides if both have one.
  package func keys(of podcast: Podcast) -> [EpisodeKey] {
    if let id = podcast.id, let found = byID[id] { return found }
    let identity = PodcastIdentity(podcast)
    guard let feed = identity.feed, let found = byFeed[feed] else { return [] }
    return found.filter { key in
      guard let entity = entities[key] else { return false }
      if podcast.id != nil, entity.names.keys.contains(where: { $0.id != nil }) { return false }
      return entity.feed == feed || entity.titles[feed]?.contains(identity.title) == true
    }
  }

  /// The key of what a podcast is part of: its own, or that of the one that it is merged into.
  package func wholeKey(of podcast: Podcast) -> EpisodeKey? {
    keys(of: podcast).lazy.map { root($0) }.first
  }

  /// The descriptions of the podcast with a key, the present one last.
  package func names(of key: EpisodeKey) -> [Podcast] { entities[key]?.podcasts ?? [] }

  /// What a person says of the podcast with a key.
  package func correction(of key: EpisodeKey) -> PodcastCorrection {
    PodcastCorrection(
      title: entities[key]?.title.value, folder: entities[key]?.folder.value)
  }

  /// The lists of the files that moved into the folders of the podcast with a key, the last one last.
  package func moves(of key: EpisodeKey) -> [String] { entities[key]?.moves.value ?? [] }

  /// What the podcast with a key was merged into, step by step.
  package func path(from key: EpisodeKey) -> [EpisodeKey] {
    var path = [key]
    while let last = path.last, let target = target(of: last), !path.contains(target) {
      path.append(target)
    }
    return path
  }

  /// Whether two descriptions are of podcasts that a person made one.
  package func areOne(_ one: Podcast, _ other: Podcast) -> Bool {
    guard let key = wholeKey(of: one) else { return false }
    return key == wholeKey(of: other)
  }

  /// The podcasts that are one, by the key of the one that the others are merged into, and those that have
  /// had several addresses: the descriptions of each that identify it without a title, those of that one
  /// first.
  package var wholes: [(key: EpisodeKey, podcasts: [Podcast])] {
    guard joins else { return [] }
    let members = Dictionary(grouping: entities.keys) { root($0) }
    return members.filter {
      $0.value.count > 1 || entities[$0.key]?.hasSeveralAddresses == true
    }.sorted { $0.key.text < $1.key.text }.map {
      key, members in
      let others = members.filter { $0 != key }.sorted { $0.text < $1.text }
      return (
        key,
        ([key] + others).flatMap { key in
          names(of: key).reversed().filter {
            $0.id != nil || PodcastIdentity($0).feed == entities[key]?.feed
          }
        }
      )
    }
  }

  /// A podcast with what a person says of it. One that is merged into another has the title and the
  /// folder of that one.
  package func corrected(_ podcast: Podcast) -> Podcast {
    guard !isEmpty, let key = wholeKey(of: podcast) else { return podcast }
    var corrected = podcast
    corrected.correction = correction(of: key)
    if corrected.correction.title == nil, !keys(of: podcast).contains(key),
      let title = names(of: key).last?.title, title != podcast.title
    {
      corrected.correction.title = title
    }
    return corrected
  }

  /// The key that a podcast has here, or gets: the same one on each machine.
  ///
  /// - Parameter podcasts: how it is described, the present one last.
  package func key(for podcasts: [Podcast]) -> EpisodeKey? {
    let known = podcasts.reversed().lazy.flatMap { keys(of: $0) }.first
    return known ?? podcasts.last.flatMap { EpisodeKey(EpisodeIdentity.key(of: $0)) }
  }
}
