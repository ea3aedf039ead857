import ArgumentParser
import Glibc

/// The option that names the library.
struct LibraryOptions: ParsableArguments {
  @Option(
    name: [
      .customShort("d", allowingJoined: true), .customLong("library"), .customLong("directory"),
    ],
    help: ArgumentHelp(
      "The library's folder (default: $PODGET_LIBRARY, else ~/Podcasts).", valueName: "dir"),
    completion: .directory)
  var directory: String?

  func validate() throws {
    if directory?.isEmpty == true { throw ValidationError("--library is empty.") }
  }

  /// The variables for the library's folder; the first one that is set counts.
  private static let variables = ["PODGET_LIBRARY", "PODGET_DIRECTORY"]

  /// The library's folder: the option, otherwise a variable, otherwise `Podcasts` in the home
  /// folder.
  func resolved(environment: [String: String]) throws -> String {
    let environment = Environment(environment)
    if let directory { return directory }
    for name in Self.variables {
      try Self.requireText(name)
      if let directory = environment.text(name) { return directory }
    }
    try Self.requireText("HOME")
    guard let home = environment.text("HOME") else {
      throw ValidationError("Name the library's folder with --library; HOME is not set.")
    }
    return home == "/" ? "/Podcasts" : "\(home)/Podcasts"
  }

  /// Checks that a variable of the process is UTF-8: otherwise its text would name another folder.
  private static func requireText(_ name: String) throws {
    guard let bytes = getenv(name), String(validatingCString: bytes) == nil else { return }
    throw ValidationError(
      "The variable \(name) is not UTF-8; name the library's folder with --library.")
  }

  /// The same in a command's context.
  func resolved(_ context: CommandContext) throws -> String {
    try resolved(environment: context.environment)
  }
}
