import PodcastFeeds
import PodcastLibrary
package import PodcastModel

/// What a run stores beside the episodes of its sources.
extension DownloadRun {
  /// The plans of a listing with what is stored beside their episodes. What earlier runs could not get
  /// or write of its other episodes is asked for again, and its image is kept up to date.
  nonisolated func withBelongings(
    _ plans: [DownloadPlan], of found: SourceResolver.Listing, _ known: KnownEpisodes
  ) -> [DownloadPlan] {
    let podcast = found.listing.podcast
    let kinds = belongingKinds(of: podcast)
    let plans = offering(plans, of: podcast, found.details)
    guard kinds != .none, let belongings else { return plans }
    let identified = known.index.identify(found.listing)
    belongings.keepCover(of: identified, kinds, isAsked: options.asksForBelongings)
    let chosen = Set(plans.map(\.key))
    let listed = Set(identified.locals.values.map(\.key))
    let left = known.reading.episodes.filter {
      $0.isWanting && !chosen.contains($0.key) && listed.contains($0.key)
    }
    belongings.retry(
      left, kinds, texts: BelongingOffers.texts(kinds, for: left, of: identified, found.details))
    return plans
  }

  /// The plans with what is stored beside their episodes, and what their tags get from the feed.
  nonisolated func offering(
    _ plans: [DownloadPlan], of podcast: Podcast, _ details: [Episode: EpisodeDetails]
  ) -> [DownloadPlan] {
    let (kinds, writesTags) = (belongingKinds(of: podcast), writesTags(podcast))
    guard belongings != nil, kinds != .none || writesTags else { return plans }
    return plans.map { plan in
      var plan = plan
      let details = details[plan.episode]
      plan.belongings = BelongingOffers.list(kinds, of: plan.episode, in: podcast, details)
      if writesTags { plan.tags = BelongingOffers.tags(of: plan.episode, in: podcast, details) }
      return plan
    }
  }

  /// Whether what the feed says of the episodes of a podcast is stored, beside their files or in them.
  package nonisolated func needsDetails(of podcast: Podcast) -> Bool {
    belongingKinds(of: podcast).needDetails || writesTags(podcast)
  }

  private nonisolated func belongingKinds(of podcast: Podcast) -> Belongings {
    subscribed.own(of: podcast).belongings ?? options.belongings
  }

  private nonisolated func writesTags(_ podcast: Podcast) -> Bool {
    subscribed.writesTags(podcast, or: options.writesTags)
  }
}
