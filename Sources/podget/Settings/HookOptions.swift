import ArgumentParser
import PodcastKit

/// The option for a command that podget runs itself.
struct HookOptions: ParsableArguments {
  /// The commands, as words.
  struct Settings: Sendable, Hashable {
    /// What runs after each finished download; empty for nothing.
    var afterDownload: [[String]] = []
    /// What runs after a sync that brought something; empty for nothing.
    var afterSync: [String] = []
  }

  @Option(
    help: ArgumentHelp(
      "Run this command after each finished download, without a shell; {path}, {title}, {podcast}, "
        + "{date} and {id} in it are replaced.", valueName: "command"))
  var exec: String?

  func validate() throws {
    if let exec, PasswordCommand.words(exec).isEmpty {
      throw ValidationError("--exec is empty.")
    }
  }

  /// The commands of the option and the settings.
  func resolved(_ sources: SettingSources) throws -> Settings {
    let configured: String? = try sources.find(SettingTable.afterDownload).value
    let afterSync: String? = try sources.find(SettingTable.afterSync).value
    return Settings(
      afterDownload: [exec, configured].compactMap { $0.map(PasswordCommand.words) },
      afterSync: afterSync.map(PasswordCommand.words) ?? [])
  }
}
