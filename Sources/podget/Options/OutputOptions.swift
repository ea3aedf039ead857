import ArgumentParser

/// What is written where.
protocol OutputChoices: Sendable {
  /// Whether standard output carries JSON.
  var json: Bool { get }
  /// Whether nothing but errors is written to standard error.
  var quiet: Bool { get }
  /// Whether there is more to be said than usually.
  var verbose: Bool { get }
}

/// The options for what is written where, for commands that can say more.
struct OutputOptions: ParsableArguments, OutputChoices {
  @Flag(help: "Write JSON to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Write errors only.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Write more about what happens.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
  }
}

/// The same for commands that have nothing more to say.
struct BriefOutputOptions: ParsableArguments, OutputChoices {
  @Flag(help: "Write JSON to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Write errors only.")
  var quiet = false

  var verbose: Bool { false }
}

/// The options for showing a run of downloads.
struct RunOptions: ParsableArguments {
  @Flag(help: "Say what would be done, and change nothing.")
  var dryRun = false

  @Flag(help: "Show no progress.")
  var noProgress = false
}
