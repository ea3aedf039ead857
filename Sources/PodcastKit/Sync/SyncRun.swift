import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

extension DownloadRun {
  /// Checks the feeds of followed podcasts, and downloads what is new in them.
  ///
  /// Cancelling the task is the same as ``cancel()``.
  ///
  /// - Parameters:
  ///   - names: only these subscriptions, by their names, titles, ids or addresses; all when nil.
  ///   - options: how feeds are checked.
  ///   - follow: what the run wants of a subscription; an error is one of its feed.
  package func sync(
    _ names: [String]? = nil, options: SyncOptions = SyncOptions(),
    follow: @escaping @Sendable (Subscription) throws(PodgetError) -> FollowedFeed
  ) async -> SyncOutcome {
    let states = FeedStateWriter(library, disk: disk)
    let logins = logins
    return await run { [self] batches in
      let file = SubscriptionFile(library)
      let read = await disk.look {
        Result { () throws(PodgetError) in try file.readTrusted() }
      }
      guard let read else { return SyncOutcome() }
      do throws(PodgetError) {
        let (list, isTrusted) = try read.get()
        let feeds = followed(chosen(names, of: list, options.shard), follow)
        let known = SyncLibrary(library, disk: disk, hasOneFeed: feeds.count == 1) { [self] in
          await loadForPlanning($0)
        }
        let surroundings = SyncStage.Surroundings(
          library: library, feeds: feedsAlone, credentials: credentials, logins: logins, disk: disk,
          options: options, now: now, isTrusted: isTrusted, isNamed: names != nil,
          isDryRun: downloader == nil, report: { [channel] in channel.send($0) })
        return await SyncStage(surroundings, library: known, states: states, batches: batches)
          .check(feeds, in: file)
      } catch {
        report(.sourceFailed(SubscriptionFile.name, error))
        return SyncOutcome()
      }
    } finally: {
      await states.store()
      guard let failure = await states.failure else { return }
      report(
        .note(
          "The state of the feeds could not be stored; the next sync reads them completely. "
            + failure.message))
    }
  }

  /// What the run wants of subscriptions; what cannot be used is reported.
  private nonisolated func followed(
    _ subscriptions: [Subscription],
    _ follow: (Subscription) throws(PodgetError) -> FollowedFeed
  ) -> [FollowedFeed] {
    subscriptions.compactMap { subscription in
      do throws(PodgetError) {
        return try follow(subscription)
      } catch {
        report(.feedFailed(subscription.name, subscription.podcast, error))
        return nil
      }
    }
  }

  /// The subscriptions of a run; a name that none has is a failure.
  private nonisolated func chosen(
    _ names: [String]?, of list: SubscriptionList, _ shard: Shard?
  ) -> [Subscription] {
    var list = list
    var chosen = list.subscriptions
    if let names {
      chosen = []
      var seen: Set<String> = []
      for name in names {
        guard let subscription = list.subscription(named: name) else {
          report(.sourceFailed(name, Subscriber.notFollowed))
          continue
        }
        if seen.insert(subscription.name).inserted { chosen.append(subscription) }
      }
    } else if chosen.isEmpty {
      report(.note("No podcast is followed; podget subscribe adds one."))
    }
    guard let shard else { return chosen }
    return chosen.filter { shard.contains($0.firstURL) }
  }
}
