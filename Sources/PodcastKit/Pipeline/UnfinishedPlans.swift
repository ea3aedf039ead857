import PodcastModel

/// Plans of unfinished downloads, as a user names them.
enum UnfinishedPlans {
  /// The plans that each source means, in the order of the sources.
  static func meant(
    by sources: LibrarySources, among plans: [DownloadPlan]
  ) -> [Result<[DownloadPlan], PodgetError>] {
    let table = sources.table(of: plans.lazy.map(\.podcast))
    var meant: [[DownloadPlan]] = sources.meanings.map { _ in [] }
    for plan in plans {
      for place in table.places(of: plan) { meant[place].append(plan) }
    }
    return zip(sources.meanings, meant).map { source, plans in source.map { _ in plans } }
  }

  /// The podcasts of some plans with the number of their episodes, in the order of the plans.
  static func podcasts(of plans: [DownloadPlan]) -> [(Podcast, Int)] {
    var podcasts: [(Podcast, Int)] = []
    var places: [Podcast: Int] = [:]
    for plan in plans {
      if let place = places[plan.podcast] {
        podcasts[place].1 += 1
      } else {
        places[plan.podcast] = podcasts.endIndex
        podcasts.append((plan.podcast, 1))
      }
    }
    return podcasts
  }
}
