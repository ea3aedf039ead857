import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// How a sync continues what is unfinished.
extension SyncStage {
  /// Continues what was planned for these podcasts and is not finished: at once, or when its feed has
  /// answered, which may have another address for it. Each waits for its login: without it an episode
  /// would only be refused.
  ///
  /// - Parameter asking: the feeds that are asked now.
  func continueUnfinished(asking: Set<String>) async {
    let found = await library.unfinished(
      of: around.list, besides: around.busy, resting: around.resting, around.options,
      retriesAll: around.isAskedFor, now: around.now())
    guard let found else { return }
    let checks = around.checks
    var ready: [DownloadPlan] = []
    for (subscription, downloads) in found.downloads {
      let key = subscription.firstURL
      // The check of a slow feed may end in this round.
      if asking.contains(key) || checks.isRunning(key) {
        held[key] = HeldDownloads(downloads: downloads, known: found.known)
      } else {
        ready += begin(downloads.filter(\.isDue), of: subscription)
      }
    }
    guard !ready.isEmpty else { return }
    let parts = PlansByLogin(ready, of: around.list.chosen)
    if !parts.others.isEmpty { pass(PlannedBatch(parts.others, known: found.known)) }
    for (subscription, plans) in parts.own {
      // A command that does not end delays nothing else.
      let key = "unfinished \(subscription.firstURL)"
      guard !checks.isRunning(key) else { continue }
      unfinished[key] = PlannedBatch(plans, known: found.known)
      checks.start(key) { [around] in
        let own = OriginCredentials()
        do throws(PodgetError) {
          try await around.logins.logIn(to: subscription, isTrusted: around.isTrusted, own)
        } catch {
          // The check of the feed reports it.
          return .loggedIn(key, nil)
        }
        return .loggedIn(key, own)
      }
    }
  }

  /// The plans of unfinished downloads, which are tried now. A last time is reported.
  private func begin(
    _ downloads: [HeldDownloads.Download], of subscription: Subscription
  ) -> [DownloadPlan] {
    for download in downloads where download.isLastTime {
      around.report(
        .note(
          "\(download.plan.episode.title) has been failing for two weeks. This is the last time that "
            + "podget sync tries it; podget resume \(subscription.name) tries it again."))
    }
    return downloads.map(\.plan)
  }

  /// Continues what waited for the answer of a feed.
  ///
  /// - Parameters:
  ///   - checked: the answer; nil if there is none. Without a login nothing is continued.
  ///   - listed: what is unfinished as the feed lists it now.
  func release(_ key: String, _ checked: CheckedFeed? = nil, listed: [DownloadPlan] = []) {
    guard let waiting = held.removeValue(forKey: key) else { return }
    let subscription = checked?.request.feed.subscription ?? around.list[key]
    guard let subscription else { return }
    if let checked, !checked.response.isAsked { return }
    let plans = begin(waiting.settled(by: listed), of: subscription)
    guard !plans.isEmpty else { return }
    if let own = checked?.request.credentials {
      for address in plans.flatMap(\.addresses) { around.credentials.adopt(address, from: own) }
    }
    pass(PlannedBatch(plans, known: waiting.known))
  }

  /// The keys of what waits for the answer of a feed, without those that are planned again.
  func keepHeld(_ key: String, besides planned: Set<String>) -> Set<String> {
    held[key]?.downloads.removeAll { planned.contains($0.plan.key) }
    return Set((held[key]?.downloads ?? []).map(\.plan.key))
  }
}
