import PodcastFeeds
import PodcastModel

/// Plans of unfinished downloads, as a user names them.
enum UnfinishedPlans {
  /// The plans that each source means, in the order of the sources.
  static func meant(
    by names: [String], among plans: [DownloadPlan]
  ) -> [(name: String, plans: Result<[DownloadPlan], PodgetError>)] {
    let parsed = names.map { name in
      Result { () throws(PodgetError) in try Source.parse(name) }
    }
    // A source that cannot be parsed means nothing.
    let table = SourceTable(parsed.map { (try? $0.get()) ?? .standardInput })
    var meant: [[DownloadPlan]] = names.map { _ in [] }
    for plan in plans {
      for place in table.places(of: plan) { meant[place].append(plan) }
    }
    return names.indices.map { place in (names[place], parsed[place].map { _ in meant[place] }) }
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
