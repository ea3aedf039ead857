import ArgumentParser

/// How a command ended: its exit status.
struct Outcome: Sendable, Hashable {
  /// Whether something failed; other episodes may be complete.
  var hasFailed = false
  /// Whether the run of a sync could not work at all: no library, no room, no network.
  var couldNotWork = false
  /// The status for a signal or `q`; nil when there was none.
  var interruptedWith: Int32?

  static let success = Outcome()
  static let failure = Outcome(hasFailed: true)

  /// The exit status of the contract; 64, for wrong usage, is set by the argument parser.
  var status: Int32 { interruptedWith ?? (couldNotWork ? 2 : hasFailed ? 1 : 0) }
}

/// A failure that was reported already.
struct ReportedFailure: Error {}

/// A command of podget: it runs in a context.
protocol PodgetCommand: AsyncParsableCommand {
  /// Runs the command.
  ///
  /// - Throws: a `ValidationError` for errors that the parser cannot find.
  func run(in context: CommandContext) async throws -> Outcome
}
