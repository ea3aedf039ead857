package import PodcastLibrary
package import PodcastModel

/// What a run knows of its library: read before the first plan, all of it or what may matter.
///
/// Changes by other processes are found where they matter: a download reads the record of its
/// folder again when it begins.
package struct KnownEpisodes: Sendable {
  /// What the library has.
  package let reading: LibraryReading
  /// Its episodes, including planned ones.
  package let index: EpisodeLookup
  /// The names that are taken in it; each plan adds its own.
  package let names: LibraryNames

  /// Reads a library; it blocks on the disk.
  ///
  /// - Parameters:
  ///   - query: the episodes that may matter.
  ///   - isRecording: whether files that somebody moved are recorded in their new place.
  ///   - before: what plans were made since the time whose state counts.
  package init(
    _ library: Library, _ query: EpisodeQuery = .all, isRecording: Bool,
    after before: MadePlans = MadePlans()
  ) {
    reading = library.locatedReading(of: query, recording: isRecording, at: before.moment)
    var (episodes, unfinished) = (reading.episodes, reading.unfinished)
    if !before.keys.isEmpty {
      episodes.removeAll { before.keys.contains($0.key) }
      unfinished.removeAll { before.keys.contains($0.plan.key) }
    }
    index = EpisodeLookup(episodes, unfinished: unfinished, facts: reading.facts)
    names = before.names ?? LibraryNames(library, reading)
  }

  /// The local episode that may make a plan unnecessary; nil if there is none.
  package func finished(_ plan: DownloadPlan) -> LocalEpisode? {
    index.local(for: plan).flatMap { $0.mayBeSkipped ? $0 : nil }
  }
}

/// The plans that were made from an earlier reading of a library. A later reading has them, or their
/// finished downloads, and must not: an episode of another feed with the same title would be taken for
/// one of them.
package struct MadePlans: Sendable {
  /// The names that are taken, theirs too; nil if there was no reading.
  package var names: LibraryNames?
  /// The moment of the last reading, if it had not all episodes.
  package var moment: LibraryMoment?
  /// Their keys.
  package var keys: Set<String> = []

  /// No plans.
  package init(names: LibraryNames? = nil) { self.names = names }
}

/// Plans of a run, with the state of the library when they were made.
package struct PlannedBatch: Sendable {
  package var plans: [DownloadPlan]
  package var known: KnownEpisodes
  /// Whether keys that the run has had before count again. The caller makes sure that their downloads
  /// have ended.
  package var mayRepeat = false
  /// Called once all plans are recorded, or need no record; false if one could not be recorded, or
  /// the run was cancelled before.
  var whenRecorded: @Sendable (Bool) async -> Void

  package init(
    _ plans: [DownloadPlan], known: KnownEpisodes,
    whenRecorded: @escaping @Sendable (Bool) async -> Void = { _ in }
  ) {
    self.plans = plans
    self.known = known
    self.whenRecorded = whenRecorded
  }
}
