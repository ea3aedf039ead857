import ArgumentParser

/// When lines are coloured.
enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument {
  /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
  case auto
  case always
  case never
}

/// The settings of the output.
protocol OutputChoices: Sendable {
  /// Whether standard output carries JSON.
  var json: Bool { get }
  /// Whether nothing but errors is written to standard error.
  var quiet: Bool { get }
  /// The number of -v: 1 for more about what happens, 2 for an HTTP trace.
  var verbosity: Int { get }
  /// When lines are coloured.
  var color: ColorChoice { get }
}

extension OutputChoices {
  /// Whether more is written than usual.
  var verbose: Bool { verbosity > 0 }

  /// Whether requests and answers are written.
  var tracesHTTP: Bool { verbosity > 1 }
}

/// The output options of commands that can write more.
struct OutputOptions: ParsableArguments, OutputChoices {
  @Flag(help: "Write JSON to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Write errors only.")
  var quiet = false

  @Flag(
    name: [.customShort("v"), .customLong("verbose")],
    help: "Write more about what happens; -vv adds an HTTP trace.")
  var verbosity: Int

  @Option(help: ArgumentHelp("Use colors: auto, always or never.", valueName: "when"))
  var color = ColorChoice.auto

  func validate() throws {
    if quiet, verbosity > 0 {
      throw ValidationError("--quiet and --verbose cannot be used together.")
    }
  }
}

/// The output options of commands that cannot write more.
struct BriefOutputOptions: ParsableArguments, OutputChoices {
  @Flag(help: "Write JSON to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Write errors only.")
  var quiet = false

  @Option(help: ArgumentHelp("Use colors: auto, always or never.", valueName: "when"))
  var color = ColorChoice.auto

  var verbosity: Int { 0 }
}

/// The options for the display of downloads.
struct RunOptions: ParsableArguments {
  @Flag(help: "Show what would be done, and change nothing.")
  var dryRun = false

  @Flag(help: "Show no progress.")
  var noProgress = false
}
