package import PodcastModel
import Synchronization

/// The names that are taken in a library, for a run that gives new ones: recorded names, names on
/// the disk, and planned names, to which each plan adds its own.
///
/// Each folder is listed once, when a name is first needed there, and its recorded names are looked up
/// then if the reading has not all of them. One caller at a time: it waits for the disk.
package final class LibraryNames: Sendable {
  private struct State: Sendable {
    /// Those of the whole library, created when the first new name is needed; nil if the reading has not
    /// all of them.
    var recorded: RecordedNames?
    /// The taken names in the folders that were listed.
    var folders: [String: TakenNames] = [:]
    /// The names of unfinished downloads, of files that were being adopted, and of this run's
    /// plans.
    var planned: TakenNames
    /// How folders are spelled.
    var spelling: FolderSpelling
  }

  private let library: Library
  private let reading: LibraryReading
  /// The lock is held while a folder is listed, and nobody waits for it.
  private let state: Mutex<State>

  /// Uses a reading of the library; it blocks on the disk.
  package init(_ library: Library, _ reading: LibraryReading) {
    self.library = library
    self.reading = reading
    var spelling = FolderSpelling(of: library.root)
    // Their folders may not exist yet.
    for download in reading.unfinished { _ = spelling.spelled(download.plan.folder) }
    state = Mutex(
      State(planned: library.plannedNames(reading.unfinished), spelling: spelling))
  }

  /// The plans of chosen episodes of a listing, as ``NamePlanner`` makes them; their names are
  /// taken from now on. Known episodes keep their names, wherever they are.
  ///
  /// - Parameters:
  ///   - chosen: the episodes to plan.
  ///   - identified: the listing, looked up in the library.
  ///   - template: the template for new names.
  /// - Throws: a ``PodgetError`` with the code `disk` when a folder cannot be opened.
  package func plans(
    for chosen: [Episode], of identified: IdentifiedListing, template: FilenameTemplate
  ) throws(PodgetError) -> [DownloadPlan] {
    let given = try state.withLockIfAvailable { state throws(PodgetError) in
      let plans = try plans(chosen, identified, template, &state)
      for plan in plans {
        state.planned.add(folder: plan.folder, stem: plan.stem, owner: plan.key)
      }
      return plans
    }
    guard let given else { throw PodgetError(.disk, "Names are being assigned already.") }
    return given
  }
}

extension LibraryNames {
  private func plans(
    _ chosen: [Episode], _ identified: IdentifiedListing, _ template: FilenameTemplate,
    _ state: inout State
  ) throws(PodgetError) -> [DownloadPlan] {
    let podcast = identified.listing.podcast
    var taken = TakenNames()
    for local in identified.locals.values {
      let plan = local.plan
      taken.add(folder: plan.folder, stem: plan.stem, owner: plan.key)
    }
    // If all are known, nothing depends on the other names.
    var all = chosen
    let named = identified.podcastInNames(by: template)
    var folders: [String: String] = [:]
    if chosen.contains(where: { identified.locals[$0] == nil }) {
      all = identified.listing.episodes
      for folder in template.folders(podcast: named, episodes: all) {
        folders[folder] = state.spelling.spelled(folder)
      }
      for names in try self.taken(in: Set(folders.values), &state) { taken.add(names) }
      taken.add(state.planned)
    }
    return NamePlanner(template: template).plans(
      for: podcast, named: named, episodes: chosen, among: all, keys: identified.keys,
      folders: folders, taken: taken)
  }

  /// The names that are taken in folders.
  private func taken(
    in folders: Set<String>, _ state: inout State
  ) throws(PodgetError) -> [TakenNames] {
    let unknown = folders.filter { state.folders[$0] == nil }
    if !unknown.isEmpty {
      var recorded = state.recorded
      if recorded == nil {
        recorded = try recordedNames(in: unknown)
        if reading.areAll { state.recorded = recorded }
      }
      for folder in unknown { state.folders[folder] = try recorded?.taken(in: folder, of: library) }
    }
    return folders.compactMap { state.folders[$0] }
  }

  private func recordedNames(in folders: Set<String>) throws(PodgetError) -> RecordedNames {
    if reading.areAll { return RecordedNames(reading) }
    let found = library.reading(.folders(folders), at: reading.moment)
    // Names may be recorded there that the reading does not have.
    if let error = found.errors.first { throw error }
    return RecordedNames(found)
  }
}

extension IdentifiedListing {
  /// The podcast as new names have it: with the title and the author that a folder of the library is
  /// named by, if those are the listing's with references in them (`Rock &amp; Roll`). So a podcast
  /// stays in one folder.
  fileprivate func podcastInNames(by template: FilenameTemplate) -> Podcast {
    var podcast = listing.podcast
    func isEscaped(_ recorded: String?, _ text: String?) -> Bool {
      guard let recorded, let text else { return false }
      return TitleReferences.isEscaped(recorded, of: text)
    }
    let earlier = locals.values.lazy.map(\.plan).filter { plan in
      let recorded = plan.podcast
      return
        (isEscaped(recorded.title, listing.podcast.title)
        || isEscaped(recorded.author, listing.podcast.author))
        && template.components(podcast: recorded, episode: plan.episode).folder == plan.folder
    }
    guard let recorded = earlier.min(by: { $0.key < $1.key })?.podcast else { return podcast }
    if isEscaped(recorded.title, podcast.title) { podcast.title = recorded.title }
    if isEscaped(recorded.author, podcast.author) { podcast.author = recorded.author }
    return podcast
  }
}
