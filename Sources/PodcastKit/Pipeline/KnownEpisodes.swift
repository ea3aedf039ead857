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
  ///   - names: those of a reading before, which has made plans that are not recorded yet.
  package init(
    _ library: Library, _ query: EpisodeQuery = .all, isRecording: Bool,
    names: LibraryNames? = nil
  ) {
    reading = library.locatedReading(of: query, recording: isRecording)
    index = EpisodeLookup(
      reading.episodes, unfinished: reading.unfinished, facts: reading.facts)
    self.names = names ?? LibraryNames(library, reading)
  }

  /// The local episode that may make a plan unnecessary; nil if there is none.
  package func finished(_ plan: DownloadPlan) -> LocalEpisode? {
    index.local(for: plan).flatMap { $0.mayBeSkipped ? $0 : nil }
  }
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
