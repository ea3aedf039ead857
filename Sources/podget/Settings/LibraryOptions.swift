import ArgumentParser

/// The option that names the library.
struct LibraryOptions: ParsableArguments {
  @Option(
    name: [.customShort("d", allowingJoined: true), .customLong("library")],
    help: ArgumentHelp(
      "The library's folder (default: $PODGET_LIBRARY, else ~/Podcasts).", valueName: "dir"),
    completion: .directory)
  var directory: String?

  func validate() throws {
    if directory?.isEmpty == true { throw ValidationError("--library is empty.") }
  }

  /// The library's folder: the option, otherwise the setting, otherwise `Podcasts` in the home
  /// folder.
  func resolved(_ settings: SettingSources) throws -> String {
    try settings.value(SettingTable.library, option: directory)
  }
}
