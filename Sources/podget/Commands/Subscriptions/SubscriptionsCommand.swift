import ArgumentParser
import PodcastKit

/// `podget subscriptions`: the podcasts that are followed.
struct SubscriptionsCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscriptions",
    abstract: "List the podcasts that are followed.",
    usage: "podget subscriptions [<options>]",
    aliases: ["subs"])

  @Flag(help: "Only those whose feeds fail or have ended.")
  var failing = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let output = ListingOutput(try output.resolved(configured), context)
    return try await output.reporting {
      let library = try Library.open(path, creating: false)
      let now = context.now()
      var followed =
        try library.map { try FollowedPodcast.all(in: $0, at: now, warn: output.warn) } ?? []
      if failing {
        followed.removeAll { $0.status != .failing && $0.status != .gone }
      } else if followed.isEmpty {
        output.note("No podcast is followed; podget subscribe adds one.")
      }
      try output.write(
        followed.map { JSONForms.subscription($0) },
        table: SubscriptionTable(window: output.window, style: output.style).text(followed))
    }
  }
}
