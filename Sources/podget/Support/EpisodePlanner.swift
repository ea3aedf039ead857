import PodcastKit

/// Chooses episodes of what the sources listed, and plans where they go.
struct EpisodePlanner: Sendable {
  let library: Library
  let filter: EpisodeFilter

  /// The plans for all results, telling the display of each podcast, and of what is not to be had.
  func plan(
    _ results: [(source: String, result: SourceReader.Result)], _ display: DownloadDisplay
  ) async -> [DownloadPlan] {
    var plans: [DownloadPlan] = []
    for (source, result) in results {
      switch result {
      case .failed(let error): await display.sourceFailed(source, error)
      case .listing(let listing, let episode):
        let chosen = await choose(listing, source: source, episode: episode, display)
        await display.listing(listing.podcast, episodes: chosen.count)
        let isNamed = episode != nil || !filter.episodes.isEmpty
        if let note = Self.note(about: listing, limit: isNamed ? 0 : filter.limit) {
          await display.note(note)
        }
        var taken = library.takenNames(for: folders(of: listing))
        for plan in plans { taken.add(folder: plan.folder, stem: plan.stem, owner: plan.key) }
        plans += NamePlanner().plans(
          for: listing.podcast, episodes: chosen, among: listing.episodes, taken: taken)
      }
    }
    return plans
  }

  private func choose(
    _ listing: PodcastListing, source: String, episode: Int64?, _ display: DownloadDisplay
  ) async -> [Episode] {
    var filter = filter
    if let episode {
      filter.episodes.append(String(episode))
      filter.limit = nil
    }
    for unknown in filter.unknownEpisodes(among: listing.episodes) {
      await display.sourceFailed(
        source,
        PodgetError(
          .notFound, "\(listing.podcast.title) lists no episode with the id \(unknown)."))
    }
    return filter.select(from: listing.episodes)
  }

  private func folders(of listing: PodcastListing) -> Set<String> {
    Set(
      listing.episodes.map {
        FilenameTemplate.standard.components(podcast: listing.podcast, episode: $0).folder
      })
  }

  /// What the user should know about what was listed.
  static func note(about listing: PodcastListing, limit: Int?) -> String? {
    var sentences: [String] = []
    if listing.unplayableCount > 0 {
      let count = listing.unplayableCount
      sentences.append(
        count == 1
          ? "1 episode of \(listing.podcast.title) is for subscribers only."
          : "\(count) episodes of \(listing.podcast.title) are for subscribers only.")
    }
    let listed = listing.episodes.count + listing.unplayableCount
    if let count = listing.podcast.episodeCount, count > listed, listed > 0,
      limit.map({ $0 > listing.episodes.count }) ?? true
    {
      sentences.append(
        "\(listing.podcast.title) has \(count) episodes; Apple's directory lists the newest \(listed)."
      )
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}
