package import PodcastLibrary
package import PodcastModel

/// What a run knows of its library: read before the first plan, all of it or what may matter.
///
/// What other processes do meanwhile shows where it matters: a download looks at the record of its
/// folder again when it begins.
package struct KnownEpisodes: Sendable {
  /// What the library holds.
  package let reading: LibraryReading
  /// Its episodes, planned ones among them.
  package let index: LibraryIndex
  /// The names that are not free in it, to which each plan of the run adds its own.
  package let names: LibraryNames

  /// Reads a library; it blocks on the disk.
  ///
  /// - Parameters:
  ///   - query: the episodes that may matter.
  ///   - isRecording: whether files that were found where somebody moved them are put on record.
  package init(_ library: Library, _ query: EpisodeQuery = .all, isRecording: Bool) {
    reading = library.locatedReading(of: query, recording: isRecording)
    index = LibraryIndex(reading.episodes, unfinished: reading.unfinished)
    names = LibraryNames(library, reading)
  }

  /// The local episode because of which nothing may be left to do for a plan; nil where there is none.
  package func finished(_ plan: DownloadPlan) -> LocalEpisode? {
    index.local(for: plan).flatMap { $0.mayBeSkipped ? $0 : nil }
  }
}

/// Plans of a run, with what was known of the library when they were made.
package struct PlannedBatch: Sendable {
  package var plans: [DownloadPlan]
  package var known: KnownEpisodes

  package init(_ plans: [DownloadPlan], known: KnownEpisodes) {
    self.plans = plans
    self.known = known
  }
}
