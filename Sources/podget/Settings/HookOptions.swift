import ArgumentParser
import PodcastKit

/// The option for a command that podget runs itself.
struct HookOptions: ParsableArguments {
  /// A command that follows a download.
  struct Command: Sendable, Hashable {
    /// What it is called in the library, where it waits if podget is stopped.
    var name: String
    /// The command, as words.
    var words: [String]
  }

  /// The commands.
  struct Settings: Sendable, Hashable {
    /// What runs after each finished download, in order; empty for nothing.
    var afterDownload: [Command] = []
    /// What runs after a sync that brought something; empty for nothing.
    var afterSync: [String] = []
    /// What runs after a feed began to fail, ended or moved; empty for nothing.
    var afterFeed: [String] = []
    /// How long each of them may take.
    var limit = Duration.seconds(600)

    /// No commands.
    init() {}

    /// The commands after each finished download.
    ///
    /// - Parameters:
    ///   - exec: that of the option.
    ///   - configured: that of the setting.
    init(exec: String? = nil, afterDownload configured: String?, limit: Double) {
      afterDownload = [("exec", exec), ("after-download", configured)].compactMap { name, text in
        text.map { Command(name: name, words: PasswordCommand.words($0)) }
      }
      self.limit = .seconds(limit)
    }
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
    var settings = Settings(
      exec: exec, afterDownload: try sources.find(SettingTable.afterDownload).value,
      limit: try sources.value(SettingTable.hookTimeout, option: hookTimeout))
    let afterSync: String? = try sources.find(SettingTable.afterSync).value
    let afterFeed: String? = try sources.find(SettingTable.afterFeed).value
    settings.afterSync = afterSync.map(PasswordCommand.words) ?? []
    settings.afterFeed = afterFeed.map(PasswordCommand.words) ?? []
    return settings
  }
}
