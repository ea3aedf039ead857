import PodcastModel

/// Plans of unfinished downloads, as a user names them.
enum UnfinishedPlans {
  /// The plans that each source means, in the order of the sources.
  ///
  /// - Parameters:
  ///   - sources: name podcasts or episodes.
  ///   - plans: all plans of the library.
  ///   - recorded: the podcasts of its records, where the plans are to be changed: then a title that
  ///     several podcasts have is a failure. Nil where nothing is lost by a plan too many.
  static func meant(
    by sources: LibrarySources, among plans: [DownloadPlan], recorded: [Podcast]?
  ) -> [Result<[DownloadPlan], PodgetError>] {
    let table = sources.table(of: plans.map(\.podcast) + (recorded ?? []))
    var meant: [[DownloadPlan]] = sources.meanings.map { _ in [] }
    for plan in plans {
      for place in table.places(of: plan) { meant[place].append(plan) }
    }
    return sources.meanings.enumerated().map { place, source in
      if let error = recorded == nil ? nil : table.ambiguity(at: place) { return .failure(error) }
      return source.map { _ in meant[place] }
    }
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
