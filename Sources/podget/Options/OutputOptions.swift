import ArgumentParser

/// The options for what is written where.
struct OutputOptions: ParsableArguments {
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

/// The options for showing a run of downloads.
struct RunOptions: ParsableArguments {
  @Flag(help: "Say what would be done, and change nothing.")
  var dryRun = false

  @Flag(help: "Show no progress.")
  var noProgress = false
}
