import PodcastKit

/// Chooses episodes of what the sources listed, and plans where they go.
struct EpisodePlanner: Sendable {
  let library: Library
  let filter: EpisodeFilter
  let template: FilenameTemplate
  /// Whether files that were found where somebody moved them are put on record.
  let isRecording: Bool

  /// The plans for all results, telling the display of each podcast, and of what is not to be had.
  func plan(
    _ results: [(source: String, result: SourceReader.Result)], _ display: DownloadDisplay
  ) async -> [DownloadPlan] {
    var plans: [DownloadPlan] = []
    let known = await BlockingWork.run { [library, isRecording] in
      let reading = library.locatedReading(recording: isRecording)
      let index = LibraryIndex(reading.episodes, unfinished: library.unfinished())
      return (reading, index, library.plannedNames())
    }
    guard case (let reading, let index, var names)? = known else { return [] }
    if let notice = reading.notice { await display.note(notice) }
    // What is here and not known to be here would be fetched again.
    guard reading.errors.isEmpty else {
      for error in reading.errors { await display.sourceFailed(library.path, error) }
      return []
    }
    // What is refused leads outside the library or is nothing that podget wrote: the rest counts.
    for refusal in reading.refusals { await display.note(refusal.message) }
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
        let planned = await BlockingWork.run { [self, names] in
          Result { () throws(PodgetError) in try self.plans(for: chosen, of: listing, index, names)
          }
        }
        guard let planned else { return [] }
        switch planned {
        case .failure(let error): await display.sourceFailed(source, error)
        case .success(let planned):
          // A podcast whose disk is not there is not fetched onto another one.
          if let obstacle = planned.lazy.compactMap({ reading.obstacle(to: $0.file) }).first {
            await display.sourceFailed(source, obstacle)
            continue
          }
          plans += planned.map { plan in
            names.add(folder: plan.folder, stem: plan.stem, owner: plan.key)
            var plan = plan
            plan.isNamed = isNamed
            return plan
          }
        }
      }
    }
    return plans
  }

  /// The plans of a podcast's episodes beside the names that are planned already.
  private func plans(
    for chosen: [Episode], of listing: PodcastListing, _ index: LibraryIndex, _ names: TakenNames
  ) throws(PodgetError) -> [DownloadPlan] {
    let identified = index.identify(listing)
    let taken = try library.takenNames(for: identified, template: template, planned: names)
    return NamePlanner(template: template).plans(
      for: listing.podcast, episodes: chosen, among: listing.episodes, keys: identified.keys,
      taken: taken)
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
