import ArgumentParser
import Glibc

/// The option that names the library.
struct LibraryOptions: ParsableArguments {
  @Option(
    name: [.customShort("d", allowingJoined: true), .long],
    help: ArgumentHelp(
      "The library's folder (default: $PODGET_DIRECTORY, else ~/Podcasts).", valueName: "dir"),
    completion: .directory)
  var directory: String?

  func validate() throws {
    if directory?.isEmpty == true { throw ValidationError("--directory names no folder.") }
  }

  /// The library's folder: the option, else PODGET_DIRECTORY, else `Podcasts` in the home folder.
  func resolved(environment: [String: String]) throws -> String {
    let environment = Environment(environment)
    if let directory { return directory }
    try Self.requireText("PODGET_DIRECTORY")
    if let directory = environment.text("PODGET_DIRECTORY") { return directory }
    try Self.requireText("HOME")
    guard let home = environment.text("HOME") else {
      throw ValidationError("Name the library's folder with --directory; HOME is not set.")
    }
    return home == "/" ? "/Podcasts" : "\(home)/Podcasts"
  }

  /// Checks that a variable of the process is UTF-8: its text would name another folder.
  private static func requireText(_ name: String) throws {
    guard let bytes = getenv(name), String(validatingCString: bytes) == nil else { return }
    throw ValidationError(
      "The variable \(name) is not UTF-8; name the library's folder with --directory.")
  }

  /// The same in a command's context.
  func resolved(_ context: CommandContext) throws -> String {
    try resolved(environment: context.environment)
  }
}
