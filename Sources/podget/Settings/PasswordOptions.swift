import ArgumentParser
import PodcastKit

/// The option for commands that print passwords.
struct PasswordOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End a password command that takes longer than this "
        + "\(SettingTable.passwordTimeout.defaultNote).",
      valueName: "seconds"))
  var passwordTimeout: Double?

  func validate() throws { try SettingTable.passwordTimeout.require(passwordTimeout) }

  /// How long a command may take.
  func limit(_ settings: SettingSources) throws -> Duration {
    .seconds(try settings.value(SettingTable.passwordTimeout, option: passwordTimeout))
  }
}
