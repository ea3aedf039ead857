import ArgumentParser
import PodcastKit

/// `podget status`: what an operator has to know.
struct StatusCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how it is with the podcasts that are followed.",
    usage: "podget status [<options>]",
    discussion: """
      The exit status is 1 if something needs a person: a feed that wants a login, has failed for a \
      week or has ended, new episodes that wait for --accept, or a move that waits for --accept-move; \
      and if the library follows no podcast. No server is asked.
      """)

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let output = ListingOutput(try output.resolved(configured), context)
    return try await output.reportingOutcome {
      let library = try LibrarySelection(output: output, library: path).open()
      let status = try FollowingStatus(of: library, at: context.now(), warn: output.warn)
      guard !status.feeds.isEmpty else {
        // As sync says it: the disk may be missing.
        throw PodgetError(.notFound, "The library follows no podcast.", remedy: .followOne)
      }
      try output.write(JSONForms.status(status), text: StatusLines.text(status, output.style))
      return status.matters.isEmpty ? .success : .failure
    }
  }
}
