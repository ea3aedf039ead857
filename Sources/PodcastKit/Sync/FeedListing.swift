import PodcastLibrary
import PodcastModel

extension SyncStage {
  /// What a feed lists, for those who look at it later. New is what it did not list when its podcast was
  /// followed.
  func listing(
    _ identified: IdentifiedListing, at places: [Int?], _ checked: CheckedFeed,
    _ state: FeedState
  ) -> ListedStore.Listing {
    let before = checked.request.state
    let (podcast, episodes) = (identified.listing.podcast, identified.listing.episodes)
    let listed = episodes.enumerated().map { number, episode in
      let place = places.indices.contains(number) ? places[number] : nil
      return ListedStore.Item(
        key: identified.keys.key(podcast: podcast, episode: episode), episode,
        isNew: before.lastRead != nil && place.map { before.listed.isWaiting($0) } ?? true)
    }
    unlisted.remove(checked.request.feed.subscription.firstURL)
    var listing = ListedStore.Listing(
      feed: checked.request.feed.subscription.firstURL, podcast: podcast, items: listed)
    listing.body = state.bodyDigest ?? ""
    listing.isFirst = before.lastRead == nil
    let document = checked.completeDocument
    listing.isWhole =
      document != nil && document?.nextPage == nil && checked.response.pagesError == nil
      && listing.items.count == episodes.count
    return listing
  }
}
