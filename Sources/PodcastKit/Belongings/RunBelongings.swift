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
    let plans =
      subscribed.writesTags(podcast, or: options.writesTags)
      ? plans.map { plan in
        var plan = plan
        plan.tags = BelongingOffers.tags(
          of: plan.episode, in: podcast, found.details[plan.episode])
        return plan
      } : plans
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
    return offering(plans, of: podcast, found.details)
  }

  /// The plans with what is stored beside their episodes.
  nonisolated func offering(
    _ plans: [DownloadPlan], of podcast: Podcast, _ details: [Episode: EpisodeDetails]
  ) -> [DownloadPlan] {
    let kinds = belongingKinds(of: podcast)
    guard kinds != .none, belongings != nil else { return plans }
    return plans.map { plan in
      var plan = plan
      plan.belongings = BelongingOffers.list(
        kinds, of: plan.episode, in: podcast, details[plan.episode])
      return plan
    }
  }

  /// What is stored beside the episodes of a podcast.
  package nonisolated func belongingKinds(of podcast: Podcast) -> Belongings {
    subscribed.own(of: podcast).belongings ?? options.belongings
  }
}
