import FoundationEssentials
import PodcastLibrary
import PodcastModel

/// The exchange of positions and played states.
extension AccountExchange {
  /// The episodes with one address: for a server they are one.
  private struct Known {
    var locals: [(episode: LocalEpisode, progress: Int64)] = []
    var said: EpisodeAction.State?
    /// What is sent of it; nil for what the server must not know.
    var action: EpisodeAction?

    /// Its address as one episode has it.
    var address: String? { locals.first?.episode.episode.enclosure.url }

    var duration: Int64? {
      locals.lazy.compactMap { $0.episode.duration?.components.seconds }.first
    }
  }

  /// Exchanges what was played.
  ///
  /// - Parameter podcasts: the addresses at the server of the podcasts that both follow, by the keys of
  ///   those in the library: the server might follow others because of an action.
  func exchangeProgress(
    _ account: inout Account, _ report: inout AccountReport, of podcasts: [String: String],
    at now: Date
  ) async throws(PodgetError) {
    let seconds = Int64(now.timeIntervalSince1970)
    let (actions, next) = try await client.actions(
      since: max(0, account.since - Self.overlap), now: seconds)
    var remote = account.waiting.compactMapValues(Self.state)
    var ahead = ActionsAhead(account.ahead ?? [:], at: seconds)
    var (known, places) = try known(podcasts)
    if Task.isCancelled { throw Self.stopped }
    for action in actions {
      let key = Account.key(action.episode)
      let state = ahead.received(action.state, of: key)
      // Of two that were received at once, the later one counts.
      if (remote[key]?.time ?? 0) <= state.time { remote[key] = state }
      // Feeds give a guid to their next episode too: it counts only for the same file, which may have
      // another host or another token by now. The server does not know our address by that.
      if known[key] == nil, let guid = action.guid,
        let place = places[Self.key(guid, action.podcast)], let own = known[place]?.address,
        Self.isSameFile(own, action.episode)
      {
        let said = known[place]?.said
        known[place]?.said = max(said ?? state, state)
      }
    }
    account.ahead = ahead.pairs(since: seconds - 2 * Self.overlap)
    for key in Array(known.keys) { note(account, remote, places, &known[key], of: key) }
    let files = account.kind == .gpodder ? changes(&account, known, at: seconds) : []
    known = known.filter { key, known in
      let base = account.progress[key].flatMap(Self.state)?.progress ?? 0
      return known.said != nil || known.locals.contains { $0.progress != base }
    }
    let times = try library.progressTimes(of: known.values.flatMap { $0.locals.map(\.episode) })
    var taken: [(episode: LocalEpisode, mark: EpisodeMark)] = []
    var sent: [EpisodeAction] = []
    for (key, known) in known {
      // The clock was ahead then, perhaps: nothing later would count.
      var base = account.progress[key].flatMap(Self.state)
      if let time = base?.time { base?.time = min(time, seconds) }
      let duration = known.duration
      let said = known.said?.counted(duration: duration)
      let local = known.locals.map { local in
        EpisodeAction.State(
          time: min(times[local.episode.key] ?? 0, seconds), progress: local.progress)
      }
      var agreed = [base, said].compactMap { $0 }.max()
      let step = EpisodeAction.step(base: base, local: local, remote: said)
      if case .send(let state) = step {
        guard var action = known.action else {
          report.withheldEpisodes += 1
          continue
        }
        (action.state, action.duration) = (state, duration)
        sent.append(action)
        agreed = max(agreed ?? state, state)
      }
      if let agreed, step != .none {
        for local in known.locals where local.progress != agreed.progress {
          taken.append((local.episode, Self.mark(agreed.progress)))
        }
      }
      // An address that the server must not know is not one of an agreement.
      guard known.action != nil else { continue }
      if let agreed { account.progress[key] = [agreed.time, agreed.progress] }
      remote[key] = nil
    }
    (report.received, report.sent) = (taken.count, sent.count)
    if account.withheldEpisodes ?? 0 != report.withheldEpisodes { report.isWithheldNew = true }
    account.withheldEpisodes = report.withheldEpisodes
    guard !options.isDry else { return }
    try library.mark(taken, at: now) { Task.isCancelled }
    // Those of which both know something are kept, and the latest of the others.
    var others: [EpisodeAction] = []
    for (key, state) in remote where account.progress[key] == nil {
      others.append(EpisodeAction(podcast: "", episode: key, state: state))
    }
    account.waiting = [:]
    for other in others.latest(Account.mostWaiting) {
      account.waiting[other.episode] = [other.state.time, other.state.progress, other.state.total]
    }
    sent = (sent + files).latest(.max)
    if !sent.isEmpty { try await client.send(sent) }
    account.since = next
  }

  /// The library's episodes of these podcasts by the keys of their addresses, and the address that has
  /// an id; empty if several have it.
  private func known(
    _ podcasts: [String: String]
  ) throws(PodgetError) -> (known: [String: Known], places: [String: String]) {
    var (found, places): ([String: Known], [String: String]) = ([:], [:])
    for local in library.episodes() {
      if Task.isCancelled { throw Self.stopped }
      guard let feed = local.podcast.feedURL?.text, let podcast = podcasts[Account.key(feed)]
      else { continue }
      let episode = local.episode
      let address = AddressRedaction.withoutCredentials(episode.enclosure.url)
      let key = Account.key(address)
      var known = found.removeValue(forKey: key) ?? Known()
      let progress = local.isPlayed ? -1 : local.position?.components.seconds ?? 0
      known.locals.append((local, progress))
      if let guid = episode.guid {
        let id = Self.key(guid, podcast)
        places[id] = places[id, default: key] == key ? key : ""
      }
      if known.action == nil {
        known.action = EpisodeAction(
          podcast: podcast, episode: address, guid: episode.guid,
          state: .init(time: 0, progress: progress))
      }
      found[key] = known
    }
    return (found, places)
  }

  /// Whether two addresses are of one file: that with fewer parts ends the other one, but for hosts and
  /// queries. So a prefix of a tracker, another host and another token make no difference.
  static func isSameFile(_ one: String, _ other: String) -> Bool {
    func parts(_ address: String) -> [Substring] {
      let path = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
      return Array(path.dropFirst(address.contains("://") ? 2 : 1))
    }
    let (one, other) = (parts(one), parts(other))
    let count = Swift.min(one.count, other.count)
    return count > 0 && one.suffix(count) == other.suffix(count)
  }

  /// Notes what was said of an episode, and what the server may know of it.
  private func note(
    _ account: Account, _ remote: [String: EpisodeAction.State], _ places: [String: String],
    _ known: inout Known?, of key: String
  ) {
    guard let action = known?.action else { return }
    if let state = remote[key] {
      let said = known?.said ?? state
      known?.said = max(said, state)
    }
    if let guid = action.guid,
      places[Self.key(guid, action.podcast)] != key
        || !account.sharesPrivate && AddressSecrets.areKnown(in: guid)
    {
      known?.action?.guid = nil
    }
    let isKnownThere = remote[key] != nil || account.progress[key] != nil
    if !account.sharesPrivate, !isKnownThere, Account.hasSecret(action.episode) {
      known?.action = nil
    }
  }

  private static func mark(_ progress: Int64) -> EpisodeMark {
    progress > 0 ? .position(.seconds(progress)) : .played(progress < 0)
  }

  /// What became of files since the last exchange, each said once: also after a clock was set back, and
  /// within one second. None before the first exchange.
  ///
  /// An app at Nextcloud keeps one action of an episode: it would lose the position.
  private func changes(
    _ account: inout Account, _ known: [String: Known], at seconds: Int64
  ) -> [EpisodeAction] {
    let (last, said) = (account.filesSince, account.filesAhead ?? [:])
    var (files, ahead): ([EpisodeAction], [String: [Int64]]) = ([], [:])
    for known in known.values {
      for (local, _) in known.locals {
        guard let downloaded = local.downloadedAt else { continue }
        let time = Int64((local.removedAt ?? downloaded).timeIntervalSince1970)
        if time >= seconds { ahead[local.key] = [time] }
        guard let last, time >= last, said[local.key] != [time], var action = known.action else {
          continue
        }
        action.file = local.removedAt == nil ? .download : .delete
        action.state = .init(time: time, progress: 0)
        files.append(action)
      }
    }
    account.filesSince = seconds
    account.filesAhead = ahead.isEmpty ? nil : ahead
    return files
  }

  private static func key(_ guid: String, _ podcast: String) -> String {
    "\(guid) \(Account.key(podcast))"
  }

  private static func state(_ parts: [Int64]) -> EpisodeAction.State? {
    guard (2...3).contains(parts.count) else { return nil }
    return .init(time: parts[0], progress: parts[1], total: parts.count == 3 ? parts[2] : 0)
  }
}
