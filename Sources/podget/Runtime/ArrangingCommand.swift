import ArgumentParser
import PodcastKit

/// A command that changes which files a library has. Afterwards the files about podcasts are brought up
/// to date, if the library has a layout.
protocol ArrangingCommand: PodgetCommand {
  /// The option that names the library.
  var libraryOptions: LibraryOptions { get }
  /// The layout that an option names; otherwise the setting counts.
  var layoutOption: MediaLayout? { get }
  /// Whether nothing is changed.
  var onlyExplains: Bool { get }
}

extension ArrangingCommand {
  var layoutOption: MediaLayout? { nil }

  /// Brings the files about podcasts up to date. What cannot be written is a warning: nothing of the
  /// episodes is missing.
  func arrange(in context: CommandContext) {
    guard !onlyExplains else { return }
    do {
      let settings = try context.settings()
      guard
        let layout = try settings.find(
          SettingTable.layout, option: layoutOption.map(Optional.some)
        ).value,
        let library = try Library.open(libraryOptions.resolved(settings), creating: false)
      else { return }
      let reading = library.locatedReading(recording: false)
      // Podcasts on a disk that is missing are no empty ones.
      guard reading.errors.isEmpty, reading.emptied.isEmpty else { return }
      let folders = Set(reading.episodes.compactMap { PodcastSidecars.top(of: $0.path) })
      let sidecars = PodcastSidecars(of: layout, in: library)
      for problem in sidecars.refresh(folders, of: reading.episodes) {
        context.sayOnce("Warning: \(problem.sentence)")
      }
    } catch {
      // The command has said what is wrong with the settings or the library.
    }
  }
}

extension DownloadCommand {
  var libraryOptions: LibraryOptions { common.library }
  var onlyExplains: Bool { common.run.dryRun }
  var layoutOption: MediaLayout? { layout.layout }
}

extension ResumeCommand {
  var libraryOptions: LibraryOptions { common.library }
  var onlyExplains: Bool { common.run.dryRun }
}

extension SyncCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { run.dryRun }
  var layoutOption: MediaLayout? { layout.layout }
}

extension RemoveCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { dryRun }
}

extension RestoreCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { false }
}

extension PruneCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { dryRun }
}

extension RenameCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { dryRun }
  var layoutOption: MediaLayout? { layout.layout }
}

extension EditCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { dryRun }
}

extension AdoptCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { dryRun }
}

extension BrowseCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { false }
}

extension VerifyCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { !repair }
}

extension MergeCommand {
  var libraryOptions: LibraryOptions { library }
  var onlyExplains: Bool { false }
}
