import ArgumentParser

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
    if let directory = directory ?? environment.text("PODGET_DIRECTORY") { return directory }
    guard let home = environment.text("HOME") else {
      throw ValidationError("Name the library's folder with --directory; HOME is not set.")
    }
    return home == "/" ? "/Podcasts" : "\(home)/Podcasts"
  }

  /// The same in a command's context.
  func resolved(_ context: CommandContext) throws -> String {
    try resolved(environment: context.environment)
  }
}
