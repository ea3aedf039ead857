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
    /// What runs after a feed began to fail, ended or moved; empty for nothing.
    var afterFeed: [String] = []
    /// How long each of them may take.
    var limit = Duration.seconds(600)
  }

  @Option(
    help: ArgumentHelp(
      "Run this command after each finished download, without a shell; {path}, {title}, {podcast}, "
        + "{date} and {id} in it are replaced.", valueName: "command"))
  var exec: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End a command that takes longer than this \(SettingTable.hookTimeout.defaultNote).",
      valueName: "seconds"))
  var hookTimeout: Double?

  func validate() throws {
    try SettingTable.hookTimeout.require(hookTimeout)
    if let exec, PasswordCommand.words(exec).isEmpty {
      throw ValidationError("--exec is empty.")
    }
  }

  /// The commands of the option and the settings.
  func resolved(_ sources: SettingSources) throws -> Settings {
    let configured: String? = try sources.find(SettingTable.afterDownload).value
    let afterSync: String? = try sources.find(SettingTable.afterSync).value
    let afterFeed: String? = try sources.find(SettingTable.afterFeed).value
    return Settings(
      afterDownload: [exec, configured].compactMap { $0.map(PasswordCommand.words) },
      afterSync: afterSync.map(PasswordCommand.words) ?? [],
      afterFeed: afterFeed.map(PasswordCommand.words) ?? [],
      limit: .seconds(try sources.value(SettingTable.hookTimeout, option: hookTimeout)))
  }
}
