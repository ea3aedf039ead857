package import FoundationEssentials
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// An exchange between a library and the server of its account.
///
/// Each step can be made again: what was agreed is written after both sides have changed, and a change
/// that both sides have already is none.
package struct AccountExchange: Sendable {
  /// How it is done.
  package struct Options: Sendable {
    /// The side that wins where both differ; nil merges.
    package var preference: SubscriptionMerge.Preference?
    /// Whether a side may lose most of its podcasts.
    package var accepts = false
    /// Whether nothing changes.
    package var isDry = false

    package init() {}
  }

  /// Actions may come to the server long after they were done, and some servers list them by when
  /// they were done: so many seconds are asked for again.
  static let overlap: Int64 = 14 * 86_400

  private let library: Library
  private let file: AccountFile
  private let client: AccountClient
  private let options: Options
  private let warn: @Sendable (String) -> Void

  /// Creates an exchange.
  package init(
    _ library: Library, _ file: AccountFile, _ client: AccountClient, _ options: Options,
    warn: @escaping @Sendable (String) -> Void
  ) {
    (self.library, self.file, self.client, self.options) = (library, file, client, options)
    self.warn = warn
  }

  /// Exchanges what is followed, and then what was played.
  ///
  /// - Throws: a ``PodgetError``; what was done by then stays, and the next exchange does the rest.
  package func run(_ account: Account, at now: Date) async throws(PodgetError) -> AccountReport {
    var account = account
    var report = AccountReport()
    let secrets = try await exchangeSubscriptions(&account, &report)
    if !options.isDry { try file.write(account) }
    try await exchangeProgress(&account, &report, besides: secrets, at: now)
    if !options.isDry { try file.write(account) }
    return report
  }

  /// - Returns: the addresses in the library that the server does not know, because they are secrets.
  private func exchangeSubscriptions(
    _ account: inout Account, _ report: inout AccountReport
  ) async throws(PodgetError) -> Set<String> {
    let remote = try await client.subscriptions()
    let subscriptions = SubscriptionFile(library, warn: warn)
    let list = try subscriptions.read()
    let followed = list.subscriptions
    if followed.isEmpty, !account.agreed.isEmpty, !options.accepts, options.preference == nil,
      !subscriptions.isThere
    {
      throw PodgetError(
        .notFound,
        "The library's list of subscriptions is missing: perhaps its disk is not mounted. Nothing was "
          + "changed. To get the server's list, podget account sync --prefer both; to remove the "
          + "podcasts there, podget account sync --accept.")
    }
    let sharesPrivate = account.sharesPrivate
    let local = followed.map { subscription in
      SubscriptionMerge.Followed(
        sharesPrivate ? subscription.feedURL.text : subscription.feedURL.withoutCredentials,
        earlier: subscription.earlierURLs.map(\.text),
        isPrivate: Account.isPrivate(subscription))
    }
    var base = account.agreed.compactMap { addresses in
      addresses.count < 2
        ? nil
        : SubscriptionMerge.Agreed(
          here: addresses[0], there: addresses[1], others: Array(addresses.dropFirst(2)))
    }
    if let leaving = account.leaving, account.leavingList != Self.checksum(list) {
      // They were removed, or the list has changed since: what is followed now was followed later.
      base.removeAll { leaving.contains($0.here) }
    }
    var merge = SubscriptionMerge(
      base: base, local: local, remote: remote, preference: options.preference,
      sharesPrivate: sharesPrivate, key: Account.key)
    if let loss = merge.loss, !options.accepts { throw Self.error(loss) }
    func note(_ kind: AccountReport.Change.Kind, _ addresses: [String]) {
      report.changes += addresses.map {
        .init(kind: kind, address: AddressRedaction.withoutCredentials($0))
      }
    }
    report.withheld = merge.withheld.count
    report.isWithheldNew = account.withheld ?? 0 != report.withheld
    account.withheld = report.withheld
    if !options.isDry {
      let names = Dictionary(zip(local.map(\.address), followed.map(\.name))) { first, _ in first }
      let removed = merge.removeHere.compactMap { names[$0] }
      if !removed.isEmpty {
        (account.leaving, account.leavingList) = (merge.removeHere, Self.checksum(list))
        try file.write(account)
        _ = try Subscriber.unsubscribe(removed, from: library)
      }
      try follow(merge.addHere)
      if !merge.addThere.isEmpty || !merge.removeThere.isEmpty {
        merge.take(
          updates: try await client.change(add: merge.addThere, remove: merge.removeThere))
      }
      account.agreed = merge.agreed.map { [$0.here, $0.there] + $0.others }
      (account.leaving, account.leavingList) = (nil, nil)
    }
    note(.followed, merge.addHere)
    note(.unfollowed, merge.removeHere)
    note(.sent, merge.addThere)
    note(.withdrawn, merge.removeThere)
    let known = Set(remote)
    return Set(local.lazy.filter { $0.isPrivate && !sharesPrivate }.map(\.address)).subtracting(
      known)
  }

  private static func error(_ loss: SubscriptionMerge.Loss) -> PodgetError {
    let place = loss.isHere ? "The library" : "The server"
    return PodgetError(
      .notFound,
      "\(place) would lose \(loss.count) of its \(loss.total) podcasts. Nothing was changed. To keep "
        + "what either side has, podget account sync --prefer both; to remove them, the same command "
        + "with --accept.")
  }

  private static func checksum(_ list: SubscriptionList) -> String {
    var sum = ContinuedSHA256()
    sum.add(list.bytes)
    return sum.checksum
  }

  /// Follows feeds without asking them, as an import does.
  private func follow(_ addresses: [String]) throws(PodgetError) {
    guard !addresses.isEmpty else { return }
    try SubscriptionFile(library).update { list throws(PodgetError) in
      for address in addresses {
        guard let url = FeedURL(address), list.subscription(feed: url) == nil else { continue }
        var subscription = Subscription(name: "", title: url.redacted, feedURL: url)
        subscription.name = list.freeName(for: subscription.title)
        subscription.isFromAccount = true
        list.add(subscription)
      }
    }
  }
}

extension AccountExchange {
  private func exchangeProgress(
    _ account: inout Account, _ report: inout AccountReport, besides secrets: Set<String>,
    at now: Date
  ) async throws(PodgetError) {
    let seconds = Int64(now.timeIntervalSince1970)
    let (actions, next) = try await client.actions(
      since: max(0, account.since - Self.overlap), now: seconds)
    var remote: [String: EpisodeAction.State] = account.waiting.compactMapValues(Self.state)
    var ahead = ActionsAhead(account.ahead ?? [:], at: seconds)
    for action in actions.sorted(by: { $0.state < $1.state }) {
      let episode = Account.key(action.episode)
      let state = ahead.received(action.state, of: episode)
      for key in [episode] + (action.guid.map { [Self.key($0, action.podcast)] } ?? []) {
        // Of two that were received at once, the later one counts.
        if (remote[key]?.time ?? 0) <= state.time { remote[key] = state }
      }
    }
    account.ahead = ahead.times(since: seconds - 2 * Self.overlap)
    // Only what the server knows: it might follow the podcast of an action otherwise.
    var podcasts: [String: String] = [:]
    for pair in account.agreed
    where pair.count > 1 && !pair[1].isEmpty && !secrets.contains(pair[0]) {
      podcasts[Account.key(pair[0])] = pair[1]
    }
    var files: [EpisodeAction] = []
    let found = library.episodes().compactMap { local -> Known? in
      guard let feed = local.podcast.feedURL?.text, let podcast = podcasts[Account.key(feed)]
      else { return nil }
      let episode = local.episode
      if let last = account.filesSince, let change = Self.change(of: local, since: last) {
        files.append(
          EpisodeAction(
            podcast: podcast, episode: AddressRedaction.withoutCredentials(episode.enclosure.url),
            guid: episode.guid, state: .init(time: change.time, progress: 0), file: change.kind))
      }
      let address = AddressRedaction.withoutCredentials(episode.enclosure.url)
      let key = Account.key(address)
      let said = [key, episode.guid.map { Self.key($0, podcast) }].compactMap { $0 }
        .compactMap { remote[$0] }.max()
      let base = account.progress[key].flatMap(Self.state)
      let progress = local.isPlayed ? -1 : local.position?.components.seconds ?? 0
      guard said != nil || progress != base?.progress ?? 0 else { return nil }
      return Known(
        local: local, key: key, said: said, base: base, progress: progress,
        action: EpisodeAction(
          podcast: podcast, episode: address, guid: episode.guid,
          state: .init(time: 0, progress: progress)))
    }
    let times = try library.progressTimes(of: found.map(\.local))
    var (taken, sent): ([Int64: [LocalEpisode]], [(EpisodeAction, Int64?)]) = ([:], [])
    for known in found {
      let own = EpisodeAction.State(
        time: min(times[known.local.key] ?? 0, seconds), progress: known.progress)
      var agreed = [known.base, known.said].compactMap { $0 }.max()
      switch EpisodeAction.step(base: known.base, local: own, remote: known.said) {
      case .none: break
      case .take: taken[known.said?.progress ?? 0, default: []].append(known.local)
      case .send(let state):
        var action = known.action
        action.state = state
        sent.append((action, known.local.duration?.components.seconds))
        agreed = max(agreed ?? state, state)
      }
      if let agreed { account.progress[known.key] = [agreed.time, agreed.progress] }
      remote[known.key] = nil
      if let guid = known.action.guid { remote[Self.key(guid, known.action.podcast)] = nil }
    }
    report.received = taken.values.reduce(0) { $0 + $1.count }
    report.sent = sent.count
    guard !options.isDry else { return }
    for (progress, episodes) in taken.sorted(by: { $0.key < $1.key }) {
      let mark: EpisodeMark =
        progress > 0 ? .position(.seconds(progress)) : .played(progress < 0)
      _ = try library.mark(mark, of: episodes, at: now)
    }
    // Those of which both know something are kept, and the latest of the others.
    let others = remote.filter { account.progress[$0.key] == nil }
      .sorted { $1.value < $0.value }.prefix(Account.mostWaiting)
    account.waiting = Dictionary(
      others.map { ($0.key, [$0.value.time, $0.value.progress]) }
    ) { first, _ in first }
    sent += files.sorted { $0.state < $1.state }.map { ($0, nil) }
    if !sent.isEmpty { try await client.send(sent.map(\.0), durations: sent.map(\.1)) }
    // An app at Nextcloud keeps one action of an episode: it would lose the position.
    account.filesSince = account.kind == .gpodder ? seconds : nil
    account.since = next
  }

  /// What became of an episode's file since a time; nil for nothing.
  private static func change(
    of local: LocalEpisode, since last: Int64
  ) -> (kind: EpisodeAction.FileChange, time: Int64)? {
    guard let downloaded = local.downloadedAt else { return nil }
    let time = Int64((local.removedAt ?? downloaded).timeIntervalSince1970)
    guard time > last else { return nil }
    return (local.removedAt == nil ? .download : .delete, time)
  }

  /// An episode of which one side says something new.
  private struct Known {
    var local: LocalEpisode
    var key: String
    var said: EpisodeAction.State?
    var base: EpisodeAction.State?
    var progress: Int64
    var action: EpisodeAction
  }

  private static func key(_ guid: String, _ podcast: String) -> String {
    "\(guid) \(Account.key(podcast))"
  }

  private static func state(_ pair: [Int64]) -> EpisodeAction.State? {
    pair.count == 2 ? .init(time: pair[0], progress: pair[1]) : nil
  }
}
