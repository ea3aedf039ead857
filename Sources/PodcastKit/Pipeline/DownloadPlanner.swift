import PodcastLibrary
package import PodcastModel

/// Chooses episodes of a listing, and plans their file names.
package struct DownloadPlanner: Sendable {
  /// The result for a listing.
  package struct Outcome: Sendable {
    /// What to report, in order.
    package var events: [RunEvent] = []
    /// What to download, in the order of the listing.
    package var plans: [DownloadPlan] = []
  }

  private let filter: EpisodeFilter
  private let template: FilenameTemplate
  private let linked: Set<Int64>

  /// Creates a planner for a run.
  ///
  /// - Parameters:
  ///   - filter: chooses episodes.
  ///   - template: names new files.
  ///   - linked: the ids of episodes that the user named by links.
  package init(filter: EpisodeFilter, template: FilenameTemplate, linked: Set<Int64> = []) {
    self.filter = filter
    self.template = template
    self.linked = linked
  }

  /// The plans for the result of a source. It lists the folders concerned, so it blocks on the
  /// disk.
  ///
  /// - Parameters:
  ///   - found: the result of the source.
  ///   - source: the source as it was named.
  ///   - known: what is known of the library.
  package func plan(
    _ found: SourceResolver.Listing, of source: String, _ known: KnownEpisodes
  ) -> Outcome {
    let listing = found.listing
    var filter = filter
    if let episode = found.episode {
      filter.episodes.append(String(episode))
      filter.limit = nil
    }
    var outcome = Outcome()
    for unknown in filter.unknownEpisodes(among: listing.episodes) {
      let sentence = "\(listing.podcast.shownTitle) lists no episode with the id \(unknown)."
      outcome.events.append(.sourceFailed(source, PodgetError(.notFound, sentence)))
    }
    let chosen = filter.select(from: listing.episodes)
    outcome.events.append(.listing(listing.podcast, episodes: chosen.count))
    let isNamed = !filter.episodes.isEmpty
    if let note = Self.note(about: listing, limit: isNamed ? 0 : filter.limit) {
      outcome.events.append(.note(note))
    }
    if let note = Self.moveNote(about: found) { outcome.events.append(.note(note)) }
    do throws(PodgetError) {
      let identified = known.index.identify(listing)
      let plans = try Self.plans(for: chosen, of: identified, template: template, known)
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

  /// The plans of chosen episodes of a listing. It lists the folders concerned, so it blocks on the
  /// disk.
  ///
  /// - Parameters:
  ///   - chosen: the episodes.
  ///   - identified: the listing, looked up in the library.
  ///   - template: names new files.
  ///   - known: what is known of the library.
  /// - Throws: a ``PodgetError`` with the code `disk`.
  package static func plans(
    for chosen: [Episode], of identified: IdentifiedListing, template: FilenameTemplate,
    _ known: KnownEpisodes
  ) throws(PodgetError) -> [DownloadPlan] {
    let plans: [DownloadPlan]
    if let knownPlans = identified.knownPlans(for: chosen) {
      plans = knownPlans
    } else {
      plans = try known.names.plans(for: chosen, of: identified, template: template)
    }
    // A podcast on a missing disk is not downloaded to another disk.
    if let obstacle = plans.lazy.compactMap({ known.reading.obstacle(to: $0.file) }).first {
      throw obstacle
    }
    return plans
  }

  /// Where the feed says that it has moved to; nil if it is there, or says nothing.
  package static func moveNote(about found: SourceResolver.Listing) -> String? {
    found.movedTo.map {
      "\(found.listing.podcast.shownTitle) says that its feed has moved to \($0)."
    }
  }

  /// What the user should know about the listing; nil if there is nothing to say.
  ///
  /// - Parameter limit: how many episodes are wanted; nil for all.
  package static func note(about listing: PodcastListing, limit: Int?) -> String? {
    var sentences: [String] = []
    if listing.unplayableCount > 0 {
      let (count, title) = (listing.unplayableCount, listing.podcast.shownTitle)
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
        "\(listing.podcast.shownTitle) has \(count) episodes; Apple's catalog lists the newest "
          + "\(listed), and the other \(count - listed) cannot be reached."
      )
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}

extension IdentifiedListing {
  /// The plans of episodes under their recorded names, one for each identity; nil if one of them is
  /// not known: only then is a new name needed, and records are read for that.
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
