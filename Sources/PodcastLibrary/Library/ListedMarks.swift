package import FoundationEssentials
package import PodcastModel
import PodcastTransfer

extension Library {
  /// Records episodes as played of which the library has nothing, because only feeds list them.
  ///
  /// Each is recorded as one that was removed, so that nothing downloads it by itself; who names it gets it.
  /// Marking it as unplayed forgets that again. One that somebody has begun meanwhile is only marked.
  ///
  /// - Parameters:
  ///   - plans: where the episodes would be.
  ///   - now: the time of day (UTC).
  /// - Returns: the episodes as they are now, in order.
  /// - Throws: a ``PodgetError`` with the code `disk` or `diskFull`; the episodes of other folders
  ///   may have changed by then.
  package func markListed(
    _ plans: [DownloadPlan], at now: Date
  ) throws(PodgetError) -> [LocalEpisode] {
    let episodes = plans.map { LocalEpisode(planned: $0) }
    var begun: [LocalEpisode] = []
    for (folder, places) in episodes.byFolder {
      do throws(DiskError) {
        let batch = try RemovalBatch(library: self, folder: folder, keptUntil: nil)
        // Each keeps a file open until its batch is recorded.
        for start in stride(from: 0, to: places.count, by: EpisodeRemover.batch) {
          let some = places[start..<min(start + EpisodeRemover.batch, places.count)]
          begun += try batch.recordPlayed(some.map { episodes[$0] }, at: now)
        }
      } catch {
        throw error.unrecorded
      }
    }
    let marked = try mark(.played(true), of: begun, at: now)
    let others = Dictionary(marked.map { ($0.key, $0) }) { first, _ in first }
    return episodes.map { episode in
      if let other = others[episode.key] { return other }
      var played = episode
      played.marks.take(.played(true))
      played.marks.isOnlyListed = true
      (played.status, played.removedAt) = (.removed, now)
      return played
    }
  }
}

extension RemovalBatch {
  /// Records episodes without a file as played and removed.
  ///
  /// - Returns: those of which there is something by now.
  fileprivate func recordPlayed(
    _ episodes: [LocalEpisode], at now: Date
  ) throws(DiskError) -> [LocalEpisode] {
    var locked: [(episode: LocalEpisode, part: PartFile)] = []
    defer { for (_, part) in locked where (try? part.size()) == 0 { part.remove() } }
    var begun: [LocalEpisode] = []
    for episode in episodes {
      let key = episode.plan.key
      if let part = try partials.openPart(key) {
        locked.append((episode, part))
      } else {
        begun.append(episode)
      }
    }
    // A locked episode does not change any more.
    let recorded = try entries(of: locked.map(\.episode))
    var facts: [FolderFact] = []
    for (episode, part) in locked {
      var removal = Removal(of: episode, as: recorded[episode.plan.episodeKey], part: part)
      guard removal.entry.file == nil, try partials.read(episode.plan.key) == nil else {
        begun.append(episode)
        continue
      }
      facts.append(removal.entry.markListed(as: removal.plannedFile, at: now))
    }
    try append(facts)
    return begun
  }
}

extension LocalEpisode {
  /// Whether it has never been downloaded, and is recorded only because it was played elsewhere.
  package var isOnlyPlayed: Bool { status == .removed && marks.isOnlyListed }
}
