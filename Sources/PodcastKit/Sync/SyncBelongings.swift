import PodcastFeeds
import PodcastLibrary
import PodcastModel

/// What belongs beside the episodes of feeds that are checked.
extension SyncStage {
  /// Adds what the feed offers to the plans of its episodes.
  func addBelongings(to batch: inout PlannedBatch, of document: FeedDocument, _ feed: FollowedFeed)
  {
    guard feed.needsDetails || feed.belongings != .none, !batch.plans.isEmpty else { return }
    let details = document.detailsByEpisode
    for place in batch.plans.indices {
      let episode = batch.plans[place].episode
      batch.plans[place].belongings = BelongingOffers.list(
        feed.belongings, of: episode, in: document.podcast, details[episode])
      if feed.writesTags {
        batch.plans[place].tags = BelongingOffers.tags(
          of: episode, in: document.podcast, details[episode])
      }
    }
  }

  /// Asks again for what earlier runs could not get or write, after the feed was checked, with its login.
  /// No other podcast's server is asked. If the feed was read, its image is kept up to date.
  ///
  /// - Parameter identified: the feed, looked up in the library; nil if it is as it was.
  func continueBelongings(
    of checked: CheckedFeed, _ identified: IdentifiedListing?, besides plans: [DownloadPlan]
  ) async {
    let feed = checked.request.feed
    guard feed.belongings != .none, let belongings = around.belongings else { return }
    if let identified {
      if let artwork = identified.listing.podcast.artworkURL {
        around.credentials.adopt(artwork, from: checked.request.credentials)
      }
      belongings.keepCover(of: identified, feed.belongings, isAsked: false)
    }
    if wanting == nil { wanting = await allWanting() }
    let planned = Set(plans.map(\.key))
    let waiting = wanting?.removeValue(forKey: feed.subscription.firstURL) ?? []
    let left = waiting.filter { !planned.contains($0.key) }
    guard !left.isEmpty else { return }
    for address in await addresses(of: left) {
      around.credentials.adopt(address, from: checked.request.credentials)
    }
    var texts: [String: [PlannedBelonging]] = [:]
    if let identified, let document = checked.completeDocument {
      texts = BelongingOffers.texts(
        feed.belongings, for: left, of: identified, document.detailsByEpisode)
    }
    belongings.retry(left, feed.belongings, texts: texts)
  }

  private func allWanting() async -> [String: [LocalEpisode]] {
    let (library, list) = (around.library, around.list)
    let places = list.places
    let found = await around.disk.look {
      var found: [String: [LocalEpisode]] = [:]
      for local in library.reading(.wanting).episodes where local.isWanting {
        guard let place = places.likelyPlace(of: local.podcast) else { continue }
        found[list.chosen[place].firstURL, default: []].append(local)
      }
      return found
    }
    return found ?? [:]
  }

  private func addresses(of episodes: [LocalEpisode]) async -> [String] {
    let library = around.library
    return await around.disk.look { library.wantedAddresses(of: episodes) } ?? []
  }
}
