import ArgumentParser
import PodcastKit

/// `podget config init`: a first configuration file.
struct ConfigInitCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a configuration file with every key, as comments.",
    discussion: "A file that exists is never overwritten.")

  @ParentCommand var parent: ConfigCommand

  func validate() throws { try parent.requireNoOption() }

  func run(in context: CommandContext) async throws -> Outcome {
    let output = ListingOutput(OutputSettings(), context)
    return try await output.reporting {
      let path = try NewConfigurationFile.path(context.environment)
      guard try NewConfigurationFile.write(path) else {
        throw PodgetError(.disk, "\(path) exists already; podget config edit changes it.")
      }
      try output.write(line: path)
    }
  }
}
