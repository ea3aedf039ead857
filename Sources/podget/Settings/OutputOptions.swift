import ArgumentParser

/// When lines are colored.
enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument {
  /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
  case auto
  case always
  case never
}

/// The settings of the output.
struct OutputSettings: Sendable, Hashable {
  /// Whether standard output carries JSON.
  var json = false
  /// Whether nothing but errors is written to standard error.
  var quiet = false
  /// The number of -v: 1 for more about what happens, 2 for an HTTP trace.
  var verbosity = 0
  /// When lines are colored.
  var color = ColorChoice.auto

  /// Whether more is written than usual.
  var verbose: Bool { verbosity > 0 }

  /// Whether requests and answers are written.
  var tracesHTTP: Bool { verbosity > 1 }
}

/// `-v`, which may be repeated, and what undoes it.
enum VerbosityFlag: EnumerableFlag {
  case verbose, notVerbose

  static func name(for flag: VerbosityFlag) -> NameSpecification {
    switch flag {
    case .verbose: [.customShort("v"), .customLong("verbose")]
    case .notVerbose: [.customLong("no-verbose")]
    }
  }

  static func help(for flag: VerbosityFlag) -> ArgumentHelp? {
    switch flag {
    case .verbose: "Write more about what happens; -vv adds an HTTP trace."
    case .notVerbose: "Write no more than usual."
    }
  }
}

/// The output options of commands that can write more.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON to standard output; podget help json COMMAND describes it.")
  var json = false

  @Flag(name: .shortAndLong, inversion: .prefixedNo, help: "Write errors only.")
  var quiet: Bool?

  @Flag var verbosityFlags: [VerbosityFlag] = []

  @Option(
    help: ArgumentHelp(
      "When to use colors \(SettingTable.color.defaultNote).", valueName: "when"))
  var color: ColorChoice?

  /// The number of -v since the last --no-verbose; nil without any of them.
  private var verbosity: Int? {
    verbosityFlags.isEmpty
      ? nil : verbosityFlags.reduce(0) { count, flag in flag == .verbose ? count + 1 : 0 }
  }

  func validate() throws {
    if quiet == true, verbosity ?? 0 > 0 {
      throw ValidationError("--quiet and --verbose cannot be used together.")
    }
  }

  /// The settings of the output. Of quiet and verbose the one with precedence counts; if both come
  /// from the same source, quiet.
  func resolved(_ settings: SettingSources) throws -> OutputSettings {
    let quiet = try settings.find(SettingTable.quiet, option: quiet)
    let verbose = try settings.find(SettingTable.verbose, option: verbosity.map { $0 > 0 })
    let isQuiet = quiet.value && (!verbose.value || quiet.origin.rank <= verbose.origin.rank)
    return OutputSettings(
      json: json, quiet: isQuiet,
      verbosity: isQuiet ? 0 : max(verbosity ?? 0, verbose.value ? 1 : 0),
      color: try settings.value(SettingTable.color, option: color))
  }
}

/// The output options of commands that cannot write more.
struct BriefOutputOptions: ParsableArguments {
  @Flag(help: "Write JSON to standard output; podget help json COMMAND describes it.")
  var json = false

  @Flag(name: .shortAndLong, inversion: .prefixedNo, help: "Write errors only.")
  var quiet: Bool?

  @Option(
    help: ArgumentHelp(
      "When to use colors \(SettingTable.color.defaultNote).", valueName: "when"))
  var color: ColorChoice?

  /// The settings of the output.
  func resolved(_ settings: SettingSources) throws -> OutputSettings {
    OutputSettings(
      json: json, quiet: try settings.value(SettingTable.quiet, option: quiet),
      color: try settings.value(SettingTable.color, option: color))
  }
}

/// The options for the display of downloads.
struct RunOptions: ParsableArguments {
  @Flag(help: "Show what would be done, and change nothing.")
  var dryRun = false

  @Flag(inversion: .prefixedNo, help: "Show progress (default: --progress).")
  var progress: Bool?

  /// Whether no progress is shown.
  var hidesProgress: Bool { progress == false }

  /// The same with the settings.
  func resolved(_ settings: SettingSources) throws -> RunOptions {
    var options = self
    options.progress = try !settings.value(SettingTable.noProgress, option: progress.map(!))
    return options
  }
}
