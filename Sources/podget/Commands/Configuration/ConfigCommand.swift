import ArgumentParser
import PodcastKit

/// `podget config`: the configuration, with the origin of each value.
struct ConfigCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the configuration, with the origin of each value.",
    usage: """
      podget config [<options>]
      podget config get <key>
      podget config edit | path | init
      """,
    discussion: """
      An option comes before a variable, a variable before the configuration file, and the file \
      before the default. The file is $XDG_CONFIG_HOME/podget/config.yaml, or \
      ~/.config/podget/config.yaml; podget config init writes one with every key.
      """,
    subcommands: [
      ConfigGetCommand.self, ConfigEditCommand.self, ConfigPathCommand.self, ConfigInitCommand.self,
    ])

  @Flag(help: "Write JSON to standard output; podget help json COMMAND describes it.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "When to use colors \(SettingTable.color.defaultNote).", valueName: "when"))
  var color: ColorChoice?

  /// Checks, for a command below this one, that no option of this one is given.
  func requireNoOption() throws {
    guard let option = json ? "--json" : color != nil ? "--color" : nil else { return }
    throw ValidationError("\(option) is for podget config without another command.")
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let sources = try context.settings()
    let settings = try SettingTable.all.map { ($0.name, try $0.reported(by: sources)) }
    // What it is about must not hide it.
    let color = try sources.value(SettingTable.color, option: color)
    let output = ListingOutput(OutputSettings(json: json, color: color), context)
    return try await output.reporting {
      try output.write(
        JSONForms.configuration(Dictionary(settings) { first, _ in first }),
        text: SettingsTable(window: output.window, style: output.style).text(settings))
    }
  }
}
