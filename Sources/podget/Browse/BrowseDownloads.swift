import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// The downloads of the view: what is asked for, cancelled and reported.
extension BrowseEngine {
  func request(_ keys: [String]) async {
    var bySource: [(source: String, keys: [String])] = []
    var places: [String: Int] = [:]
    var unlisted: [String] = []
    await run.want(keys)
    for key in keys {
      report(key, .queued)
      if let place = listed[key] {
        if let index = places[place.source] {
          bySource[index].keys.append(key)
        } else {
          places[place.source] = bySource.endIndex
          bySource.append((place.source, [key]))
        }
        continue
      }
      unlisted.append(key)
    }
    if !unlisted.isEmpty { await requestPlanned(unlisted) }
    for (source, keys) in bySource {
      let episodes = keys.compactMap { listed[$0]?.episode }
      do throws(PodgetError) {
        guard let listing = try await listing(of: source, with: episodes) else {
          throw PodgetError(.notFound, "The podcast is no longer followed.")
        }
        let details = await details(of: episodes, in: listing.podcast, source)
        ask(.listed(listing, episodes, details: details), keys)
      } catch {
        for key in keys { report(key, .failed(error.said)) }
      }
    }
  }

  /// What the feed says of episodes, if something of that is stored beside them. Without it they are
  /// downloaded all the same.
  private func details(
    of episodes: [Episode], in podcast: Podcast, _ source: String
  ) async -> [Episode: EpisodeDetails] {
    guard run.needsDetails(of: podcast),
      let read = await detailed(source)
    else { return [:] }
    return Dictionary(
      episodes.compactMap { episode in read.details(of: episode).map { (episode, $0) } }
    ) { first, _ in first }
  }

  /// Asks for episodes of the library, which is read once for all of them.
  private func requestPlanned(_ keys: [String]) async {
    let plans = await plans(keys)
    var logins: [String: PodgetError?] = [:]
    var wanted: [DownloadPlan] = []
    for key in keys {
      guard var plan = plans[key] else {
        report(key, .failed("The library does not have this episode."))
        continue
      }
      if let source = plan.podcast.source {
        if logins[source] == nil {
          do throws(PodgetError) {
            _ = try await loggedIn(source)
            logins.updateValue(nil, forKey: source)
          } catch {
            logins.updateValue(error, forKey: source)
          }
        }
        if let error = logins[source] ?? nil {
          report(key, .failed(error.said))
          continue
        }
      }
      plan.isNamed = true
      wanted.append(plan)
    }
    if !wanted.isEmpty { ask(.planned(wanted), wanted.map(\.key)) }
  }

  private func ask(_ episodes: DownloadRequest.Episodes, _ keys: [String]) {
    requests.yield(
      DownloadRequest(episodes) { error in
        Task { for key in keys { await self.report(key, .failed(error.said)) } }
      })
  }

  /// How many times a download that is being cancelled is waited for, 50 ms apart.
  static let mostWaits = 100

  /// Waits until what was asked of downloads is seen in their states: what is asked for next counts on
  /// it.
  func settle(
    _ keys: [String], attempts: Int = mostWaits, _ isDone: (EpisodeState) -> Bool
  ) async {
    for _ in 0..<attempts {
      let rest = keys.contains { key in states[key].map { !isDone($0) } ?? false }
      guard rest, (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
    }
  }

  /// Cancels downloads, and deletes their plans and what arrived; the episodes of which that failed.
  func forget(_ keys: Set<String>) async throws(PodgetError) -> Set<String> {
    await run.cancel(keys)
    let library = library
    var left = keys
    var attempt = 1
    while true {
      let wanted = left
      let result = await disk.perform {
        Result { () throws(PodgetError) in
          let plans = library.unfinished().map(\.plan).filter { wanted.contains($0.key) }
          return try library.forget(plans)
        }
      }
      let busy = try result.get()
      for key in left.subtracting(busy)
      where states[key]?.isActive != true && states[key] != .complete {
        report(key, .remote)
      }
      // A download that is cancelled needs a moment to end.
      left = busy.union(left.filter { states[$0]?.isActive == true })
      guard !left.isEmpty, attempt < Self.mostWaits,
        (try? await Task.sleep(for: .milliseconds(50))) != nil
      else { break }
      attempt += 1
    }
    return left
  }

  /// Measures how fast an episode is being downloaded, and says so twice a second.
  private func measure(_ key: String, _ received: Int64, begins: Bool = false) {
    let now = began.duration(to: .now)
    var meter = meters[key] ?? (SpeedMeter(), now)
    if begins {
      meter.meter.begin(at: received, now: now)
    } else {
      meter.meter.record(received, now: now)
    }
    if now - meter.said >= .milliseconds(500), let speed = meter.meter.speed(now: now) {
      meter.said = now
      send(.speed(key, Int64(min(max(0, speed), 1e15))))
    }
    meters[key] = meter
  }

  func report(_ key: String, _ state: EpisodeState) {
    if !state.isActive { meters[key] = nil }
    states[key] = state
    send(.state(key, state))
  }

  func show(_ event: RunEvent) async -> RoundSummaries.Place? {
    switch event {
    case .episode(let event):
      await report(event)
      return event.kind.isTerminal
        ? RoundSummaries.Place(round: 0, finished: 0, hasEnded: false) : nil
    case .sourceFailed(_, let error): send(.error(error.said))
    case .note(let text): send(.message(text))
    case .belonging(let event):
      if let sentence = EventText.failure(of: event) { send(.message(sentence)) }
    case .listing, .checking, .checked, .feedFailed, .feedChanged, .feedStillFails, .roundChecked,
      .removed:
      break
    }
    return nil
  }

  func show(_ source: String, _ error: PodgetError, in round: Int?) {
    send(.error("\(source): \(error.said)"))
  }

  func end(_ round: Int) {}

  func report(_ event: DownloadEvent) async {
    let key = event.plan.key
    let (received, total) = states[key]?.bytes ?? (0, event.plan.episode.enclosure.length)
    switch event.kind {
    case .planned:
      report(key, .queued)
    case .started(let bytes):
      measure(key, bytes, begins: true)
      report(key, .running(received: bytes, total: total))
    case .progress(let received, let total):
      let state = (states[key] ?? .queued).written(received, of: total)
      if state.isTransferred { measure(key, received) }
      report(key, state)
    case .paused: report(key, .paused(received: received, total: total))
    case .resumed: report(key, .running(received: received, total: total))
    case .retrying: report(key, .retrying(received: received, total: total))
    case .restarted: report(key, .running(received: 0, total: total))
    case .finished: report(key, .complete)
    case .skipped(_, .alreadyDownloaded): report(key, .complete)
    case .skipped(_, .inProgressElsewhere):
      report(key, .failed("\(event.plan.episode.title): another podget is downloading it."))
    case .skipped(_, let reason) where reason.isPostponed:
      report(key, .failed("\(event.plan.episode.title): \(EventText.sentence(reason))."))
    case .skipped(_, .forgotten): report(key, .remote)
    case .skipped:
      report(key, .failed("\(event.plan.episode.title): it was removed before."))
    case .failed(let error):
      report(key, .failed("\(event.plan.episode.title): \(error.said)"))
    case .cancelled(let bytes):
      report(key, bytes > 0 ? .partial(received: bytes, total: total) : .remote)
    }
  }
}
