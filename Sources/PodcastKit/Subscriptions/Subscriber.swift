import PodcastFeeds
import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// Follows podcasts: finds out their feeds, and writes them into the file.
package struct Subscriber: Sendable {
  private let file: SubscriptionFile
  private let library: Library
  private let resolver: SourceResolver

  /// Creates a subscriber.
  ///
  /// - Parameters:
  ///   - library: follows the podcasts.
  ///   - resolver: reads sources that are not followed yet.
  ///   - warn: gets a sentence about each thing in the file that has no effect.
  package init(
    _ library: Library, resolver: SourceResolver,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.library = library
    self.resolver = resolver
    file = SubscriptionFile(library, warn: warn)
  }

  /// Follows podcasts, and changes the settings of those that are followed already.
  ///
  /// - Parameters:
  ///   - sources: each names a podcast.
  ///   - settings: the settings to store; the others stay as they are.
  ///   - removed: settings of followed podcasts to remove.
  ///   - name: the short name; nil leaves or makes one. It is for one source.
  ///   - acceptsMove: whether followed podcasts, and their logins, go where their feeds have moved to;
  ///     a source that is not followed fails then.
  ///   - asNew: whether a podcast is followed beside another one that has its UUID.
  /// - Returns: a result for each source, in order.
  /// - Throws: a ``PodgetError`` when the file cannot be read or written; nothing changes then.
  package func subscribe(
    _ sources: [String], settings: SubscriptionSettings,
    removing removed: [SubscriptionSettings.Name] = [], name: String?, acceptsMove: Bool = false,
    asNew: Bool = false
  ) async throws(PodgetError) -> [SubscriptionChange] {
    var known = try file.read()
    let givesLogin = sources.filter { Self.givesLogin($0, settings) }
    let moves =
      acceptsMove || !givesLogin.isEmpty
      ? try WaitingMoves(of: known.subscriptions, in: library) : WaitingMoves()
    // A new login takes a subscription to the address that it is given for.
    let moving = Dictionary(
      givesLogin.compactMap { source in
        known.followed(source) == nil ? moves.move(to: source).map { (source, $0) } : nil
      }
    ) { first, _ in first }
    // Only what is not followed yet is asked for.
    let unknown =
      acceptsMove
      ? []
      : sources.filter { known.followed($0) == nil && moving[$0] == nil }
    var resolved: [String: Result<SourceResolver.Listing, PodgetError>] = [:]
    let shown = Dictionary(unknown.map { ($0, $0) }) { first, _ in first }
    for resolution in await resolver.resolve(Array(shown.keys)) {
      resolved[resolution.source] = resolution.result
    }
    let earlier = EarlierAddresses(
      of: resolved.values.lazy.compactMap { try? $0.get().listing.podcast }, known, in: library)
    let facts = try library.podcastFacts()
    var changes: [SubscriptionChange] = []
    try file.update { list throws(PodgetError) in
      changes = sources.map { source in
        if acceptsMove {
          guard let subscription = Self.acceptMove(of: source, moves, in: &list) else {
            return Self.nothingWaits(source, in: &list)
          }
          var change = Self.update(
            subscription, subscription.name, settings, removing: removed, name: name, in: &list)
          change.source = AddressRedaction.withoutCredentials(source)
          if change.status == .unchanged { change.status = .updated }
          return change
        }
        if let move = moving[source] {
          let subscription = move.subscription
          list.move(subscription.name, from: subscription.feedURL, to: move.target, .isForgotten)
        }
        if let subscription = list.followed(source) {
          return Self.update(
            subscription, source, settings, removing: removed, name: name, in: &list)
        }
        switch resolved[AddressRedaction.withoutCredentials(source)] {
        case nil:
          return SubscriptionChange(
            source, .failed, error: PodgetError(.network, "The request was stopped."))
        case .failure(let error): return SubscriptionChange(source, .failed, error: error)
        case .success(let found):
          return Self.add(
            found, source, settings, removing: removed, name: name, asNew: asNew, earlier, facts,
            to: &list)
        }
      }
    }
    let asked = try askAgain(changes.compactMap(\.subscription))
    return changes.map { change in
      var change = change
      if change.status == .unchanged, let subscription = change.subscription,
        asked.contains(subscription.firstURL)
      {
        change.status = .updated
      }
      return change
    }
  }

  /// The error for a name that no subscription has, or a title that several have.
  package static func notFollowed(_ name: String, _ list: SubscriptionList) -> PodgetError {
    list.ambiguity(of: name)
      ?? PodgetError(.notFound, "No subscription has this name.", remedy: .listSubscriptions)
  }
}

extension Subscriber {
  private static func update(
    _ subscription: Subscription, _ source: String, _ settings: SubscriptionSettings,
    removing removed: [SubscriptionSettings.Name] = [], name: String?,
    in list: inout SubscriptionList
  ) -> SubscriptionChange {
    var changed = subscription
    for name in removed { changed.settings[name] = nil }
    if changed.settings.apply(settings), let error = changed.settings.contradiction {
      return SubscriptionChange(source, .failed, subscription, error: error)
    }
    let given = address(of: source)
    if let given = given?.parts?.origin, given == FeedURL(changed.firstURL)?.parts?.origin {
      changed.isFromAccount = false
    }
    // A login is for the address that it is given with.
    if settings[.passwordCommand] != nil {
      changed.noteLogin(for: given?.text ?? changed.feedURL.text)
    }
    if changed.settings[.passwordCommand] == nil { changed.ownLoginOrigin = nil }
    if let given, givesLogin(source, settings),
      FeedIdentity(given) == FeedIdentity(changed.feedURL),
      let clean = FeedURL(changed.feedURL.withoutCredentials)
    {
      if FeedMove.changesOrigin(from: clean, to: given) {
        // An upgraded address stays.
        if given.parts?.scheme == "https" || clean.parts?.scheme == "http" {
          changed.feedURL = given
        }
      } else if given.text != given.withoutCredentials {
        // A user name and a password that are given now replace earlier ones; a moved address stays.
        changed.feedURL = given.moved(to: clean)
      }
    }
    list.replace(changed)
    if let name, name != subscription.name {
      if let problem = problem(with: name, in: &list, besides: subscription) {
        return SubscriptionChange(source, .failed, subscription, error: problem)
      }
      list.rename(subscription.name, to: name)
      changed.name = name
    }
    return SubscriptionChange(source, changed == subscription ? .unchanged : .updated, changed)
  }

  private static func add(
    _ found: SourceResolver.Listing, _ source: String, _ settings: SubscriptionSettings,
    removing removed: [SubscriptionSettings.Name], name: String?, asNew: Bool,
    _ earlier: EarlierAddresses, _ facts: PodcastFacts, to list: inout SubscriptionList
  ) -> SubscriptionChange {
    let podcast = found.listing.podcast
    guard let address = podcast.feedURL else {
      let sentence =
        podcast.id == nil
        ? "The file does not say where the feed of \(podcast.title) is; subscribe to its address."
        : "Apple's catalog has no feed address for \(podcast.title)."
      var change = SubscriptionChange(
        source, .failed, error: PodgetError(.notFound, sentence))
      change.podcast = podcast
      return change
    }
    if let problem = found.problem {
      var change = SubscriptionChange(source, .failed, error: problem)
      change.podcast = podcast
      return change
    }
    let given = Self.address(of: source)
    let feedURL = given?.moved(to: address) ?? address
    var subscription = Subscription(
      name: "", title: podcast.title, feedURL: feedURL, id: podcast.id, guid: found.podcastGUID)
    let known =
      list.subscription(of: subscription)
      ?? earlier.subscription(of: podcast, found.otherAddresses, in: &list)
    if let known {
      return update(known, source, settings, removing: removed, name: name, in: &list)
    }
    if let namesake = list.namesake(of: subscription), !asNew {
      var change = SubscriptionChange(
        source, .failed, error: sameUUID(namesake))
      change.podcast = podcast
      return change
    }
    if facts.joins,
      let whole = list.subscriptions.first(where: { facts.areOne(podcast, $0.podcast) })
    {
      let isMerged = !facts.withoutMerges.areOne(podcast, whole.podcast)
      let error = isOne(with: whole, isMerged: isMerged)
      var change = SubscriptionChange(source, .failed, error: error)
      change.podcast = podcast
      return change
    }
    if let name, let problem = problem(with: name, in: &list) {
      return SubscriptionChange(source, .failed, error: problem)
    }
    subscription.name = name ?? list.freeName(for: podcast.title)
    subscription.settings = settings
    // A page may link to a feed of another origin.
    if let given, settings[.passwordCommand] != nil { subscription.noteLogin(for: given.text) }
    let added = list.add(subscription, hasName: name != nil)
    return SubscriptionChange(source, .subscribed, added)
  }

  /// The question whether two feeds with one UUID are one subscription.
  private static func sameUUID(_ known: Subscription) -> PodgetError {
    PodgetError(
      .notFound,
      "\(known.title) (\(known.name)) is followed at \(known.feedURL.withoutCredentials) and has the "
        + "same podcast:guid.", remedy: .chooseFeed(known.name))
  }

  /// One podcast has one subscription.
  private static func isOne(with known: Subscription, isMerged: Bool) -> PodgetError {
    guard isMerged else {
      return PodgetError(
        .notFound,
        "It is an earlier address of \(known.title) (\(known.name)), which is followed.")
    }
    return PodgetError(
      .notFound,
      "podget merge made it one podcast with \(known.title) (\(known.name)), which is followed. To "
        + "follow both, make them two again with podget merge --undo.")
  }

  /// The address that a source is; nil for another kind of source.
  private static func address(of source: String) -> FeedURL? {
    guard case .feed(let url)? = try? Source.parse(source) else { return nil }
    return FeedURL(url)
  }

  /// Whether a source comes with a login for its address.
  private static func givesLogin(_ source: String, _ settings: SubscriptionSettings) -> Bool {
    guard let given = address(of: source) else { return false }
    return settings[.passwordCommand] != nil || given.text != given.withoutCredentials
  }

  /// Lets a subscription, and its login, go where its feed is.
  ///
  /// - Returns: the subscription afterwards; nil if nothing waits for that.
  private static func acceptMove(
    of source: String, _ moves: WaitingMoves, in list: inout SubscriptionList
  ) -> Subscription? {
    guard var subscription = list.subscription(named: source) else { return nil }
    if let target = moves.target(of: subscription) {
      list.move(subscription.name, from: subscription.feedURL, to: target, .follows)
      return list.subscription(feed: target)
    }
    // An earlier version moved it.
    guard subscription.hasLoginElsewhere else { return nil }
    subscription.noteLogin(for: subscription.feedURL.text)
    list.replace(subscription)
    return subscription
  }

  private static func nothingWaits(
    _ source: String, in list: inout SubscriptionList
  ) -> SubscriptionChange {
    guard let subscription = list.subscription(named: source) else {
      return SubscriptionChange(source, .failed, error: notFollowed(source, list))
    }
    return SubscriptionChange(
      source, .failed, subscription,
      error: PodgetError(.notFound, "No move waits that podget sync has seen."))
  }

  private static func problem(
    with name: String, in list: inout SubscriptionList, besides own: Subscription? = nil
  ) -> PodgetError? {
    guard list.hasName(name), own?.name.lowercased() != name.lowercased() else { return nil }
    return PodgetError(
      .notFound, "Another subscription is called \(name); choose another name.")
  }

  /// Lets feeds that have ended be asked again, and those that have moved at once.
  ///
  /// - Returns: the addresses first subscribed of those that had ended.
  private func askAgain(_ subscriptions: [Subscription]) throws(PodgetError) -> Set<String> {
    do throws(DiskError) {
      let states = try FeedStateLog.states(of: library)
      var asked: Set<String> = []
      let lines = subscriptions.compactMap { subscription -> FeedLine? in
        guard var state = states[subscription.firstURL] else { return nil }
        let isThere =
          state.waitingMove?.withoutCredentials == subscription.feedURL.withoutCredentials
        // Somebody has given another login, perhaps.
        let isRefused = state.lastError?.httpStatus == 401 && state.nextCheck != nil
        guard state.isGone || isThere || isRefused else { return nil }
        if isThere { state.recordMove(keepsValidators: false) }
        if state.isGone { asked.insert(subscription.firstURL) }
        state.subscribeAgain()
        return FeedLine(subscription.firstURL, state)
      }
      if !lines.isEmpty { try FeedStateLog(library).append(lines) }
      return asked
    } catch {
      throw error.podgetError
    }
  }
}

extension SubscriptionList {
  /// The subscription that a source names: by its short name or its title, an Apple id or link, or an
  /// address.
  package mutating func subscription(named source: String) -> Subscription? {
    if let found = followed(source) { return found }
    guard case .feed(let url)? = try? Source.parse(source) else { return nil }
    return FeedURL(url).flatMap { subscription(feed: $0) }
  }

  /// The subscription that a source names without doubt. An address that one had before names none:
  /// another show may be there by now. What is an id or an address is no title: a feed may have the id or
  /// the address of another podcast as its title.
  mutating func followed(_ source: String) -> Subscription? {
    switch try? Source.parse(source) {
    case .apple(let id, _, nil)?: return subscription(id: id) ?? subscription(shortName: source)
    case .feed(let url)?:
      return FeedURL(url).flatMap { subscription(of: Podcast(title: "", feedURL: $0)) }
        ?? subscription(shortName: source)
    default: return named(source)
    }
  }
}
