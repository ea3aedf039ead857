import ArgumentParser
import PodcastKit

/// A command that changes which files a library has. Afterwards the files about podcasts are brought up
/// to date, if the library has a layout.
protocol ArrangingCommand: PodgetCommand {
  /// The option that names the library.
  var library: LibraryOptions { get }
  /// The layout that an option names; otherwise the setting counts.
  var layoutOption: MediaLayout? { get }
  /// Whether nothing is changed.
  var dryRun: Bool { get }
}

extension ArrangingCommand {
  var layoutOption: MediaLayout? { nil }
  var dryRun: Bool { false }

  /// Brings the files about podcasts up to date. What cannot be written is a warning: nothing of the
  /// episodes is missing.
  func arrange(in context: CommandContext) {
    guard !dryRun else { return }
    do {
      let settings = try context.settings()
      guard
        let layout = try settings.find(
          SettingTable.layout, option: layoutOption.map(Optional.some)
        ).value,
        let library = try Library.open(self.library.resolved(settings), creating: false)
      else { return }
      let reading = library.locatedReading(recording: false)
      // Podcasts on a disk that is missing are no empty ones.
      guard reading.errors.isEmpty, reading.emptied.isEmpty else { return }
      let folders = Set(reading.episodes.compactMap { PodcastSidecars.top(of: $0.path) })
      let sidecars = PodcastSidecars(of: layout, in: library)
      let sources = try LibrarySources([], in: library)
      let podcasts = LibraryPodcasts(
        reading.episodes.lazy.map(\.podcast), subscriptions: sources.subscriptions,
        facts: sources.facts)
      for problem in sidecars.refresh(folders, of: reading.episodes, podcasts) {
        context.sayOnce("Warning: \(problem.sentence)")
      }
    } catch {
      // The command has said what is wrong with the settings or the library.
    }
  }
}

extension DownloadCommand {
  var library: LibraryOptions { common.library }
  var dryRun: Bool { common.run.dryRun }
  var layoutOption: MediaLayout? { layout.layout }
}

extension ResumeCommand {
  var library: LibraryOptions { common.library }
  var dryRun: Bool { common.run.dryRun }
}

extension SyncCommand {
  var dryRun: Bool { run.dryRun }
  var layoutOption: MediaLayout? { layout.layout }
}

extension RenameCommand {
  var layoutOption: MediaLayout? { layout.layout }
}

extension VerifyCommand {
  var dryRun: Bool { !repair }
}
