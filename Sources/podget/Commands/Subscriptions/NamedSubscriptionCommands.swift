import ArgumentParser
import PodcastKit

/// `podget unsubscribe`: follow podcasts no longer.
struct UnsubscribeCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsubscribe",
    abstract: "Stop following podcasts; their files stay.",
    usage: "podget unsubscribe [<options>] <subscription> ...")

  @OptionGroup var named: NamedSubscriptions

  func run(in context: CommandContext) async throws -> Outcome {
    try await named.change(in: context) { names, library, warn throws(PodgetError) in
      try Subscriber.unsubscribe(names, from: library, warn: warn)
    }
  }
}

/// `podget pause`: let podcasts rest.
struct PauseCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Let podcasts rest: podget sync leaves them out until they are unpaused.",
    usage: "podget pause [<options>] <subscription> ...",
    discussion: "podget sync NAME checks a paused podcast all the same.")

  @OptionGroup var named: NamedSubscriptions

  func run(in context: CommandContext) async throws -> Outcome {
    try await named.change(in: context) { names, library, warn throws(PodgetError) in
      try Subscriber.pause(names, true, in: library, warn: warn)
    }
  }
}

/// `podget unpause`: sync podcasts again.
struct UnpauseCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpause",
    abstract: "Let podget sync take paused podcasts again.",
    usage: "podget unpause [<options>] <subscription> ...")

  @OptionGroup var named: NamedSubscriptions

  func run(in context: CommandContext) async throws -> Outcome {
    try await named.change(in: context) { names, library, warn throws(PodgetError) in
      try Subscriber.pause(names, false, in: library, warn: warn)
    }
  }
}

/// What commands take that change subscriptions by their names.
struct NamedSubscriptions: ParsableArguments {
  @Argument(help: SourceArguments.help("The podcasts", valueName: "subscription"))
  var names: [String]

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws { try ValidationError.requireNames(names) }

  /// Changes the subscriptions, and writes what became of each.
  ///
  /// - Parameter change: gets the names, the library, and what to do with a warning.
  func change(
    in context: CommandContext,
    _ change: ([String], Library, @escaping @Sendable (String) -> Void) throws(PodgetError) ->
      [SubscriptionChange]
  ) async throws -> Outcome {
    let configured = try context.settings()
    let path = try library.resolved(configured)
    let output = ListingOutput(try output.resolved(configured), context)
    return try await output.reportingOutcome {
      let library = try LibrarySelection(output: output, library: path).open()
      try library.requireWritable()
      let names = try await SourceArguments.expanded(names, from: context.input) ?? []
      return try output.writeResults(change(names, library, output.warn))
    }
  }
}
