import ArgumentParser
import PodcastKit

/// A command that changes subscriptions by their names.
protocol NamedSubscriptionCommand: PodgetCommand {
  var named: NamedSubscriptions { get }
  static var change: NamedSubscriptions.Change { get }
}

extension NamedSubscriptionCommand {
  func run(in context: CommandContext) async throws -> Outcome {
    try await named.apply(Self.change, in: context)
  }
}

/// `podget unsubscribe`: follow podcasts no longer.
struct UnsubscribeCommand: NamedSubscriptionCommand {
  static let configuration = CommandConfiguration(
    commandName: "unsubscribe",
    abstract: "Stop following podcasts; their files stay.",
    usage: "podget unsubscribe [<options>] <subscription> ...")
  static let change: NamedSubscriptions.Change = { names, library, warn throws(PodgetError) in
    try Subscriber.unsubscribe(names, from: library, warn: warn)
  }

  @OptionGroup var named: NamedSubscriptions
}

/// `podget pause`: let podcasts rest.
struct PauseCommand: NamedSubscriptionCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Let podcasts rest: podget sync leaves them out until they are unpaused.",
    usage: "podget pause [<options>] <subscription> ...",
    discussion: "podget sync NAME checks a paused podcast all the same.")
  static let change = NamedSubscriptions.pause(true)

  @OptionGroup var named: NamedSubscriptions
}

/// `podget unpause`: sync podcasts again.
struct UnpauseCommand: NamedSubscriptionCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpause",
    abstract: "Let podget sync take paused podcasts again.",
    usage: "podget unpause [<options>] <subscription> ...")
  static let change = NamedSubscriptions.pause(false)

  @OptionGroup var named: NamedSubscriptions
}

/// What commands take that change subscriptions by their names.
struct NamedSubscriptions: ParsableArguments {
  @Argument(help: SourceArguments.help("The podcasts", valueName: "subscription"))
  var names: [String]

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws { try ValidationError.requireNames(names) }

  /// Changes subscriptions by their names, and says what became of each; it gets the names, the library,
  /// and what to do with a warning.
  typealias Change =
    @Sendable ([String], Library, @escaping @Sendable (String) -> Void) throws(PodgetError) ->
    [SubscriptionChange]

  /// Lets subscriptions rest, or no longer.
  static func pause(_ isPaused: Bool) -> Change {
    { names, library, warn throws(PodgetError) in
      try Subscriber.pause(names, isPaused, in: library, warn: warn)
    }
  }

  /// Changes the subscriptions, and writes what became of each.
  func apply(_ change: Change, in context: CommandContext) async throws -> Outcome {
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
