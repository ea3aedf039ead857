import ArgumentParser
import PodcastKit

/// `podget config get`: the value of one key.
struct ConfigGetCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print the value of one key.",
    discussion: """
      Durations are in seconds and sizes in bytes. A key without a value prints an empty line.
        podget config get library
      """)

  @Argument(
    help: "The key: the name of an option without its dashes.",
    completion: .list(SettingTable.all.map { $0.name }))
  var key: String

  @ParentCommand var parent: ConfigCommand

  func validate() throws { try parent.requireNoOption() }

  func run(in context: CommandContext) async throws -> Outcome {
    guard let setting = SettingTable.setting(key) else {
      throw ValidationError(SettingTable.unknown(key).capitalizingFirst)
    }
    let found = try setting.reported(by: try context.settings())
    let output = ListingOutput(OutputSettings(), context)
    return try await output.reporting {
      try output.write(line: SettingsTable.text(found.value) ?? "")
    }
  }
}
