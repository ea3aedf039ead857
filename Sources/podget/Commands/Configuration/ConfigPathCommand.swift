import ArgumentParser
import PodcastKit

/// `podget config path`: where the configuration file is.
struct ConfigPathCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Print the path of the configuration file.",
    discussion: "The file need not exist.")

  @ParentCommand var parent: ConfigCommand

  func validate() throws { try parent.requireNoOption() }

  func run(in context: CommandContext) async throws -> Outcome {
    let output = ListingOutput(OutputSettings(), context)
    return try await output.reporting {
      let path = try NewConfigurationFile.path(context.environment)
      try output.write(line: path)
    }
  }
}
