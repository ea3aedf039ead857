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

  /// How many feeds a server may add at once without the user's word.
  static let mostNew = 1000
  /// How long, in seconds, removals are counted together.
  private static let window: Int64 = 7 * 86_400

  let library: Library
  private let file: AccountFile
  let client: AccountClient
  let options: Options
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
    let (podcasts, refusal) = try await exchangeSubscriptions(&account, &report, at: now)
    if !options.isDry { try file.write(account) }
    try await exchangeProgress(&account, &report, of: podcasts, at: now)
    if !options.isDry { try file.write(account) }
    if let refusal { throw refusal }
    return report
  }

  /// The error of an exchange that a signal or its time has ended.
  static let stopped = PodgetError(.network, "The exchange was stopped.")

  /// - Returns: the addresses at the server of the podcasts that both follow, by the keys of those in the
  ///   library, without those that have a login; and why the server has refused a change.
  private func exchangeSubscriptions(
    _ account: inout Account, _ report: inout AccountReport, at now: Date
  ) async throws(PodgetError) -> (podcasts: [String: String], refusal: PodgetError?) {
    let (remote, unread) = try await client.subscriptions()
    // One of these may be a podcast that is followed.
    let isWhole = options.accepts || unread <= account.unread ?? unread
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
    let seconds = Int64(now.timeIntervalSince1970)
    func isLate(_ times: [Int64], _ count: Int) -> Bool {
      times.count == count && times[0] > seconds - Self.window
    }
    var recent = (account.recent ?? [:]).filter { isLate($0.value, 1) }
    let local = followed.map { subscription in
      let address = subscription.feedURL.withoutCredentials
      return SubscriptionMerge.Followed(
        address, earlier: subscription.earlierURLs.map(\.text),
        isPrivate: Account.isPrivate(subscription), isNamed: !subscription.isFromAccount,
        isSettled: recent[Account.key(address)] == nil)
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
    // A change without an answer: the server's list says whether it was made.
    let listed = Set(
      account.adding == nil && account.removing == nil ? [] : remote.map(Account.key))
    let removing = Set((account.removing ?? []).map(Account.key))
    base.removeAll { entry in
      removing.contains(Account.key(entry.there))
        && !([entry.there] + entry.others).contains { listed.contains(Account.key($0)) }
    }
    base += (account.adding ?? []).filter { listed.contains(Account.key($0)) }
      .map { .init(here: $0, there: $0) }
    var removals = (account.removals ?? [:]).filter { isLate($0.value, 3) }
    let before = removals.values.reduce(into: SubscriptionMerge.Removed()) {
      $0.named += Int($1[1])
      $0.settled += Int($1[2])
    }
    var merge = SubscriptionMerge(
      base: base, local: local, remote: remote, preference: options.preference,
      sharesPrivate: sharesPrivate, removedBefore: before, isWhole: isWhole,
      canFollow: Account.canFollow, key: Account.key)
    if Task.isCancelled { throw Self.stopped }
    if !options.accepts {
      if let loss = merge.loss { throw Self.error(loss) }
      if merge.addHere.count > Self.mostNew { throw Self.error(new: merge.addHere.count) }
    }
    func note(_ kind: AccountReport.Change.Kind, _ addresses: [String]) {
      report.changes += addresses.map {
        .init(kind: kind, address: AddressRedaction.withoutCredentials($0))
      }
    }
    report.withheld = merge.withheld.count
    report.isWithheldNew = account.withheld ?? 0 != report.withheld
    account.withheld = report.withheld
    if isWhole { account.unread = unread }
    if merge.kept > 0 {
      warn(
        "The account: the server's list has entries that cannot be read (\(unread)). Podcasts that it "
          + "lacks stay (\(merge.kept)); podget account sync --accept lets them go.")
    }
    let there = Set(remote)
    var refusal: PodgetError?
    if !options.isDry {
      let leaving = Set(merge.removeHere)
      let places = followed.indices.filter { leaving.contains(local[$0].address) }
      let removed = places.map { followed[$0].name }
      if !removed.isEmpty {
        (account.leaving, account.leavingList) = (merge.removeHere, Self.checksum(list))
        let counted = merge.removed
        if counted.settled > 0 {
          removals["\(seconds)"] = [seconds, Int64(counted.named), Int64(counted.settled)]
        }
        account.removals = options.accepts || removals.isEmpty ? nil : removals
        try file.write(account)
        let there = Dictionary(base.map { ($0.here, [$0.there] + $0.others) }) { first, _ in first }
        let spellings = places.map { (there[local[$0].address] ?? []).compactMap { FeedURL($0) } }
        _ = try Subscriber.unsubscribe(
          removed, from: library, isKept: true,
          spellings: Dictionary(zip(removed, spellings)) { first, _ in first })
      }
      // What the first exchange brings is a list that somebody has.
      if !account.agreed.isEmpty {
        for address in merge.addHere { recent[Account.key(address)] = [seconds] }
      }
      account.recent = recent.isEmpty ? nil : recent
      try follow(merge.addHere)
      if !merge.addThere.isEmpty || !merge.removeThere.isEmpty {
        let adding = Set(sharesPrivate ? merge.addThere : [])
        let whole = followed.indices.filter { adding.contains(local[$0].address) }
          .map { followed[$0].feedURL.text }
        let changed = (merge.addThere + merge.addHere).map(AddressRedaction.withoutCredentials(_:))
        (account.adding, account.removing) = (changed, merge.removeThere)
        try file.write(account)
        do throws(PodgetError) {
          merge.take(
            updates: try await client.change(
              add: sharesPrivate ? whole : merge.addThere,
              remove: merge.removeThere
            ).map { (AddressRedaction.withoutCredentials($0.sent), $0.server) })
        } catch {
          // What was played does not depend on that.
          guard let status = error.httpStatus, status != 401 else { throw error }
          refusal = error
        }
      }
      let agreed: [SubscriptionMerge.Agreed]
      if refusal == nil {
        agreed = merge.agreed
      } else {
        // The next exchange sends it again, and does not take for new what is still there.
        let pending = Set(merge.removeThere.map(Account.key))
        agreed =
          merge.agreed.filter { $0.there.isEmpty || there.contains($0.there) }
          + base.filter { pending.contains(Account.key($0.there)) }
      }
      account.agreed = agreed.map {
        ([$0.here, $0.there] + $0.others).map { AddressRedaction.withoutCredentials($0) }
      }
      (account.leaving, account.leavingList) = (nil, nil)
      // It may have been made all the same where a gateway answers.
      if refusal?.httpStatus.map({ $0 < 500 }) ?? true {
        (account.adding, account.removing) = (nil, nil)
      }
    }
    note(.followed, merge.addHere)
    note(.unfollowed, merge.removeHere)
    note(.sent, merge.addThere)
    note(.withdrawn, merge.removeThere)
    let logins = Set(
      sharesPrivate ? [] : followed.lazy.filter(\.hasLogin).map(\.feedURL.withoutCredentials))
    var podcasts: [String: String] = [:]
    for pair in merge.agreed
    where !pair.there.isEmpty && !logins.contains(pair.here)
      && (refusal == nil && isWhole || there.contains(pair.there))
    {
      podcasts[Account.key(pair.here)] = pair.there
    }
    return (podcasts, refusal)
  }

  private static func error(_ loss: SubscriptionMerge.Loss) -> PodgetError {
    let place = loss.isHere ? "The library" : "The server"
    return PodgetError(
      .notFound,
      "\(place) would lose \(loss.count) of its \(loss.total) podcasts. Nothing was changed. To keep "
        + "what either side has, podget account sync --prefer both; to remove them, the same command "
        + "with --accept.")
  }

  private static func error(new count: Int) -> PodgetError {
    PodgetError(
      .notFound,
      "The server would add \(count) podcasts to the library. Nothing was changed. To follow them, "
        + "podget account sync --accept.")
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
        if Task.isCancelled { throw Self.stopped }
        guard let url = FeedURL(address), list.subscription(feed: url) == nil else { continue }
        var subscription = Subscription(name: "", title: url.redacted, feedURL: url)
        subscription.name = list.freeName(for: subscription.title)
        subscription.isFromAccount = true
        list.add(subscription)
      }
    }
  }
}
