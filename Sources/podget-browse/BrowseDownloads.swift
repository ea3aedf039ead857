import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// The downloads of the view: what is asked for, cancelled and reported.
extension BrowseEngine {
  func request(_ keys: [String]) async {
    var bySource: [(source: String, keys: [String])] = []
    var places: [String: Int] = [:]
    var planned: [DownloadPlan] = []
    for key in keys {
      states[key] = .queued
      dropped.remove(key)
      if let place = listed[key] {
        if let index = places[place.source] {
          bySource[index].keys.append(key)
        } else {
          places[place.source] = bySource.endIndex
          bySource.append((place.source, [key]))
        }
        continue
      }
      do throws(PodgetError) {
        var plan = try await plan(key)
        if let source = plan.podcast.source { _ = try await loggedIn(source) }
        plan.isNamed = true
        planned.append(plan)
      } catch {
        report(key, .failed(error.message))
      }
    }
    for (source, keys) in bySource {
      guard let listing = podcasts[source]?.listing else { continue }
      let episodes = keys.compactMap { listed[$0]?.episode }
      ask(.listed(listing, episodes), keys)
    }
    if !planned.isEmpty { ask(.planned(planned), planned.map(\.key)) }
  }

  private func ask(_ episodes: DownloadRequest.Episodes, _ keys: [String]) {
    requests.yield(
      DownloadRequest(episodes) { error in
        Task { for key in keys { await self.report(key, .failed(error.message)) } }
      })
  }

  func cancel(_ key: String) async {
    if states[key] == .queued { dropped.insert(key) }
    await run.cancel(key)
  }

  func report(_ key: String, _ state: EpisodeState) {
    states[key] = state
    send(.state(key, state))
  }

  func report(_ event: RunEvent) async {
    switch event {
    case .episode(let event): await report(event)
    case .sourceFailed(_, let error): send(.message(error.message))
    case .note(let text): send(.message(text))
    case .listing, .checking, .checked, .feedFailed, .roundChecked: break
    }
  }

  func report(_ event: DownloadEvent) async {
    let key = event.plan.key
    let (received, total) = states[key]?.bytes ?? (0, event.plan.episode.enclosure.length)
    if event.kind.isTerminal { dropped.remove(key) }
    switch event.kind {
    case .planned:
      report(key, .queued)
    case .started(let bytes):
      // It was cancelled before it could be found among those that wait.
      if dropped.contains(key) { await run.cancel(key) }
      report(key, .running(received: bytes, total: total))
    case .progress(let received, let total):
      report(key, .running(received: received, total: total))
    case .paused: report(key, .paused(received: received, total: total))
    case .resumed: report(key, .running(received: received, total: total))
    case .retrying: report(key, .retrying(received: received, total: total))
    case .restarted: report(key, .running(received: 0, total: total))
    case .finished: report(key, .complete)
    case .skipped(_, .alreadyDownloaded): report(key, .complete)
    case .skipped(_, .inProgressElsewhere):
      report(key, .failed("\(event.plan.episode.title): another podget is downloading it."))
    case .skipped(_, .removed):
      report(key, .failed("\(event.plan.episode.title): it was removed before."))
    case .failed(let error):
      report(key, .failed("\(event.plan.episode.title): \(error.message)"))
    case .cancelled(let bytes):
      report(key, bytes > 0 ? .partial(received: bytes, total: total) : .remote)
    }
  }
}
