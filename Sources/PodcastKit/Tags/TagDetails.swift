import FoundationEssentials
import PodcastFeeds
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// What feeds say about episodes whose files get tags: descriptions, pages, chapters and artwork.
package struct TagDetails: Sendable {
  private let resolver: SourceResolver
  private let facts: PodcastFacts

  /// Creates it.
  ///
  /// - Parameters:
  ///   - resolver: reads feeds with all details.
  ///   - facts: say which podcasts are one.
  package init(_ resolver: SourceResolver, facts: PodcastFacts) {
    (self.resolver, self.facts) = (resolver, facts)
  }

  /// What names the podcast of an episode where its feed is asked: its subscription, its feed or its id;
  /// nil if nothing does.
  package static func source(
    of podcast: Podcast, among subscriptions: [Subscription]
  ) -> String? {
    SubscriptionPlaces(subscriptions).likelyPlace(of: podcast).map { subscriptions[$0].name }
      ?? podcast.feedURL?.text ?? podcast.id.map { String($0) }
  }

  /// What the feed of a podcast says about its episodes, by their keys. Those that it does not list any
  /// more are left out.
  package func found(
    at source: String, for episodes: [LocalEpisode]
  ) async throws(PodgetError) -> [String: PlannedTags] {
    let read = try await resolver.resolve(source).get()
    let locals = EpisodeLookup(episodes, facts: facts).identify(read.listing).locals
    var found: [String: PlannedTags] = [:]
    for (episode, local) in locals {
      found[local.key] = BelongingOffers.tags(
        of: episode, in: read.listing.podcast, read.details[episode])
    }
    return found
  }
}
