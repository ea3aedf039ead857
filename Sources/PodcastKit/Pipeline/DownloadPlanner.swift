import PodcastLibrary
package import PodcastModel

/// Chooses episodes of a listing, and plans where they go.
package struct DownloadPlanner: Sendable {
  /// What came of a listing.
  package struct Outcome: Sendable {
    /// What is to be told of it, in order.
    package var events: [RunEvent] = []
    /// What is to be downloaded, in the order of the listing.
    package var plans: [DownloadPlan] = []
  }

  private let filter: EpisodeFilter
  private let template: FilenameTemplate
  private let linked: Set<Int64>

  /// Makes a planner for a run.
  ///
  /// - Parameters:
  ///   - filter: which of them are wanted.
  ///   - template: what new files are called.
  ///   - linked: the ids of episodes that the user named by links.
  package init(filter: EpisodeFilter, template: FilenameTemplate, linked: Set<Int64> = []) {
    self.filter = filter
    self.template = template
    self.linked = linked
  }

  /// The plans for what a source led to. It lists the folders concerned, so it blocks on the disk.
  ///
  /// - Parameters:
  ///   - found: what the source led to.
  ///   - source: the source as it was named.
  ///   - known: what is known of the library.
  /// - Returns: nil where something is to be named, and not all of the library is known.
  package func plan(
    _ found: SourceResolver.Listing, of source: String, _ known: KnownEpisodes
  ) -> Outcome? {
    let listing = found.listing
    var filter = filter
    if let episode = found.episode {
      filter.episodes.append(String(episode))
      filter.limit = nil
    }
    var outcome = Outcome()
    for unknown in filter.unknownEpisodes(among: listing.episodes) {
      let sentence = "\(listing.podcast.title) lists no episode with the id \(unknown)."
      outcome.events.append(.sourceFailed(source, PodgetError(.notFound, sentence)))
    }
    let chosen = filter.select(from: listing.episodes)
    outcome.events.append(.listing(listing.podcast, episodes: chosen.count))
    let isNamed = !filter.episodes.isEmpty
    if let note = Self.note(about: listing, limit: isNamed ? 0 : filter.limit) {
      outcome.events.append(.note(note))
    }
    do throws(PodgetError) {
      let identified = known.index.identify(listing)
      let plans: [DownloadPlan]
      if let knownPlans = identified.knownPlans(for: chosen) {
        plans = knownPlans
      } else {
        guard known.reading.areAll else { return nil }
        plans = try known.names.plans(for: chosen, of: identified, template: template)
      }
      // A podcast whose disk is not there is not fetched onto another one.
      if let obstacle = plans.lazy.compactMap({ known.reading.obstacle(to: $0.file) }).first {
        throw obstacle
      }
      outcome.plans = plans.map { plan in
        var plan = plan
        plan.isNamed = isNamed || plan.episode.id.map(linked.contains) == true
        return plan
      }
    } catch {
      outcome.events.append(.sourceFailed(source, error))
    }
    return outcome
  }

  /// What the user should know about what was listed; nil where there is nothing to say.
  ///
  /// - Parameter limit: how many episodes are wanted; nil for all.
  package static func note(about listing: PodcastListing, limit: Int?) -> String? {
    var sentences: [String] = []
    if listing.unplayableCount > 0 {
      let (count, title) = (listing.unplayableCount, listing.podcast.title)
      if listing.podcast.id == nil {
        sentences.append(
          count == 1
            ? "1 item of \(title) has no media file."
            : "\(count) items of \(title) have no media file.")
      } else {
        sentences.append(
          count == 1
            ? "1 episode of \(title) is for subscribers only."
            : "\(count) episodes of \(title) are for subscribers only.")
      }
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

extension IdentifiedListing {
  /// The plans of episodes under the names that they have, one for each identity; nil where one of
  /// them is not known: only then is anything to be named, and records are read for that.
  fileprivate func knownPlans(for chosen: [Episode]) -> [DownloadPlan]? {
    var plans: [DownloadPlan] = []
    var planned: Set<String> = []
    for episode in chosen {
      guard let plan = locals[episode]?.plan,
        let file = plan.file.with(fileExtension: FileExtension.announced(for: episode.enclosure))
      else { return nil }
      guard planned.insert(plan.key).inserted else { continue }
      plans.append(
        DownloadPlan(
          key: plan.episodeKey, podcast: listing.podcast, episode: episode, file: file))
    }
    return plans
  }
}
