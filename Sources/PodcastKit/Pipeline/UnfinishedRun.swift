import PodcastLibrary
package import PodcastModel
import PodcastTransfer

extension DownloadRun {
  /// Downloads what was planned and is not finished.
  ///
  /// Permanent failures, such as an episode that the server no longer has, are retried only if
  /// their podcast is named. Cancelling the task is the same as ``cancel()``.
  ///
  /// - Parameter sources: only these podcasts, by ids, links or titles; all when nil.
  public func continueUnfinished(of sources: [String]? = nil) async {
    await run { [self] batches in
      guard var plans = await unfinished(of: sources, forgets: false) else { return }
      await readSubscribedSettings()
      plans = await loggedIn(plans)
      for (podcast, count) in UnfinishedPlans.podcasts(of: plans) {
        report(.listing(podcast, episodes: count))
      }
      // A file that somebody moved inside the library need not be downloaded again.
      let query = EpisodeQuery.keys(plans.map(\.episodeKey))
      guard !plans.isEmpty, let known = await loadKnown(query) else { return }
      batches.yield(PlannedBatch(plans, known: known))
    }
  }

  /// Forgets what was planned and is not finished: the plans, and the bytes that arrived. Each is
  /// reported as `skipped`; what another podget is downloading is kept. A dry run reports what would be
  /// forgotten.
  ///
  /// - Parameter sources: only these podcasts, by ids, links or titles; all when nil.
  public func forgetUnfinished(of sources: [String]? = nil) async {
    await run { [self] _ in
      guard let plans = await unfinished(of: sources, forgets: true) else { return }
      for (podcast, count) in UnfinishedPlans.podcasts(of: plans) {
        report(.listing(podcast, episodes: count))
      }
      let library = library
      let isDryRun = downloader == nil
      let result = await disk.perform {
        Result { () throws(PodgetError) in isDryRun ? [] : try library.forget(plans) }
      }
      switch result {
      case .failure(let error): report(.sourceFailed(library.path, error))
      case .success(let kept):
        for plan in plans {
          let reason = kept.contains(plan.key) ? SkipReason.inProgressElsewhere : .forgotten
          report(.episode(DownloadEvent(plan, .skipped(path: plan.path, reason: reason))))
        }
      }
    }
  }

  /// What is unfinished of sources; a source that cannot be read is reported. Nil when the run was
  /// cancelled.
  ///
  /// - Parameters:
  ///   - sources: the podcasts; all when nil.
  ///   - forgets: whether the plans are to be forgotten: then permanent failures count even if no source
  ///     names them, and a title of several podcasts means none of them.
  private func unfinished(
    of sources: [String]?, forgets: Bool
  ) async -> [DownloadPlan]? {
    let library = library
    let found = await disk.look { (all: library.unfinished(), refused: library.refusedPlans()) }
    guard let found else { return nil }
    for (path, error) in found.refused { report(.sourceFailed(path, error)) }
    guard let sources else {
      return found.all.filter { forgets || $0.failure == nil }.map(\.plan)
    }
    var plans: [DownloadPlan] = []
    // The login of a source is for its origin, and is no part of its name.
    let names = sources.map { credentials.take(from: $0) }
    let meanings: LibrarySources
    do throws(PodgetError) {
      meanings = try LibrarySources(names, in: names.isEmpty ? nil : library)
    } catch {
      for name in names { report(.sourceFailed(name, error)) }
      return []
    }
    var recorded: [Podcast]?
    if forgets, !names.isEmpty {
      // A podcast without a plan may have the title too.
      guard let known = await loadForPlanning(.all) else { return nil }
      recorded = known.reading.episodes.map(\.podcast)
    }
    let meant = UnfinishedPlans.meant(
      by: meanings, among: found.all.map(\.plan), recorded: recorded)
    var seen: Set<String> = []
    var known: Set<Int>?
    for (place, (name, meant)) in zip(names, meant).enumerated() {
      switch meant {
      case .failure(let error): report(.sourceFailed(name, error))
      case .success(let unfinished):
        if unfinished.isEmpty {
          if known == nil { known = await disk.look { meanings.known(in: library) } }
          if known?.contains(place) == true {
            report(.note("Nothing of \(AddressRedaction.shown(name)) is unfinished."))
          } else {
            report(.sourceFailed(name, .noEpisode))
          }
        }
        // Several sources may mean an episode.
        plans += unfinished.filter { seen.insert($0.key).inserted }
      }
    }
    return plans
  }

  /// Downloads plans that are already known.
  package func download(_ plans: [DownloadPlan]) async {
    await run { [self] batches in
      await readSubscribedSettings()
      let plans = await loggedIn(plans)
      let query = EpisodeQuery.keys(plans.map(\.episodeKey))
      guard !plans.isEmpty, let known = await loadKnown(query) else { return }
      batches.yield(PlannedBatch(plans, known: known))
    }
  }

  /// Plans whose origins got the logins of the subscriptions that they belong to. The others are left
  /// out, and their subscriptions reported: without its login an episode would only be refused.
  private func loggedIn(_ plans: [DownloadPlan]) async -> [DownloadPlan] {
    guard !plans.isEmpty else { return plans }
    let file = SubscriptionFile(library)
    let read = await disk.look { try? file.readTrusted() }
    guard let read, let read else { return plans }
    let parts = PlansByLogin(plans, of: read.list.subscriptions)
    var left: Set<String> = []
    for (subscription, plans) in parts.own {
      let own = OriginCredentials()
      do throws(PodgetError) {
        let address = try await logins.logIn(to: subscription, isTrusted: read.isOwn, own)
        credentials.adopt(address, from: own)
        for address in plans.flatMap(\.addresses) { credentials.adopt(address, from: own) }
      } catch {
        report(.feedFailed(subscription.name, subscription.podcast, error))
        left.formUnion(plans.map(\.key))
      }
    }
    return left.isEmpty ? plans : plans.filter { !left.contains($0.key) }
  }
}
