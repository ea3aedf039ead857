import BrowseScreen
import FoundationEssentials
import Glibc
import PodcastBrowse
import PodcastKit

/// The library of the view: its rows.
extension BrowseEngine {
  /// How many outdated readings in a row are not shown.
  private static let mostUnsent = 5

  /// Reads the library. A request during a read causes one more read.
  func loadLibrary() async {
    isLibraryStale = true
    guard !isReadingLibrary else { return }
    isReadingLibrary = true
    var unsent = 0
    while isLibraryStale {
      isLibraryStale = false
      let library = library
      var begin = timespec()
      // The clock that files are stamped with.
      clock_gettime(CLOCK_REALTIME_COARSE, &begin)
      let (reading, rows, problem) = await disk.perform {
        let reading = library.withPlanned(library.locatedReading(of: .all))
        // What the thread that draws need not do.
        return (reading, RowList(reading.rows), reading.problems.first?.message ?? reading.notice)
      }
      if await watch(reading.episodes, since: begin) { isLibraryStale = true }
      // It is read again at once: what it shows now may be older than what is on the screen.
      if isLibraryStale, unsent < Self.mostUnsent {
        unsent += 1
        continue
      }
      unsent = 0
      send(.library(rows))
      if let problem { send(.error(problem)) }
      if isNewWanted { await showNew(in: reading) }
      if trashed != nil { await showTrash(in: reading) }
    }
    isReadingLibrary = false
  }

  /// What is being read of the library is older than a change.
  func outdateLibrary() {
    changes += 1
    if isReadingLibrary { isLibraryStale = true }
  }

  /// An episode of the library as it is on the disk now.
  func local(
    _ key: String
  ) async throws(PodgetError) -> (episode: LocalEpisode, reading: LibraryReading) {
    let reading = await reading([key])
    guard let episode = reading.episodes.first(where: { $0.key == key }) else {
      throw PodgetError(.notFound, "The library does not have this episode.")
    }
    return (episode, reading)
  }

  /// The plans of episodes of the library, which may have no bytes yet, by their keys.
  func plans(_ keys: [String]) async -> [String: DownloadPlan] {
    let reading = await reading(keys)
    return Dictionary(reading.episodes.map { ($0.key, $0.plan) }) { first, _ in first }
  }

  func reading(_ keys: [String]) async -> LibraryReading {
    let library = library
    return await disk.perform {
      library.withPlanned(library.locatedReading(of: .keys(keys.compactMap { EpisodeKey($0) })))
    }
  }
}
